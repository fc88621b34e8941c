"""Where compile time went, as PyTorch's own timers measured it."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

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


CacheOutcome = Literal["kept", "bypassed", "off", "unknown"]
"""Whether a compile cache would keep what is compiled, and find it the next time."""


class CacheCheck(Struct, frozen=True, kw_only=True):
    """What a compile cache said of a graph when it was asked. Recording looks past the caches.

    `layer` is PyTorch's name of the cache, `graph` what it was asked about, `reason` PyTorch's own
    for a bypass, and `node` the operator that it is about, if it is one. `parts` are what the key
    is made of, a name and a short hash each: all for the first key of a recording, for others those
    that differ from it, empty where it lacks one.
    """

    layer: str
    outcome: CacheOutcome
    compile_id: str = ""
    graph: Annotated[int | None, Ref("graphs")] = None
    reason: str = ""
    node: Annotated[int | None, Ref("graphs[graph].nodes")] = None
    parts: tuple[tuple[str, str], ...] = ()


_LONGEST = 1e13
"""Seconds, more than any log or clock reports; sums of many such are still finite."""


def problems(timings: Sequence[Timing]) -> Iterator[str]:
    """A sentence for each invalid time, and if phases contain each other in a circle."""
    for position, timing in enumerate(timings):
        for name, seconds in (("start", timing.start), ("seconds", timing.seconds)):
            if not abs(seconds) <= _LONGEST:  # what is no number neither
                yield f"timings[{position}].{name} is {seconds}, which is not a time"
    yield from circle("timings lie in", [(at.parent,) if at.parent >= 0 else () for at in timings])
