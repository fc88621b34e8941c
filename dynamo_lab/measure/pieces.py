"""Two large tensors compared piece by piece where they lie: memory for all of it is not needed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch

PIECE = {"cpu": 1 << 20}
"""The elements of a piece, by device."""

_LARGE_PIECE = 1 << 24
"""On a GPU, where starting an operator takes longer than its work on few elements."""


_TO_SCALE = 0.4
"""The share of the time to look at all elements first."""


class Found(Struct, kw_only=True):
    """The largest differences of two tensors from each other and from float64.

    `elements` counts what was compared. `is_within` is whether all of it is within the tolerance,
    `is_near` whether what is not lies about as far from float64 as eager's.
    """

    absolute: float = 0.0
    relative: float = 0.0
    ulp: float = 0.0
    error_ulp: float = 0.0
    eager_error_ulp: float = 0.0
    elements: int = 0
    is_same: bool = True
    is_within: bool = True
    is_near: bool = True


class Allowed(NamedTuple):
    """A difference up to `absolute + relative * |expected|` is taken for rounding.

    So is a distance from float64 of `times` eager's largest.
    """

    relative: float
    absolute: float
    times: float


class _Scale(NamedTuple):
    """What has to be known of all elements before one of them can be judged."""

    typical: float
    """The root mean square of what is finite."""
    eager_error: float
    pieces: int
    """How many were looked at."""


def differences(
    eager: torch.Tensor,
    other: torch.Tensor,
    exact: torch.Tensor | None,
    allowed: Allowed,
    has_time: Callable[[float], bool],
) -> Found:
    """How far two tensors are apart, in as many of their elements as there is time for.

    The first pieces lie far apart, so that those that are compared are spread over the tensor. At
    least one is compared. `has_time` says whether less than this share of the time has passed.
    """
    flat = [_flat(value) for value in (eager, other)]
    flat += [] if exact is None else [_flat(exact)]
    size = PIECE.get(flat[0].device.type, _LARGE_PIECE)
    starts = _spread(range(0, flat[0].numel(), size))
    scale = _scale(flat, starts, size, has_time)
    found = Found()
    for at, start in enumerate(starts[: scale.pieces]):
        if at and not has_time(1.0):
            break
        _add(found, [part[start : start + size] for part in flat], scale, allowed)
    return found


def _flat(value: torch.Tensor) -> torch.Tensor:
    """All numbers in a row, where float64 is known; a complex one is two."""
    import torch

    value = value.detach()
    value = value.cpu() if value.device.type == "mps" else value
    if value.layout is not torch.strided:
        value = value.to_dense()
    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    return value.reshape(-1)


def _spread(starts: Sequence[int]) -> list[int]:
    """The same in an order whose beginnings are spread over all: halves, then quarters."""
    bits = max(1, (len(starts) - 1).bit_length())
    order = sorted(range(len(starts)), key=lambda at: int(f"{at:0{bits}b}"[::-1], 2))
    return [starts[at] for at in order]


def _scale(
    flat: Sequence[torch.Tensor],
    starts: Sequence[int],
    size: int,
    has_time: Callable[[float], bool],
) -> _Scale:
    squares, finite, error = 0.0, 0, 0.0
    for at, start in enumerate(starts):
        if at and not has_time(_TO_SCALE):
            return _Scale(math.sqrt(squares / max(finite, 1)), error, at)
        eager, *_, last = (_wide(part[start : start + size]) for part in flat)
        kept = eager[eager.isfinite()]
        squares, finite = squares + float(kept.square().sum()), finite + kept.numel()
        if len(flat) > 2:
            apart = (eager - last).abs()
            error = max(error, _largest(apart[apart.isfinite()]))
    return _Scale(math.sqrt(squares / max(finite, 1)), error, len(starts))


def _add(found: Found, parts: Sequence[torch.Tensor], scale: _Scale, allowed: Allowed) -> None:
    """Count one piece."""
    import torch

    dtype = parts[0].dtype
    eager, other, *exact = map(_wide, parts)
    apart = _difference(eager, other, parts[0] == parts[1])
    size = torch.maximum(eager.abs(), torch.full_like(eager, scale.typical))
    unit = _last_place(size, dtype)
    found.elements += eager.numel()
    found.is_same &= not bool(apart.any())
    found.absolute = max(found.absolute, _largest(apart))
    found.relative = max(found.relative, _most(apart, torch.maximum(size, other.abs())))
    found.ulp = max(found.ulp, _most(apart, unit))
    expected = eager.abs().nan_to_num(nan=0.0, posinf=0.0)  # infinity would hide all other values
    bound = allowed.absolute + allowed.relative * expected
    within = apart <= bound
    found.is_within &= bool(within.all())
    if not exact:
        found.is_near = found.is_within
        return
    errors = [_difference(exact[0], value) for value in (other, eager)]
    found.error_ulp = max(found.error_ulp, _most(errors[0], unit))
    found.eager_error_ulp = max(found.eager_error_ulp, _most(errors[1], unit))
    near = errors[0] <= allowed.times * scale.eager_error + bound
    found.is_near &= bool((near | within).all())


def _most(apart: torch.Tensor, size: torch.Tensor) -> float:
    """The largest difference, in these units."""
    import torch

    shares = (apart / size.clamp_min(1e-300)).nan_to_num(nan=math.inf, posinf=math.inf)
    return _largest(torch.where(apart == 0, torch.zeros_like(apart), shares))


def _wide(value: torch.Tensor) -> torch.Tensor:
    import torch

    return value.to(torch.float64)


def _difference(a: torch.Tensor, b: torch.Tensor, alike: Any = None) -> torch.Tensor:
    """How far apart: equal infinities and two NaNs are not, NaN and a number are endlessly.

    `alike` is where they are equal before they were made wide: whole numbers may be too large.
    """
    import torch

    same = (a == b if alike is None else alike) | (a.isnan() & b.isnan())
    apart = (a - b).abs().nan_to_num(nan=math.inf, posinf=math.inf)
    apart = torch.where(apart == 0, torch.full_like(a, torch.finfo(a.dtype).tiny), apart)
    return torch.where(same, torch.zeros_like(a), apart)


def _last_place(size: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """What a unit in the last place is worth at each size.

    A size is the typical one at least: where a sum cancels, what is left is as exact as its parts
    were, not as itself.
    """
    import torch

    if not dtype.is_floating_point:
        return torch.ones_like(size)
    size = size.nan_to_num(nan=1.0, posinf=1.0)
    exponent = torch.floor(torch.log2(size.clamp_min(torch.finfo(dtype).tiny)))
    return torch.exp2(exponent) * torch.finfo(dtype).eps


def _largest(values: torch.Tensor) -> float:
    return float(values.max()) if values.numel() else 0.0
