"""Whether a variant computes what eager computes, shown before how long it takes."""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from dynamo_lab.model.benchmarks import Benchmark, Comparison, Phase, Verdict
from dynamo_lab.view.core.words import percent, plural

_ROWS = 40
"""How many comparisons are shown one by one, worst first: a model has a thousand gradients."""

_ORDER: dict[Verdict, int] = {"wrong": 0, "not compared": 1, "close": 2, "equal": 3}


class ComparedView(Struct, frozen=True, kw_only=True):
    """One tensor. `is_closer` is set where it lies closer to float64 than eager's does."""

    value: str
    verdict: Verdict
    ulp: str
    relative: str
    absolute: str
    error: str
    eager_error: str
    tolerance: str
    reason: str
    is_closer: bool


class AgreementView(Struct, frozen=True, kw_only=True):
    """What a variant computes in one phase against eager: in a sentence, and tensor by tensor.

    `verdict` is that of the worst tensor; `left` counts the tensors without a row.
    """

    way: int
    name: str
    phase: Phase
    verdict: Verdict
    sentence: str
    rows: tuple[ComparedView, ...]
    left: int = 0


def agreements(found: Benchmark) -> tuple[AgreementView, ...]:
    """Each variant and phase in which something was compared."""
    groups: dict[tuple[int, Phase], list[Comparison]] = {}
    for one in found.comparisons:
        groups.setdefault((one.way, one.phase), []).append(one)
    return tuple(
        _agreement(way, found.ways[way].name, phase, sorted(rows, key=_badness))
        for (way, phase), rows in sorted(groups.items())
    )


def _badness(one: Comparison) -> tuple[int, float]:
    return _ORDER[one.verdict], -(one.ulp or 0.0)


def _agreement(way: int, name: str, phase: Phase, rows: Sequence[Comparison]) -> AgreementView:
    return AgreementView(
        way=way,
        name=name,
        phase=phase,
        verdict=rows[0].verdict,
        sentence=_sentence(rows),
        rows=tuple(map(_row, rows[:_ROWS])),
        left=max(0, len(rows) - _ROWS),
    )


def _sentence(rows: Sequence[Comparison]) -> str:
    said, partly = _verdict(rows), _partly(rows)
    return f"{said.rstrip('.')}. {partly}" if partly else said


def _partly(rows: Sequence[Comparison]) -> str:
    """What was not compared, because the time was over."""
    found = [one for one in rows if one.share < 1]
    if not found:
        return ""
    least = min(found, key=lambda one: one.share)
    others = f" and parts of {len(found) - 1} more" if len(found) > 1 else ""
    return (
        f"Only {percent(least.share)} of {least.value}'s elements{others} were compared: there "
        "was no time for the rest, raise `seconds`."
    )


def _verdict(rows: Sequence[Comparison]) -> str:
    worst = rows[0]
    if worst.verdict == "wrong":
        why = f" {worst.reason}" if worst.reason else ""
        beyond = f", beyond {worst.tolerance}" if worst.tolerance else ""
        off = f"{worst.value} is off by {_off(worst)}{beyond}.{why}" if _off(worst) else ""
        return f"computes something else: {off or f'{worst.value}.{why}'} Its times are not shown."
    if worst.verdict == "not compared":
        missing = sum(one.verdict == "not compared" for one in rows)
        return f"{missing} of {plural(len(rows), 'value')} not compared: {worst.reason}"
    compared = f"({plural(len(rows), 'value')} compared)"
    if worst.verdict == "equal":
        return f"the same as eager, bit for bit {compared}"
    return (
        f"close to eager: {worst.value} is off by at most {_off(worst)} {compared}{_closer(rows)}"
    )


_NEAR_ZERO = 0.01
"""A close value that is off by more than this share of itself is nearly zero."""


def _off(one: Comparison) -> str:
    """'3 ULP (2.1e-7 relative)', as far as known; near zero, the absolute difference."""
    relative = f"{_small(one.relative)} relative" if one.relative is not None else ""
    is_tiny = one.verdict == "close" and (one.relative or 0.0) > _NEAR_ZERO
    if one.absolute is not None and is_tiny:
        return f"{_small(one.absolute)} (it is nearly zero: {relative})"
    if one.ulp is None:
        return relative or ("" if one.absolute is None else _small(one.absolute))
    return f"{_ulp(one.ulp)} ULP" + (f" ({relative})" if relative else "")


def _closer(rows: Iterable[Comparison]) -> str:
    known = [one for one in rows if one.error_ulp is not None and one.eager_error_ulp is not None]
    closer = sum(map(_is_closer, known))
    if not closer:
        return ""
    if closer == len(known):
        return "; closer to float64 than eager"
    return f"; closer to float64 than eager in {closer} of {len(known)}"


def _is_closer(one: Comparison) -> bool:
    if one.error_ulp is None or one.eager_error_ulp is None:
        return False
    return one.error_ulp < one.eager_error_ulp


def _row(one: Comparison) -> ComparedView:
    return ComparedView(
        value=one.value,
        verdict=one.verdict,
        ulp=_ulp(one.ulp),
        relative=_small(one.relative),
        absolute=_small(one.absolute),
        error=_ulp(one.error_ulp),
        eager_error=_ulp(one.eager_error_ulp),
        tolerance=one.tolerance,
        reason=one.reason,
        is_closer=_is_closer(one),
    )


def _ulp(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 9.95 or value == round(value) else f"{value:.1f}"


def _small(value: float | None) -> str:
    return "" if value is None else re.sub(r"e([+-])0*", r"e\1", f"{value:.2g}").replace("e+", "e")
