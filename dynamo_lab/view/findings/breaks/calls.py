"""Which frames Python called at the lines of breaks."""

from collections.abc import Iterable, Sequence, Set

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Frame
from dynamo_lab.view.core.places import Places

Call = tuple[int | None, int | None]
"""A frame and the line at which it calls another."""


def call_left_at(item: Break, places: Places) -> Call:
    """The call that this break left to Python, if it is at one."""
    lines = places.lines_of(item.stack)
    _, line = lines[0] if lines else places.line_of(item.span)
    return item.frame, line


def called_at(calls: Set[Call], frames: Sequence[Frame]) -> frozenset[int]:
    """The frames that were first called there, or that what they resume or are called by was.

    Each frame is looked at once, of thousands that follow from each other.
    """
    known = dict[int, bool]()
    for frame in frames if calls else ():
        way, at = list[int](), frame
        while at.id not in known:
            known[at.id] = at.resumes is None and (at.caller, at.caller_line) in calls
            way.append(at.id)
            above = at.caller if at.resumes is None else at.resumes
            if known[at.id] or above is None:
                break
            at = frames[above]
        known |= dict.fromkeys(way, known[at.id])
    return frozenset(frame for frame, is_called in known.items() if is_called)


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
            at = frame.caller if frame.resumes is None else frame.resumes
    return frozenset(found)
