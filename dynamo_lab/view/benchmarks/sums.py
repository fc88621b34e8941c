"""Sums: how far what was measured of a call adds up to the call as a whole."""

from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.measure.statistics import Spread, spread
from dynamo_lab.model.benchmarks import OPTIMIZER, Benchmark, EagerCall, KernelTime, Overhead, Phase
from dynamo_lab.view.benchmarks.break_even import series_of
from dynamo_lab.view.benchmarks.kernel_groups import Context
from dynamo_lab.view.core.words import percent, plural, seconds
from dynamo_lab.view.timings.durations import median_text, rounded, summed

_FITS = 0.1
"""How far the sum of the parts may be from the whole, as a share of it."""

_OVERHEAD = "guards, allocation and Python"


class SumPart(Struct, frozen=True, kw_only=True):
    """A part of a whole call."""

    name: str
    seconds: float
    text: str
    share: str


class Sum(Struct, frozen=True, kw_only=True):
    """Parts of a whole call, whether they add up to it, and a remark on what they do not cover."""

    parts: tuple[SumPart, ...] = ()
    remark: str = ""
    fits: bool = True


def of_call(kernels: Sequence[KernelTime], overhead: Overhead | None, context: Context) -> Sum:
    """A call of a compiled program: its kernels, and what else was measured."""
    inside = summed([(one.warm, 1) for one in kernels])
    whole = context.whole
    if whole is None or inside is None:
        return Sum()
    stubbed = spread(overhead.stubbed) if overhead and overhead.stubbed else None
    count, calls = len({one.kernel for one in kernels}), sum(one.calls for one in kernels)
    name = (
        plural(count, "kernel") if calls == count else f"{calls} calls of {plural(count, 'kernel')}"
    )
    parts = [_part(name, inside.median, whole)]
    untimed = sum(not one.warm for one in kernels)
    missing = f" {plural(untimed, 'kernel')} could not be timed." if untimed else ""
    if context.found.machine.device not in ("", "cpu"):
        left = whole.median - inside.median
        parts += [_part("the GPU waits", left, whole)] if left > 0 else []
        remark = _who_waits(inside.median, stubbed.median if stubbed else None, left) + missing
        return Sum(parts=tuple(parts), remark=remark, fits=left >= -_FITS * whole.median)
    if stubbed:
        parts.append(_part(_OVERHEAD, stubbed.median, whole))
    left = whole.median - inside.median - (stubbed.median if stubbed else 0.0)
    if left > 0:
        parts.append(_part("not accounted for", left, whole))
    remark = _remainder(left, whole, stubbed is not None) + missing
    return Sum(parts=tuple(parts), remark=remark, fits=left >= -_FITS * whole.median)


def _who_waits(kernels: float, stubbed: float | None, left: float) -> str:
    """Which of the two processors waits for the other."""
    if left < 0:
        return f"The kernels, timed separately, take {seconds(-left)} more than a whole call."
    if stubbed is None:
        return f"Of a call, no kernel runs on the GPU for {seconds(left)}."
    if stubbed > kernels:
        return (
            f"The GPU waits for the CPU, whose guards, allocation and Python take "
            f"{seconds(stubbed)}, longer than the kernels."
        )
    return (
        f"The CPU waits for the GPU: its guards, allocation and Python take {seconds(stubbed)}, "
        "less than the kernels. The GPU waits only between them."
    )


def too_long(what: str, calls: Sequence[KernelTime | EagerCall], whole: Spread | None) -> str:
    """Says that what was timed one by one takes longer than the call that it is a part of."""
    inside = summed([(one.warm, 1) for one in calls])
    if inside is None or whole is None or inside.median <= (1 + _FITS) * whole.median:
        return ""
    return (
        f"{what}, timed one by one, take {seconds(inside.median)} with warm caches, a whole call "
        f"{seconds(whole.median)}: these are not times of a call, so no group is called faster or "
        "slower with warm caches."
    )


def flushed_each(
    kernels: Sequence[KernelTime], eager: Sequence[EagerCall], found: Benchmark, phase: Phase
) -> str:
    """Says that caches are flushed before each part, which a cold call of the whole does not do."""
    apart = summed([(one.cold, one.calls) for one in eager])
    timed = series_of(found, 0, phase, "cold")
    if apart is None or timed is None or not timed.seconds or len(eager) <= len(kernels):
        return ""
    whole = spread(timed.seconds)
    if apart.median <= (1 + _FITS) * whole.median:
        return ""
    return (
        "With cold caches, these are flushed before each kernel and before each operator: eager's "
        f"operators take {seconds(apart.median)} so, a whole call {seconds(whole.median)}. A "
        "kernel in the place of several operators is flushed once: part of its gain is that."
    )


def beside_table(found: Benchmark, way: int, phase: Phase, whole: Spread | None) -> str:
    """Why a call took another time here than in the table; empty where both agree."""
    timed = series_of(found, way, phase, "warm")
    if whole is None or timed is None or not timed.seconds:
        return ""
    table = spread(timed.seconds)
    if max(whole.median, table.median) <= (1 + _FITS) * min(whole.median, table.median):
        return ""
    has_optimizer = phase == "step" and OPTIMIZER in (found.changes or ())
    step = ", and leaves out the optimizer" if has_optimizer else ""
    return (
        f"A call takes {median_text(whole)} here and {median_text(table)} in the table: here it "
        f"takes turns with calls whose kernels are watched{step}. The times of kernels and of "
        "lines belong to the time here."
    )


def _part(name: str, taken: float, whole: Spread) -> SumPart:
    return SumPart(
        name=name,
        seconds=rounded(taken),
        text=seconds(taken),
        share=percent(taken / whole.median) if whole.median > 0 else "",
    )


def _remainder(left: float, whole: Spread, has_stubbed: bool) -> str:
    share = percent(abs(left) / whole.median) if whole.median > 0 else ""
    is_measured = has_stubbed or left < 0  # else what is left may be overhead
    if is_measured and abs(left) > _FITS * whole.median:
        return (
            f"The parts and the whole, measured separately, differ by {share}: they are not "
            "consistent. Measure again on an idle machine."
        )
    if left < 0:
        return f"The parts add up to {share} more than the whole, which is within the noise."
    what = (
        "neither kernels nor overhead" if has_stubbed else "no kernel (overhead was not measured)"
    )
    return f"{share} of the whole call is spent in {what}."
