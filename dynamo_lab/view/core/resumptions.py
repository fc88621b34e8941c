"""What tells apart the functions that resume after breaks on one line."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import dropwhile
from typing import TypeVar

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import span_text
from dynamo_lab.view.core.words import brief

_Key = TypeVar("_Key", bound=Hashable)
_LONGEST = 40
_JUMPS = ("JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD")


def told_apart(recording: Recording, names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """What to add to the names that frames share: what broke, where they go on, or a number.

    Two calls on a line break at two expressions; the two ways out of an `if` break at one, and go
    on from two lines; a frame that was compiled again may resume anew in one place.
    """
    broke = {frame: item for item in recording.breaks for frame in item.resume_frames}
    resumed = [frame.id for frame in recording.frames if frame.resumes is not None]
    for same in _grouped(resumed, lambda frame: names[frame]).values():
        if len(same) > 1:
            by_text = _grouped(same, lambda frame: _text(recording, broke.get(frame)))
            for text, alike in by_text.items():
                told = f": {text}" if text and len(by_text) > 1 else ""
                yield from _by_line(recording, alike, told)


def _by_line(recording: Recording, alike: Sequence[int], told: str) -> Iterator[tuple[int, str]]:
    """The same of frames that broke at one expression, of which `told` tells."""
    by_line = _grouped(alike, lambda frame: goes_on(recording.frames[frame]))
    for line, last in by_line.items():
        start = f", from line {line}" if line and len(by_line) > 1 else ""
        for at, frame in enumerate(last, 1):
            number = f" ({at} of {len(last)})" if len(last) > 1 else ""
            yield frame, f"{told}{start}{number}"


def _grouped(frames: Iterable[int], key: Callable[[int], _Key]) -> dict[_Key, list[int]]:
    found = defaultdict[_Key, list[int]](list)
    for frame in frames:
        found[key(frame)].append(frame)
    return found


def _text(recording: Recording, item: Break | None) -> str:
    """The expression of the frame at which it broke, empty where it is not known."""
    if item is None:
        return ""
    span = recording.spans[item.span]
    return brief(span_text(recording.sources[span.source], span), _LONGEST)


def goes_on(frame: Frame) -> int:
    """The line that a resumed function goes on from, 0 if not known.

    Its first jump leads there, over all that ran before.
    """
    jump = next((one for one in frame.bytecode if one.opname in _JUMPS), None)
    target = jump.argument.removeprefix("to ") if jump else ""
    after = dropwhile(lambda one: str(one.offset) != target, frame.bytecode)
    return next((one.line for one in after if one.line > 0), 0)
