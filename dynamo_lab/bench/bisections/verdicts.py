"""Rounding or bug: judged by float64, where the program runs in that."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from dynamo_lab.bench.checks import off
from dynamo_lab.view.core.words import first_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.bench.bisections.trials import Trials, Tried
    from dynamo_lab.bench.checks import Checks
    from dynamo_lab.capture.bisections.fakes import WrongFake
    from dynamo_lab.model.benchmarks import Comparison
    from dynamo_lab.model.bisections import BisectionVerdict

_FAR = 1e-2
"""A difference of this size, relative to the value, is beyond float32's rounding in most sums."""

_SURELY = 100.0
"""How many times further than eager from float64 no order of additions takes a result."""


class Judged(NamedTuple):
    """A verdict, and how it is known."""

    verdict: BisectionVerdict
    sentence: str
    explains: bool = False
    """Whether it is the program that differs, so that no part of the compiler is to be found."""


def judged_right(found: Sequence[Comparison], *, has_float64: bool) -> Judged:
    """Of a program whose results are within what is taken for rounding."""
    silent = next((one for one in found if one.verdict == "not compared"), None)
    if silent is not None:
        return Judged("unknown", f"Nothing can be compared: {silent.reason}.")
    if all(one.verdict == "equal" for one in found):
        return Judged("same", "Every result is the same, bit for bit.")
    errors = [one for one in found if one.error_ulp is not None]
    if not errors or not has_float64:
        return Judged("rounding", "Every result is within the precision of its type.")
    worst = max(errors, key=lambda one: one.error_ulp or 0.0)
    return Judged(
        "rounding",
        f"No result is further from float64 than rounding takes it: {worst.value} is "
        f"{_ulps(worst.error_ulp)} away compiled, {_ulps(worst.eager_error_ulp)} in eager.",
    )


_IN_FLOAT32 = (
    "Compiled code keeps half-precision values in float32 between operators; made to round them as "
    "eager does (emulate_precision_casts), it agrees."
)


def judged_cast(found: Sequence[Comparison], trials: Trials) -> Judged | None:
    """Of a program that casts to half precision, where eager rounds and compiled code does not."""
    if not trials.checks.has_cast or not any(map(_eager_is_further, found)):
        return None
    tried = trials.run("rounding as eager does", chosen={"emulate_precision_casts": True})
    is_gone = tried.outcome == "right" and not any(map(_eager_is_further, tried.found))
    return Judged("rounding", _IN_FLOAT32) if is_gone else None


def judged_eager(found: Sequence[Comparison], checks: Checks) -> Judged | None:
    """Of a program whose eager results are what is far from float64, as its own other run shows."""
    off_ = [one for one in found if _eager_is_far(one)]
    if not off_ or not checks.differs_by_layout():
        return None
    worst = max(off_, key=lambda one: one.eager_error_ulp or 0.0)
    return Judged(
        "eager",
        "Eager gives something else for the same values in another memory layout: of the layout "
        f"that it was given, {worst.value} is {_ulps(worst.eager_error_ulp)} from float64 in "
        f"eager, and {_ulps(worst.error_ulp)} compiled.",
        explains=True,
    )


def _eager_is_far(one: Comparison) -> bool:
    return _eager_is_further(one) and (one.relative or 0.0) > _FAR


def _eager_is_further(one: Comparison) -> bool:
    """Whether eager is much further from float64 than the compiled program."""
    far, near = one.eager_error_ulp, one.error_ulp
    if far is None or near is None or not math.isfinite(far):
        return False
    return far > _SURELY * max(near, 1.0)


def judged(first: Tried, trials: Trials) -> Judged:
    """Of a program whose compiled results are beyond the tolerance."""
    wrong = [one for one in first.found if one.verdict == "wrong"]
    if any(one.reason for one in wrong):
        return Judged("bug", f"{first_up(off(wrong))}: rounding does not do that.")
    if _is_half(wrong) and _as_eager_rounds(trials):
        return Judged("rounding", _IN_FLOAT32)
    known = [one for one in wrong if one.error_ulp is not None and one.eager_error_ulp is not None]
    sure = [one for one in known if _times(one) > _SURELY and (one.relative or 0.0) > _FAR]
    if sure:
        return Judged("bug", _further(max(sure, key=_times)))
    return _by_float64(known, wrong, trials)


def misled(said: Judged, fakes: Sequence[WrongFake]) -> Judged:
    """Of a program that told the compiler something wrong of its own operators.

    Code made for other shapes or types than come out is wrong whatever the compiler does.
    """
    one = fakes[0]
    sentence = f"For a call of {one.operator} the fake says {one.said}, and {one.came} came out."
    if said.verdict == "crash":
        return Judged("crash", f"{sentence} {said.sentence}")
    return Judged("bug", sentence)


def _by_float64(known: Sequence[Comparison], wrong: Sequence[Comparison], trials: Trials) -> Judged:
    """What compiling in float64 says: an algebraic mistake stays, rounding all but vanishes."""
    agrees = trials.in_float64()
    if agrees is None:
        return Judged(
            "unknown",
            "The program has no results in float64, so rounding cannot be told from a bug.",
        )
    if not agrees:
        return Judged("bug", "Compiled in float64, it differs from eager in float64 too.")
    if len(known) == len(wrong) and all(_times(one) <= _SURELY for one in known):
        return Judged("rounding", "Compiled in float64, it agrees with eager in float64.")
    return Judged(
        "unknown",
        "Compiled in float64 it agrees with eager, but here it is much further from float64 than "
        "eager is, or not a number.",
    )


def _as_eager_rounds(trials: Trials) -> bool:
    tried = trials.run("rounding as eager does", chosen={"emulate_precision_casts": True})
    return tried.outcome == "right"


def _is_half(wrong: Sequence[Comparison]) -> bool:
    """Whether what is wrong has a half-precision type: known by its tolerance."""
    return any(one.tolerance.startswith(("0.032 ", "0.002 ")) for one in wrong)


def _times(one: Comparison) -> float:
    """How many times further from float64 than eager; eager is taken to be off by one at least."""
    return (one.error_ulp or 0.0) / max(one.eager_error_ulp or 0.0, 1.0)


def _further(one: Comparison) -> str:
    return (
        f"{first_up(one.value)} is {_ulps(one.error_ulp)} from float64 compiled, and "
        f"{_ulps(one.eager_error_ulp)} in eager."
    )


def _ulps(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "an unknown distance"
    return f"{value:,.3g} ULP"
