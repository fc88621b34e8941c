"""Which frames Python called at the lines of breaks."""

from collections.abc import Iterable, Sequence, Set

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Frame
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.ways import ends_marked

Call = tuple[int | None, int | None]
"""A frame and the line at which it calls another."""


def call_left_at(item: Break, places: Places) -> Call:
    """The call that this break left to Python, if it is at one."""
    lines = places.lines_of(item.stack)
    _, line = lines[0] if lines else places.line_of(item.span)
    return item.frame, line


def called_at(calls: Set[Call], frames: Sequence[Frame]) -> frozenset[int]:
    """The frames that were first called there, or that what they resume or are called by was."""

    def is_left(frame: Frame) -> bool:
        return frame.resumes is None and (frame.caller, frame.caller_line) in calls

    return ends_marked(
        frames if calls else (),
        is_left,
        lambda frame: None if is_left(frame) else _above(frame),
    )


def _above(frame: Frame) -> int | None:
    return frame.caller if frame.resumes is None else frame.resumes


def calls_to(starts: Iterable[int], frames: Sequence[Frame]) -> frozenset[Call]:
    """All calls that led to these frames, or to what they resume."""
    found, seen = set[Call](), set[int | None]((None,))
    for start in starts:
        at: int | None = start
        while at not in seen and at is not None:
            seen.add(at)
            frame = frames[at]
            if frame.resumes is None:
                found.add((frame.caller, frame.caller_line))
            at = _above(frame)
    return frozenset(found)
