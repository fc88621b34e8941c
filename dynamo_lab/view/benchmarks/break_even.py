"""Break-even: after how many calls a variant's compilation has paid for itself."""

import math
from typing import Literal

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, rounds_needed, spread
from dynamo_lab.model.benchmarks import Benchmark, Cache, Phase, Series
from dynamo_lab.view.core.words import plural, seconds


class BreakEven(Struct, frozen=True, kw_only=True):
    """When a way pays off, in a sentence; `calls` is None where it never does, or that is unknown.

    `low` and `high` bound them with a confidence of 95 %.
    """

    verdict: Literal["pays off", "never", "unknown"]
    sentence: str
    calls: int | None = None
    low: int | None = None
    high: int | None = None


def break_even(benchmark: Benchmark, way: int, phase: Phase = "forward") -> BreakEven | None:
    """When compiling a variant has paid off against the first, by its calls with warm caches.

    None where there is nothing to say: it was not compiled, or not timed in this phase.
    """
    timed = benchmark.ways[way]
    compiling = timed.compile_by_phase.get(phase, timed.compile_seconds)
    base, other = (series_of(benchmark, one, phase, "warm") for one in (0, way))
    if way == 0 or compiling is None or base is None or other is None:
        return None
    count = min(len(base.seconds), len(other.seconds))
    if not count or not all(map(_is_time, (compiling, *base.seconds, *other.seconds))):
        return None
    return of_times(compiling, base.seconds[:count], other.seconds[:count])


def of_times(compiling: float, base: tuple[float, ...], other: tuple[float, ...]) -> BreakEven:
    """The same, from seconds of compilation and of calls in paired rounds."""
    found = ratio(base, other)
    if not found.differs:
        few = len(base) < rounds_needed()
        why = f"{rounds_needed()} rounds are needed" if few else "not distinguishable"
        return BreakEven(verdict="unknown", sentence=f"unknown: {why}")
    if found.value < 1:
        return BreakEven(verdict="never", sentence="never: it is slower")
    a_call = spread(base).median
    # a ratio of 2 saves half a call: the higher it is, the earlier compiling has paid off
    calls, low, high = (
        max(1, math.ceil(compiling / (a_call * (1 - 1 / value))))
        for value in (found.value, found.high, found.low)
    )
    return BreakEven(
        verdict="pays off",
        sentence=_sentence(compiling, calls, low, high),
        calls=calls,
        low=low,
        high=high,
    )


def _is_time(value: float) -> bool:
    """Whether a clock could have measured it: a recording may come from anywhere."""
    return 1e-12 < value < 1e9


def _sentence(compiling: float, calls: int, low: int, high: int) -> str:
    after = f"pays off after {plural(_rounded(calls), 'call')}"
    shown = _rounded(low), _rounded(high)
    if shown[0] < shown[1]:
        after += f" ({shown[0]:,} to {shown[1]:,})"
    return f"{after}: compilation takes {seconds(compiling)}"


def _rounded(calls: int) -> int:
    """Two significant digits: more would suggest false precision."""
    places = max(0, len(str(calls)) - 2)
    return -(-calls // 10**places) * 10**places


def series_of(benchmark: Benchmark, way: int, phase: Phase, cache: Cache) -> Series | None:
    """The times of a variant's calls; None where it was not timed so."""
    wanted = (way, phase, cache)
    found = (one for one in benchmark.series if (one.way, one.phase, one.cache) == wanted)
    return next(found, None)
