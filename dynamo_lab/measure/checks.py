"""Whether two variants computed the same: in units of the last place, and against float64.

The rule follows PyTorch's own benchmarks (`same` in torch/_dynamo/utils.py): a result may be as far
from float64 as eager's, times a few, for eager rounds too.
"""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from dynamo_lab.measure.pieces import Allowed, Found, differences
from dynamo_lab.model.benchmarks import Comparison, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from dynamo_lab.model.benchmarks import Phase

_ROUNDING = 4.0
"""How much further from float64 than eager a result may be: it may add in another order."""


class Tolerance(Struct, frozen=True):
    """A difference up to `absolute + relative * |expected|` is taken for rounding."""

    relative: float
    absolute: float

    def __str__(self) -> str:
        return f"{self.relative:g} relative, {self.absolute:g} absolute"


def tolerance_of(dtype: torch.dtype) -> Tolerance:
    """What is taken for rounding: some more than `torch.testing.assert_close`, as sums are long."""
    import torch

    known = {
        torch.float16: Tolerance(2e-3, 1e-4),
        torch.bfloat16: Tolerance(3.2e-2, 1e-3),
        torch.float32: Tolerance(1.3e-5, 1e-4),
        torch.float64: Tolerance(1e-6, 1e-6),
    }
    return known.get(dtype.to_real() if dtype.is_complex else dtype, Tolerance(0.0, 0.0))


def compare(
    eager: Mapping[str, torch.Tensor],
    other: Mapping[str, torch.Tensor],
    exact: Mapping[str, torch.Tensor] | None = None,
    *,
    way: int,
    phase: Phase,
    tolerance: Tolerance | None = None,
    seconds: float = math.inf,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[Comparison, ...]:
    """Compare each named tensor with eager's, and both with float64's where that is known.

    Where that takes longer than `seconds`, the rest of the elements is not compared; each tensor
    has its part of the time.
    """
    if not eager and not other:
        return not_compared("the program gives no tensor", way=way, phase=phase)
    if list(eager) != list(other):
        reason = f"it gives {_counted(other)}, eager {_counted(eager)}"
        return (Comparison(way=way, phase=phase, value="results", verdict="wrong", reason=reason),)
    asked = _Asked(way, phase, tolerance)
    start, total = clock(), max(1, sum(value.numel() for value in eager.values()))
    found: list[Comparison] = []
    done = 0
    for name, value in eager.items():
        done += value.numel()
        begin, end = clock(), start + seconds * done / total
        has_time = partial(_is_before, clock, begin, end)
        found.append(_compared(name, value, other[name], (exact or {}).get(name), asked, has_time))
    return tuple(found)


def _is_before(clock: Callable[[], float], begin: float, end: float, share: float) -> bool:
    return clock() < (end if share == 1 else begin + (end - begin) * share)


class _Asked(NamedTuple):
    way: int
    phase: Phase
    tolerance: Tolerance | None


def not_compared(reason: str, *, way: int, phase: Phase) -> tuple[Comparison, ...]:
    """A comparison that could not be made, with the reason."""
    made = Comparison(way=way, phase=phase, value="results", verdict="not compared", reason=reason)
    return (made,)


def _counted(values: Mapping[str, Any]) -> str:
    return f"{len(values)} tensor" + ("s" if len(values) != 1 else "")


def _compared(
    name: str,
    eager: torch.Tensor,
    other: torch.Tensor,
    exact: torch.Tensor | None,
    asked: _Asked,
    has_time: Callable[[float], bool],
) -> Comparison:
    way, phase, tolerance = asked
    if (eager.shape, eager.dtype) != (other.shape, other.dtype):
        reason = f"it is {_kind(other)}, eager's is {_kind(eager)}"
        return Comparison(way=way, phase=phase, value=name, verdict="wrong", reason=reason)
    if eager.device != other.device:
        other = other.to(eager.device)
    reference = exact if exact is not None and _is_above(exact, eager) else None
    if reference is not None:
        reference = reference.to(eager.device)
    allowed = tolerance or tolerance_of(eager.dtype)
    limits = Allowed(allowed.relative, allowed.absolute, _ROUNDING)
    found = differences(eager, other, reference, limits, has_time)
    return Comparison(
        way=way,
        phase=phase,
        value=name,
        verdict=_verdict(found),
        tolerance=str(allowed),
        share=_share(found, eager),
        **_shown(found, has_exact=reference is not None),
    )


def _is_above(exact: torch.Tensor, eager: torch.Tensor) -> bool:
    """Whether a reference is more exact than what it judges.

    Where eager is in float64 already, it is its own reference, which says nothing of a variant.
    """
    if exact.shape != eager.shape or exact.dtype.is_complex != eager.dtype.is_complex:
        return False
    return exact.dtype != eager.dtype or not _is_itself(exact, eager)


def _is_itself(exact: torch.Tensor, eager: torch.Tensor) -> bool:
    import torch

    is_rounded = eager.is_floating_point() or eager.is_complex()
    return is_rounded and torch.equal(exact.to(eager.device), eager)


def _share(found: Found, eager: torch.Tensor) -> float:
    elements = eager.numel() * (2 if eager.is_complex() else 1)
    return found.elements / elements if elements else 1.0


def _shown(found: Found, *, has_exact: bool) -> Any:
    names = ["absolute", "relative", "ulp"]
    names += ["error_ulp", "eager_error_ulp"] if has_exact else []
    values = {name: getattr(found, name) for name in names}
    return {name: value for name, value in values.items() if math.isfinite(value)}


def _verdict(found: Found) -> Verdict:
    if found.is_same:
        return "equal"
    return "close" if found.is_within or found.is_near else "wrong"


def _kind(value: torch.Tensor) -> str:
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"


def is_wrong(comparisons: Sequence[Comparison]) -> bool:
    """Whether any value is beyond its tolerance."""
    return any(one.verdict == "wrong" for one in comparisons)


def relative_error(found: object, expected: object) -> float | None:
    """The root mean square of the difference, relative to the expected result's.

    None where that is no number: of no tensors, other shapes, other types than of floating point,
    or elements that are not finite.
    """
    import torch

    if not isinstance(found, torch.Tensor) or not isinstance(expected, torch.Tensor):
        return None
    if found.shape != expected.shape or not expected.is_floating_point():
        return None
    exact = expected.double()
    size, off = (float(one.square().mean().sqrt()) for one in (exact, found.double() - exact))
    if not math.isfinite(size + off):
        return None
    return off / size if size else (0.0 if off == 0 else None)
