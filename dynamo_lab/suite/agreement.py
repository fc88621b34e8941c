"""Whether a compiled model computed what eager PyTorch does: the rule of PyTorch's own benchmarks.

Both are compared with a run in float64, by the root mean square of the difference over a whole
tensor, and on the device: a model's gradients have hundreds of millions of elements. What
`measure.checks` reports about each element is for single programs. See `same` in
https://github.com/pytorch/pytorch/blob/main/torch/_dynamo/utils.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

TOLERANCE = {"float32": 1e-4, "amp": 1e-2}
"""The share of a tensor's root mean square that is taken for rounding."""

_TIMES = {"float32": 2.0, "amp": 3.0}
"""How many times as far from float64 as eager a result may be."""

_SMALL = 10.0
"""The same for a tensor of few elements, where chance decides."""

_FEW = 1000

_FLOOR = 1e-2
"""A tensor counts as at least this share of the typical one: the gradient of a bias that a
normalisation cancels is rounding alone."""


def disagreement(
    eager: Mapping[str, torch.Tensor],
    compiled: Mapping[str, torch.Tensor],
    exact: Mapping[str, torch.Tensor] | None,
    precision: str,
) -> str:
    """What differs beyond rounding, in a sentence; empty where nothing does.

    The mappings name the same values. Without `exact`, eager's stand for it.
    """
    if list(eager) != list(compiled):
        return f"it gives {len(compiled)} tensors, eager {len(eager)}"
    reference = exact if exact is not None and list(exact) == list(eager) else eager
    sizes = {name: _size(value) for name, value in reference.items()}
    floor = _FLOOR * _typical(list(sizes.values()))
    for name, value in reference.items():
        allowed = TOLERANCE[precision] * max(sizes[name], floor)
        if difference := _differs(name, eager[name], compiled[name], value, allowed, precision):
            return difference
    return ""


def _differs(
    name: str,
    eager: torch.Tensor,
    compiled: torch.Tensor,
    exact: torch.Tensor,
    allowed: float,
    precision: str,
) -> str:
    if (eager.shape, eager.dtype) != (compiled.shape, compiled.dtype):
        kinds = [f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}" for t in (compiled, eager)]
        return f"{name} is {kinds[0]}, eager's is {kinds[1]}"
    if not eager.dtype.is_floating_point:
        return "" if bool((eager == compiled).all()) else f"{name} differs from eager's"
    exact = _where_finite(exact, eager)
    by_eager, by_compiled = _distance(eager, exact), _distance(compiled, exact)
    if math.isnan(by_compiled):
        return f"{name} is infinite or NaN in other places than eager's"
    times = _SMALL if eager.numel() < _FEW else _TIMES[precision]
    if by_compiled <= times * by_eager + allowed:
        return ""
    return (
        f"{name} is {by_compiled:.2g} from float64 (root mean square), eager {by_eager:.2g}"
        f"; {times:g} times that and {allowed:.2g} are allowed"
    )


def _where_finite(exact: torch.Tensor, eager: torch.Tensor) -> torch.Tensor:
    """What to compare results with: eager's elements where it or float64 overflows."""
    import torch

    finite = eager.isfinite() & exact.isfinite()
    return exact if bool(finite.all()) else torch.where(finite, exact.double(), eager.double())


def _distance(value: torch.Tensor, exact: torch.Tensor) -> float:
    """The root mean square of the difference of what is finite; NaN where one overflows alone."""
    import torch

    same = (value == exact) | (value.isnan() & exact.isnan())
    apart = torch.where(same, 0.0, value.double() - exact)
    found = float((apart.square().sum() / exact.isfinite().sum().clamp(min=1)).sqrt())
    return found if math.isfinite(found) else math.nan


def _size(value: torch.Tensor) -> float:
    """The root mean square of what is finite."""
    wide = value.double()
    finite = wide[wide.isfinite()]
    return float(finite.square().mean().sqrt()) if finite.numel() else 0.0


def _typical(sizes: list[float]) -> float:
    return math.sqrt(sum(size * size for size in sizes) / len(sizes)) if sizes else 0.0
