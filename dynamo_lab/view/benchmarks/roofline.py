"""The roofline: how close each kernel comes to the machine's limits, and which limit is nearer.

A kernel can be no faster than memory delivers its bytes, nor than the machine computes: the slower
of the two is its limit. See Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.benchmarks import Benchmark, Cache, KernelTime, Limits, Phase, Work
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.work import Works
from dynamo_lab.view.core.words import flops, listed, percent, plural, seconds, size

Bound = Literal["memory", "arithmetic", ""]

_COUNTED = 1 << 62

_BEYOND = 1.05
"""A share above this is no error of measurement: it is faster than the limit was measured to be."""


class RoofView(Struct, frozen=True, kw_only=True):
    """The machine's peak rate in a type; `ridge` is the intensity from which on it binds."""

    dtype: str
    flops: float
    text: str
    ridge: float


class PointView(Struct, frozen=True, kw_only=True):
    """A kernel at one call site of a program. `program` is a position in `RooflineView.programs`.

    `seconds` are those of one call, `cache` is the state of the caches. `intensity` is in
    operations a byte and `rate` in operations a second: None where the plot has no place for it,
    as it computes nothing or its work is not known. `share` is of the binding limit, None where
    it is not meaningful: `sentence` says why. `is_cached` says that its data may not have come from
    memory, whose limit then tells nothing. The rest are the numbers in words; `limit` is the time
    that a call would take at the limit.
    """

    kernel: int
    name: str
    program: int
    calls: int
    seconds: float
    cache: Cache
    intensity: float | None
    rate: float | None
    dtype: str
    bound: Bound
    share: float | None
    is_small: bool
    is_cached: bool
    percent: str
    time: str
    limit: str
    work: str
    reached: str
    sentence: str


class RooflineView(Struct, frozen=True, kw_only=True):
    """All kernels against the limits of one machine, those that take longest in a call first.

    `bandwidth` is in bytes a second. `x` and `y` are the powers of ten between which the plot's
    axes run: operations a byte, and operations a second.
    """

    device: str
    bandwidth: float
    bandwidth_text: str
    measured: str
    roofs: tuple[RoofView, ...]
    programs: tuple[str, ...]
    points: tuple[PointView, ...]
    x: tuple[int, int]
    y: tuple[int, int]
    sentences: tuple[str, ...]


def build(recording: Recording) -> RooflineView | None:
    """The timed kernels; None where no limits or no kernels were measured."""
    found = recording.benchmark
    if found is None or found.limits is None or not _is_sane(found.limits):
        return None
    timed = [one for one in found.kernels if _timed(one)]
    keys: dict[tuple[int, Phase], None] = dict.fromkeys((one.way, one.phase) for one in timed)
    programs = list(keys)
    works = Works(recording)
    names = _names(recording, timed)
    points = [
        _Point(found, one, found.limits).view(
            names[id(one)],
            programs.index((one.way, one.phase)),
            one.work or works.of(one.kernel, one.buffers),
        )
        for one in timed
    ]
    if not points:
        return None
    points.sort(key=lambda point: -point.seconds * point.calls)
    roofs = tuple(_roofs(found.limits, points))
    x, y = _axes(points, roofs)
    return RooflineView(
        device=found.limits.device,
        bandwidth=found.limits.bandwidth,
        bandwidth_text=f"{size(int(found.limits.bandwidth))}/s",
        measured=found.limits.measured,
        roofs=roofs,
        programs=tuple(f"{found.ways[way].name}, {_PHASES[phase]}" for way, phase in programs),
        points=tuple(points),
        x=x,
        y=y,
        sentences=tuple(_sentences(points)),
    )


def _names(recording: Recording, timed: Iterable[KernelTime]) -> dict[int, str]:
    """The name of each call; where a program has several of one kernel, with what it makes."""
    timed = tuple(timed)
    count = Counter((one.kernel, one.way, one.phase) for one in timed)

    def name(one: KernelTime) -> str:
        kernel = recording.kernels[one.kernel].name
        if count[one.kernel, one.way, one.phase] < 2:
            return kernel
        made = listed(one.buffers) or (f"line {one.line} of its wrapper" if one.line else "")
        return f"{kernel} ({made})" if made else kernel

    return {id(one): name(one) for one in timed}


