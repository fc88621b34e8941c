"""Two benchmarks side by side: what can be said of the variants in both, or why nothing can."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.measure.statistics import spread, unpaired
from dynamo_lab.model.benchmarks import Benchmark, Machine, Phase, Series
from dynamo_lab.view.benchmarks.agreements import agreements
from dynamo_lab.view.benchmarks.benchmarks import is_wrong, wrong_ones
from dynamo_lab.view.benchmarks.kernel_times import PHASES
from dynamo_lab.view.timings.durations import interval_text, median_text

_FIELDS = (
    ("device", "device"),
    ("processor", "processor"),
    ("threads", "number of threads"),
    ("governor", "frequency governor"),
    ("driver", "driver"),
    ("torch", "PyTorch"),
    ("triton", "Triton"),
    ("python", "Python"),
    ("platform", "platform"),
)
"""Differences between machines that make times incomparable; unknown values are no reason."""


class TimeChange(Struct, frozen=True, kw_only=True):
    """A variant in both; `sentence` says how many times faster or slower it is in `b`."""

    way: str
    title: str
    a: str
    b: str
    sentence: str
    differs: bool


class BenchmarkDiff(Struct, frozen=True, kw_only=True):
    """What changed from benchmark `a` to benchmark `b`.

    `reasons` say why their times cannot be compared; then there are no `changes`. `doubt` says
    what makes them less sure.
    """

    reasons: tuple[str, ...] = ()
    changes: tuple[TimeChange, ...] = ()
    doubt: str = ""


def incomparable(a: Benchmark, b: Benchmark) -> tuple[str, ...]:
    """Why the times of two benchmarks cannot be compared; nothing where they can."""
    return tuple(_reasons(a.machine, b.machine))


def _reasons(a: Machine, b: Machine) -> Iterator[str]:
    for field, name in _FIELDS:
        mine, other = getattr(a, field), getattr(b, field)
        if mine and other and mine != other:
            yield f"different {name}: {mine}, then {other}"
    for name in sorted(a.settings.keys() & b.settings.keys()):
        if a.settings[name] != b.settings[name]:
            yield f"different {name}: {a.settings[name]}, then {b.settings[name]}"


def benchmark_diff(a: Benchmark, b: Benchmark) -> BenchmarkDiff:
    """What changed between two benchmarks, measured one after the other: no paired rounds."""
    if reasons := incomparable(a, b):
        return BenchmarkDiff(reasons=reasons)
    mine, others = _timed(a), _timed(b)
    changes = tuple(
        _change(key, series, others[key]) for key, series in mine.items() if key in others
    )
    return BenchmarkDiff(changes=changes, doubt=_doubt(a, changes))


def _timed(found: Benchmark) -> dict[tuple[str, str], Series]:
    """The series by variant name, phase and cache, without those that compute something wrong."""
    wrong: set[tuple[int, Phase]] = wrong_ones(agreements(found))
    return {
        (found.ways[one.way].name, f"{PHASES[one.phase]}, {one.cache} caches"): one
        for one in found.series
        if one.seconds and min(one.seconds) > 0 and not is_wrong(one.way, one.phase, wrong)
    }


def _change(key: tuple[str, str], a: Series, b: Series) -> TimeChange:
    compared = unpaired(a.seconds, b.seconds)
    within = f" ({interval_text(compared.above_one)})" if compared.differs else ""
    return TimeChange(
        way=key[0],
        title=key[1],
        a=median_text(spread(a.seconds)),
        b=median_text(spread(b.seconds)),
        sentence=compared.sentence + within,
        differs=compared.differs,
    )


def _doubt(a: Benchmark, changes: tuple[TimeChange, ...]) -> str:
    """The first variant is the same program twice: if it differs, the machine may have changed."""
    first = a.ways[0].name if a.ways else ""
    if any(one.way == first and one.differs for one in changes):
        return (
            f"{first} itself differs: the machine was faster or slower in one of the two, or "
            "the program is different. Measure both in one lab.bench to be sure."
        )
    return ""
