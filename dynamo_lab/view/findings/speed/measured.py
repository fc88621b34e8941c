"""What a benchmark told apart: the variants that were timed against eager, and where time went."""

from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.measure.statistics import Ratio, Spread, spread
from dynamo_lab.model.benchmarks import Benchmark, Overhead, Phase, Series
from dynamo_lab.view.benchmarks.agreements import agreements
from dynamo_lab.view.benchmarks.benchmarks import is_wrong, wrong_ones
from dynamo_lab.view.benchmarks.comparing import compare
from dynamo_lab.view.benchmarks.time_marks import overhead_of
from dynamo_lab.view.timings.durations import summed


class Timed(NamedTuple):
    """A compiled variant in a phase: how many times faster than eager, and the parts of a call.

    Parts are None where they were not measured. `kernels` is the sum of the kernels.
    """

    way: int
    phase: Phase
    name: str
    ratio: Ratio
    eager: Spread
    compiled: Spread
    whole: Spread | None
    overhead: Spread | None
    launch: Spread | None
    kernels: Spread | None


def compiled_ways(found: Benchmark) -> Iterator[Timed]:
    """Each compiled variant that was timed in turns with eager, with warm caches, and is right."""
    if found.machine.is_busy:
        return
    wrong = wrong_ones(agreements(found))
    warm: dict[tuple[int, Phase], Series] = {
        (one.way, one.phase): one for one in found.series if one.cache == "warm" and one.seconds
    }
    for (way, phase), series in warm.items():
        base = warm.get((0, phase))
        ratio = compare(base, series)
        is_compiled = found.ways[way].kind == "compiled" and found.ways[0].kind == "eager"
        if base and ratio and is_compiled and not is_wrong(way, phase, wrong):
            yield Timed(
                way=way,
                phase=phase,
                name=found.ways[way].name,
                ratio=ratio,
                eager=spread(base.seconds),
                compiled=spread(series.seconds),
                **_parts(found, way, phase),
            )


def _parts(found: Benchmark, way: int, phase: Phase) -> dict[str, Spread | None]:
    overhead: Overhead | None = overhead_of(found, way, phase)
    own = [one for one in found.kernels if (one.way, one.phase) == (way, phase)]
    times = [(one.warm, 1.0) for one in own]
    is_whole = bool(own) and all(one.warm for one in own)
    return {
        "whole": _spread(overhead.whole if overhead else ()),
        "overhead": _spread(overhead.stubbed if overhead else ()),
        "launch": _spread(overhead.launch if overhead else ()),
        "kernels": summed(times) if is_whole else None,
    }


def _spread(seconds: tuple[float, ...]) -> Spread | None:
    return spread(seconds) if seconds else None


def is_gpu(found: Benchmark) -> bool:
    """Whether the program's tensors were on a device that works while Python goes on."""
    return found.machine.device.partition(":")[0] not in ("", "cpu")