_PHASES: dict[Phase, str] = {"forward": "forward", "step": "a training step"}


def flop_rate(rate: float) -> str:
    """'177 GFLOP/s'."""
    return f"{flops(rate)}/s"


# a recording may come from anywhere: impossible measurements are left out


def _is_sane(limits: Limits) -> bool:
    return all(1 <= rate <= 1e30 for rate in (limits.bandwidth, *limits.flops.values()))


def _timed(one: KernelTime) -> bool:
    times = one.cold or one.warm
    return bool(times) and all(1e-12 < t < 1e9 for t in times) and 0 < one.calls < _COUNTED


def _is_counted(work: Work) -> bool:
    counts = (work.bytes_read, work.bytes_written, work.flops)
    return all(0 <= count < _COUNTED for count in counts)


class _Point:
    """One timed kernel against the limits."""

    def __init__(self, found: Benchmark, timed: KernelTime, limits: Limits) -> None:
        self._timed = timed
        self._limits = limits
        self._launch = _launch(found, timed)
        self._caches = 0 if timed.cold else found.machine.caches or math.inf
        self._seconds = median(timed.cold) if timed.cold else median(timed.warm) / timed.calls

    def view(self, name: str, program: int, work: Work | str) -> PointView:
        known = work if isinstance(work, Work) and _is_counted(work) else None
        moved = known.bytes_read + known.bytes_written if known else 0
        bound, limit = self._limit(known, moved) if known else ("", 0.0)
        is_small = 0 < limit < self._launch
        is_cached = bound == "memory" and not is_small and self._may_be_cached(known)
        if is_cached:
            bound, limit = "", 0.0
        share = None if is_small or not limit else limit / self._seconds
        placed = known is not None and known.flops > 0 and moved > 0
        return PointView(
            kernel=self._timed.kernel,
            name=name,
            program=program,
            calls=self._timed.calls,
            seconds=_rounded(self._seconds),
            cache="cold" if self._timed.cold else "warm",
            intensity=_rounded(known.flops / moved) if known and placed else None,
            rate=_rounded(known.flops / self._seconds) if known and placed else None,
            dtype=known.dtype if known else "",
            bound=bound,
            share=None if share is None else _rounded(share),
            is_small=is_small,
            is_cached=is_cached,
            percent="" if share is None else percent(share),
            time=seconds(self._seconds),
            limit=seconds(limit) if limit else "",
            work=_work_text(known, moved) if known else "",
            reached=self._reached(bound, known, moved) if known else "",
            sentence=self._cached(moved) * is_cached
            or (self._sentence(known, bound, limit, share) if known else _why(work)),
        )

    def _limit(self, work: Work, moved: int) -> tuple[Bound, float]:
        """Which limit binds, and the seconds that a call takes at it."""
        moving = moved / self._limits.bandwidth
        peak = self._limits.flops.get(work.dtype)
        computing = work.flops / peak if peak else 0.0
        if not max(moving, computing):
            return "", 0.0
        return ("arithmetic", computing) if computing > moving else ("memory", moving)

    def _may_be_cached(self, work: Work | None) -> bool:
        """Whether a call can find its data in caches; what it reads may be what it writes."""
        return work is not None and max(work.bytes_read, work.bytes_written) <= self._caches

    def _cached(self, moved: int) -> str:
        known = "" if math.isinf(self._caches) else f" of {size(int(self._caches))}"
        return (
            f"Not judged: its {size(moved)} may have been in the caches{known}, as it was timed "
            "with warm ones. Memory's limit is that of data beyond them."
        )

    def _reached(self, bound: Bound, work: Work, moved: int) -> str:
        if bound == "arithmetic":
            return flop_rate(work.flops / self._seconds)
        return f"{size(int(moved / self._seconds))}/s" if bound else ""

    def _sentence(self, work: Work, bound: Bound, limit: float, share: float | None) -> str:
        if not limit:
            return "No bytes that it moves could be counted."
        if share is None:
            return (
                f"Too small to judge: at the limit it would take {seconds(limit)}, and launching "
                f"a kernel takes {seconds(self._launch)}."
            )
        what = "a copy" if bound == "memory" else f"matrix products in {work.dtype}"
        share_text = f"{percent(share)} of the rate of {what}"
        if share > _BEYOND and bound == "memory":
            return f"{share_text}: some of its data may have stayed in the caches."
        if share > _BEYOND:
            return (
                f"{share_text}: the machine may have been slower when that was measured. "
                "`dynamo-lab limits --again` measures it again."
            )
        only = " (of bytes alone: its operations are not known)" * (work.counted == "arguments")
        return f"{share_text}{only}: at that rate it would be {1 / share:.2g} times faster."


