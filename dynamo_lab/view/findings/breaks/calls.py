"""Which frames Python called at the line of a break."""

from collections.abc import Sequence

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Frame
from dynamo_lab.view.core.places import Places


def is_called_from(frame: int, item: Break, frames: Sequence[Frame], places: Places) -> bool:
    """Whether a frame, or what it resumes, was first called where this break left the call."""
    lines = places.lines_of(item.stack)
    _, line = lines[0] if lines else places.line_of(item.span)
    at = frames[frame]
    for _ in frames:
        if at.resumes is not None:
            at = frames[at.resumes]
        elif at.caller is None:
            return False
        elif at.caller == item.frame:
            return at.caller_line == line
        else:
            at = frames[at.caller]
    return False
