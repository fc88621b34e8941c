"""What the passes put into a graph beside PyTorch's own operators, each with its plain meaning.

The gradients of a convolution stand apart and take sizes where PyTorch's operator takes a tensor
for its size alone: that tensor need not be kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

Tensor = torch.Tensor
aten = torch.ops.aten


def conv_input_grad(
    grad: Tensor,
    weight: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """The gradient of a convolution's input, which has that size."""
    seen = grad.new_empty(1).expand(size)
    options = (stride, padding, dilation, False, [0] * len(stride), groups)
    return aten.convolution_backward(grad, seen, weight, None, *options, [True, False, False])[0]


def conv_weight_grad(
    grad: Tensor,
    x: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """The gradient of a convolution's weight, which has that size."""
    weight = grad.new_empty(1).expand(size)
    options = (stride, padding, dilation, False, [0] * len(stride), groups)
    return aten.convolution_backward(grad, x, weight, None, *options, [False, True, False])[1]


def kept_channels(x: Tensor, dim: int, channels: Sequence[int]) -> Tensor:
    """A copy of those channels alone, so that the whole need not be kept."""
    return x.index_select(dim, torch.tensor(channels, device=x.device))


def pack_between(x: Tensor, low: float, high: float) -> Tensor:
    """Whether low < x < high, a bit an element: the first is the lowest of the first byte."""
    inside = ((x > low) & (x < high)).flatten().to(torch.uint8)
    padded = torch.nn.functional.pad(inside, (0, -inside.numel() % 8)).view(-1, 8)
    shifts = torch.arange(8, device=x.device, dtype=torch.uint8)
    return (padded << shifts).sum(1, dtype=torch.uint8)


def masked(grad: Tensor, bits: Tensor) -> Tensor:
    """The gradient where the bit of its element is set, else 0."""
    shifts = torch.arange(8, device=bits.device, dtype=torch.uint8)
    spread = (bits.unsqueeze(1) >> shifts) & 1
    kept = spread.flatten()[: grad.numel()].view(grad.shape)
    return torch.where(kept.bool(), grad, grad.new_zeros(()))


def sgd_(
    weight: Tensor,
    grad: Tensor,
    lr: float | Tensor,
    state: Tensor | None = None,
    *,
    momentum: float = 0.0,
    weight_decay: float = 0.0,
    dim: int = 0,
    channels: Sequence[int] | None = None,
) -> None:
    """The step of `torch.optim.SGD` in place, of all channels or of those along `dim` alone.

    `state` is the momentum buffer, zero before the first step: PyTorch's first is the gradient.
    """
    part = weight if channels is None else kept_channels(weight, dim, channels)
    if weight_decay:
        grad = grad.add(part, alpha=weight_decay)
    if state is not None:
        state.mul_(momentum).add_(grad)
        grad = state
    part = part.add(grad, alpha=-float(lr))
    if channels is None:
        weight.copy_(part)
    else:
        weight.index_copy_(dim, torch.tensor(channels, device=weight.device), part)


GRADIENTS_OF_WEIGHTS = (conv_weight_grad, aten.mm.default)
