"""Whether two variants computed the same: in units of the last place, and against float64.

The rule follows PyTorch's own benchmarks (`same` in torch/_dynamo/utils.py): a result may be as far
from float64 as eager's, times a few, for eager rounds too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dynamo_lab.model.benchmarks import Comparison, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
) -> tuple[Comparison, ...]:
    """Compare each named tensor with eager's, and both with float64's where that is known."""
    if not eager and not other:
        return not_compared("the program gives no tensor", way=way, phase=phase)
    if list(eager) != list(other):
        reason = f"it gives {_counted(other)}, eager {_counted(eager)}"
        return (Comparison(way=way, phase=phase, value="results", verdict="wrong", reason=reason),)
    return tuple(
        _compared(name, eager[name], other[name], (exact or {}).get(name), way, phase, tolerance)
        for name in eager
    )


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
    way: int,
    phase: Phase,
    tolerance: Tolerance | None,
) -> Comparison:
    if (eager.shape, eager.dtype) != (other.shape, other.dtype):
        reason = f"it is {_kind(other)}, eager's is {_kind(eager)}"
        return Comparison(way=way, phase=phase, value=name, verdict="wrong", reason=reason)
    a, b = _wide(eager), _wide(other)
    if exact is not None and exact.shape != eager.shape:
        exact = None
    reference = None if exact is None else _wide(exact)
    allowed = tolerance or tolerance_of(eager.dtype)
    unit = _last_place(a, eager.dtype)
    found = _difference(a, b)
    shown: dict[str, float] = {
        "absolute": _largest(found),
        "relative": _largest(found / _magnitude(a, b)),
        "ulp": _largest(found / unit),
    }
    if reference is not None:
        shown["error_ulp"] = _largest(_difference(reference, b) / unit)
        shown["eager_error_ulp"] = _largest(_difference(reference, a) / unit)
    finite: Any = {key: value for key, value in shown.items() if math.isfinite(value)}
    return Comparison(
        way=way,
        phase=phase,
        value=name,
        verdict=_verdict(a, b, reference, allowed),
        tolerance=str(allowed),
        **finite,
    )


def _verdict(
    eager: torch.Tensor,
    other: torch.Tensor,
    exact: torch.Tensor | None,
    allowed: Tolerance,
) -> Verdict:
    found = _difference(eager, other)
    if not found.any():
        return "equal"
    size = eager.abs().nan_to_num(nan=0.0, posinf=0.0)  # infinity would hide all other values
    bound = allowed.absolute + allowed.relative * size
    if bool((found <= bound).all()):
        return "close"
    if exact is None:
        return "wrong"
    error = _difference(exact, eager)
    as_eager = _ROUNDING * _largest(error[error.isfinite()])
    near = (_difference(exact, other) <= as_eager + bound) | (found <= bound)
    return "close" if bool(near.all()) else "wrong"


def _wide(value: torch.Tensor) -> torch.Tensor:
    """The numbers in float64, on the CPU; a complex one is two."""
    import torch

    value = value.detach().to("cpu")
    if value.layout is not torch.strided:
        value = value.to_dense()
    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    return value.to(torch.float64)


def _difference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """How far apart: equal infinities and two NaNs are not, NaN and a number are endlessly."""
    import torch

    same = (a == b) | (a.isnan() & b.isnan())
    apart = (a - b).abs().nan_to_num(nan=math.inf, posinf=math.inf)
    return torch.where(same, torch.zeros_like(a), apart)


def _magnitude(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The larger of each pair, and no smaller than the typical value: zeros are hit by rounding."""
    import torch

    return torch.maximum(torch.maximum(a.abs(), b.abs()), _typical(a)).clamp_min(1e-300)


def _typical(a: torch.Tensor) -> torch.Tensor:
    """The root mean square of what is finite."""
    finite = a[a.isfinite()]
    return finite.square().mean().sqrt() if finite.numel() else a.new_zeros(())


def _last_place(a: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """What a unit in the last place is worth at each value, or at the typical one if that is more.

    Where a sum cancels, what is left is as exact as its parts were, not as itself.
    """
    import torch

    if not (dtype.is_floating_point or dtype.is_complex):
        return torch.ones_like(a)
    size = torch.maximum(a.abs(), _typical(a)).nan_to_num(nan=1.0, posinf=1.0)
    exponent = torch.floor(torch.log2(size.clamp_min(torch.finfo(dtype).tiny)))
    return torch.exp2(exponent) * torch.finfo(dtype).eps


def _largest(values: torch.Tensor) -> float:
    return float(values.max()) if values.numel() else 0.0


def _kind(value: torch.Tensor) -> str:
    return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"


def is_wrong(comparisons: Sequence[Comparison]) -> bool:
    """Whether any value is beyond its tolerance."""
    return any(one.verdict == "wrong" for one in comparisons)