def _why(work: Work | str) -> str:
    return work if isinstance(work, str) else "its bytes or operations are not valid numbers"


def _launch(found: Benchmark, timed: KernelTime) -> float:
    """The seconds that launching a kernel takes, 0 where they were not measured."""
    known = [one for one in found.overheads if one.launch and one.way == timed.way]
    same = [one for one in known if one.phase == timed.phase] or known
    return median(same[0].launch) if same else 0.0


def _work_text(work: Work, moved: int) -> str:
    computes = f", {flops(work.flops)}" if work.flops else ""
    if work.counted == "arguments":  # some of its calls have no formula: that is not 0
        computes = f"{computes} at least" if computes else ", FLOP unknown"
    return f"{size(moved)}{computes}"


def _rounded(value: float) -> float:
    """As far as a drawing can show it, so that pages stay small."""
    return float(f"{value:.4g}")


def _roofs(limits: Limits, points: Iterable[PointView]) -> Iterator[RoofView]:
    """The types that kernels compute in, the fastest last."""
    used = {point.dtype for point in points}
    for dtype, peak in sorted(limits.flops.items(), key=lambda item: item[1]):
        if dtype in used:
            ridge = _rounded(peak / limits.bandwidth)
            yield RoofView(dtype=dtype, flops=peak, text=flop_rate(peak), ridge=ridge)


def _axes(
    points: Iterable[PointView], roofs: Iterable[RoofView]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Whole powers of ten that hold all points, and the bends of the roofs."""
    xs = [p.intensity for p in points if p.intensity] + [roof.ridge for roof in roofs]
    ys = [p.rate for p in points if p.rate] + [roof.flops for roof in roofs]
    return _decades(xs), _decades(ys)


def _decades(values: list[float]) -> tuple[int, int]:
    if not values:
        return 0, 1
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _sentences(points: list[PointView]) -> Iterator[str]:
    """All points together: how much of their time the machine's limits explain."""
    judged = [point for point in points if point.share is not None]
    whole = sum(point.seconds * point.calls for point in judged)
    if judged:
        needed = _needed(judged)
        yield (
            f"At the machine's limits, {plural(len(judged), 'kernel')} would take "
            f"{seconds(needed)} instead of {seconds(whole)}: "
            f"{percent(needed / whole)}."
        )
    for bound in ("memory", "arithmetic"):
        bound_so = [point for point in judged if point.bound == bound]
        if bound_so:
            yield _within(bound, bound_so, whole)
    if cached := sum(point.is_cached for point in points):
        yield (
            f"Not held against memory's limit: {plural(cached, 'kernel')}, timed with warm caches "
            "that may hold the data. Time with cold caches to judge."
        )
    if small := sum(point.is_small for point in points):
        yield f"Too small to judge: {plural(small, 'kernel')}: at the limit, a launch takes longer."


def _within(bound: Bound, points: list[PointView], whole: float) -> str:
    """How near kernels with the same limit come to it: far from it, it does not explain them."""
    taken = sum(point.seconds * point.calls for point in points)
    return (
        f"The nearer limit is {bound}: {plural(len(points), 'kernel')}, {percent(taken / whole)} "
        f"of this time, at {percent(_needed(points) / taken)} of it."
    )


def _needed(points: Iterable[PointView]) -> float:
    """The seconds that kernels would take at their limits."""
    return sum(min(1.0, p.share or 0.0) * p.seconds * p.calls for p in points)
