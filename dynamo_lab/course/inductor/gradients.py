"""Formulas that lesson 17 takes apart operators with; given, as they teach nothing of compilers.

Each is called as the operator that it stands for, and returns what that returns.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor

_ROOT = 0.7978845608028654
"""The square root of 2 / pi."""


def gelu(x: Tensor, approximate: str = "none") -> Any:
    """GPT-2's GELU, by `tanh`; the exact one stays as it is."""
    if approximate == "none":
        return NotImplemented
    return 0.5 * x * (1 + torch.tanh(_ROOT * (x + 0.044715 * x * x * x)))


def gelu_backward(grad: Tensor, x: Tensor, approximate: str = "none") -> Any:
    """Its gradient."""
    if approximate == "none":
        return NotImplemented
    t = torch.tanh(_ROOT * (x + 0.044715 * x * x * x))
    slope = _ROOT * (1 + 3 * 0.044715 * x * x)
    return grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope)


def layer_norm_backward(
    grad: Tensor,
    x: Tensor,
    shape: list[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    wanted: list[bool],
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """The gradients of layer norm: of what was normalized, of the weight and of the bias."""
    dims, rows = list(range(-len(shape), 0)), list(range(x.dim() - len(shape)))
    normed = (x - mean) * rstd
    scaled = grad if weight is None else grad * weight
    along = (scaled * normed).sum(dims, keepdim=True) / prod(shape)
    of_x = (scaled - scaled.sum(dims, keepdim=True) / prod(shape) - normed * along) * rstd
    of_weight = None if weight is None else (grad * normed).sum(rows)
    return of_x, of_weight, None if bias is None else grad.sum(rows)
