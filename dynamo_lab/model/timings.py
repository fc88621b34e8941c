"""Where compile time went, as PyTorch's own timers measured it."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Ref, circle


class Timing(Struct, frozen=True, array_like=True):
    """A phase of compilation. `start` and `seconds` count from the recording's start.

    `parent` indexes `Recording.timings`, -1 for a root. `compile_id` is empty outside of one.
    """

    name: str
    start: float
    seconds: float
    parent: Annotated[int, Ref("timings", or_none=True)] = -1
    compile_id: str = ""
    thread: int = 0


_LONGEST = 1e13
"""Seconds, more than any log or clock reports; sums of many such are still finite."""


def problems(timings: Sequence[Timing]) -> Iterator[str]:
    """A sentence for each invalid time, and if phases contain each other in a circle."""
    for position, timing in enumerate(timings):
        for name, seconds in (("start", timing.start), ("seconds", timing.seconds)):
            if not abs(seconds) <= _LONGEST:  # what is no number neither
                yield f"timings[{position}].{name} is {seconds}, which is not a time"
    yield from circle("timings lie in", [(at.parent,) if at.parent >= 0 else () for at in timings])
