"""Where compile time went, as PyTorch's own timers measured it."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref, circle


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


class CompileMemory(Struct, frozen=True, kw_only=True):
    """The peak of resident memory that the system counts for this process, in bytes.

    `before` is that before the first phase, `peak` that after the last one. `grew` are phases, as
    positions in `Recording.timings`, with the bytes by which it rose while they ran, those nested
    in them included. `child` is the peak of the largest process that it waited for meanwhile, 0 if
    no new one was larger than all before. What the system shares between processes counts in each.
    """

    before: Annotated[int, Plain("bytes")]
    peak: Annotated[int, Plain("bytes")]
    child: Annotated[int, Plain("bytes")] = 0
    grew: tuple[tuple[Annotated[int, Ref("timings")], Annotated[int, Plain("bytes")]], ...] = ()


class LayerUse(Struct, frozen=True, kw_only=True):
    """How often a compile cache was asked in a run, by what came of it; None if unknown."""

    layer: str
    hits: Annotated[int | None, Plain("a count")] = 0
    misses: Annotated[int | None, Plain("a count")] = 0
    bypasses: Annotated[int | None, Plain("a count")] = 0


class WarmRun(Struct, frozen=True, kw_only=True):
    """A program's first call, less a second one's: the seconds, what caches gave, and the builds.

    `built` counts the libraries and binaries of kernels that compilers wrote.
    """

    seconds: float
    layers: tuple[LayerUse, ...] = ()
    built: Annotated[int, Plain("a count")] = 0


class WarmStart(Struct, frozen=True, kw_only=True):
    """A program compiled into empty caches, again from them, and from a saved bundle of them.

    `kept` are the kinds of artifacts in the bundle with their number. `differing` are a layer, how
    many of the warm run's keys the cold run did not have, and the parts of the key that differ.
    """

    cold: WarmRun
    warm: WarmRun
    bundle: WarmRun | None = None
    bundle_bytes: Annotated[int, Plain("a size")] = 0
    kept: tuple[tuple[str, int], ...] = ()
    differing: tuple[tuple[str, int, tuple[str, ...]], ...] = ()


_LONGEST = 1e13
"""Seconds, more than any log or clock reports; sums of many such are still finite."""


def problems(timings: Sequence[Timing]) -> Iterator[str]:
    """A sentence for each invalid time, and if phases contain each other in a circle."""
    for position, timing in enumerate(timings):
        for name, seconds in (("start", timing.start), ("seconds", timing.seconds)):
            if not abs(seconds) <= _LONGEST:  # what is no number neither
                yield f"timings[{position}].{name} is {seconds}, which is not a time"
    yield from circle("timings lie in", [(at.parent,) if at.parent >= 0 else () for at in timings])
