"""The operators of an int8 step: the same bits in PyTorch and in C.

Sums are of integers, so their order is no matter; they are computed in float64, which is exact
below 2^53. A sum becomes eight bits by one multiplication in float32, rounded to even, which IEEE
754 defines to the bit. An activation is `scale * (q - zero)` with a scale and a zero of its own, a
weight `scale[o] * q` with a scale for each output channel, a gradient `scale * q` with one that is
found in each step: q = 127 is the largest gradient of that tensor.

The form of the forward is that of section 2.1 of Lin et al., "On-Device Training Under 256KB
Memory", NeurIPS 2022.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from dynamo_lab.tiny.operators import conv_input_grad, conv_weight_grad, kept_channels

if TYPE_CHECKING:
    from collections.abc import Sequence

Tensor = torch.Tensor
aten = torch.ops.aten

MOST = 127
BIAS_MOST = 2**30


def conv8(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    factor: Tensor,
    x_zero: int,
    zero: int,
    low: int,
    high: int,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    *,
    wide: bool = False,
) -> Tensor:
    """A convolution of int8, its sums times a factor of their channel: int8, or int16 if wide.

    Clamping to `low` and `high` is what saturates, and what a ReLU does.
    """
    options = (stride, padding, dilation, False, [0] * len(stride), groups)
    sums = aten.convolution(x.double() - x_zero, weight.double(), None, *options)
    if bias is not None:
        sums = sums + _by_channel(bias.double())
    scaled = sums.to(torch.int32).float() * _by_channel(factor)
    return _rounded(scaled, zero, low, high, torch.int16 if wide else torch.int8)


def conv8_pair(x: Tensor, first: Sequence[object], second: Sequence[object]) -> Tensor:
    """Two convolutions, of which the second needs one channel of the first at a time."""
    return conv8(conv8(x, *first), *second)  # type: ignore[arg-type]


def conv8_rows(x: Tensor, *layers: Sequence[object]) -> Tensor:
    """Convolutions one after the other, each of which needs a few rows of the one before it."""
    for layer in layers:
        x = conv8(x, *layer)  # type: ignore[arg-type]
    return x


def add8(
    one: Tensor,
    other: Tensor,
    one_zero: int,
    other_zero: int,
    one_factor: float,
    other_factor: float,
    zero: int,
    low: int,
    high: int,
) -> Tensor:
    """The sum of two activations of one shape."""
    left = (one.int() - one_zero).float() * one_factor
    right = (other.int() - other_zero).float() * other_factor
    return _rounded(left + right, zero, low, high)


def mean8(x: Tensor, x_zero: int, factor: float, zero: int, low: int, high: int) -> Tensor:
    """The mean of each channel: (n, c, h, w) to (n, c, 1, 1); the factor has the count."""
    sums = (x.double() - x_zero).sum((2, 3), keepdim=True)
    return _rounded(sums.to(torch.int32).float() * factor, zero, low, high)


def conv8_input_grad(
    grad: Tensor,
    scale: Tensor,
    weight: Tensor,
    multipliers: Tensor,
    shift: int,
    unit: float,
    size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> tuple[Tensor, Tensor]:
    """The gradient of a convolution's input, int8, and its scale.

    Weights of each output channel have another scale: the gradient is multiplied by it first, as
    an integer (`multipliers`, then `shift` bits less), and has more than eight bits in the sum.
    """
    half = 1 << (shift - 1)
    given = (grad.int() * _by_channel(multipliers) + half) >> shift
    sums = conv_input_grad(given.double(), weight.double(), size, stride, padding, dilation, groups)
    return scaled8(sums.to(torch.int32).float(), scale * unit)


def add8_grads(
    one: Tensor,
    one_scale: Tensor,
    one_factor: float,
    other: Tensor,
    other_scale: Tensor,
    other_factor: float,
) -> tuple[Tensor, Tensor]:
    """The sum of two gradients, with the scale that it needs."""
    sums = one.float() * (one_scale * one_factor) + other.float() * (other_scale * other_factor)
    return scaled8(sums, torch.ones((), device=sums.device))


def scaled8(values: Tensor, unit: Tensor) -> tuple[Tensor, Tensor]:
    """Values that are in a unit as int8, the largest as 127, and the scale that this is."""
    most = values.abs().amax()
    full = torch.full_like(most, MOST)  # a number divided by a tensor would be rounded twice
    factor = torch.where(most > 0, full / most, torch.zeros_like(most))
    return _rounded(values * factor, 0, -MOST, MOST), unit * (most / full)


def masked_between8(grad: Tensor, x: Tensor, low: int, high: int) -> Tensor:
    """The gradient where low < x < high, else 0."""
    return torch.where((x > low) & (x < high), grad, grad.new_zeros(()))


def conv8_sgd_(
    weight: Tensor,
    grad: Tensor,
    scale: Tensor,
    x: Tensor,
    factor: Tensor,
    x_zero: int,
    salt: int,
    seed: int,
    lr: float | Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    dim: int = 0,
    channels: Sequence[int] | None = None,
) -> None:
    """The step of a convolution's weight in place: its gradient is never stored.

    `factor` is, by output channel, what a sum is in units of the weight (`scales.update_factor`),
    `salt` a number of this weight's own and `seed` one of the step's: they draw the rounding.
    Along `dim`, `channels` alone are updated.
    """
    part = weight if channels is None else kept_channels(weight, dim, channels)
    sums = conv_weight_grad(
        grad.double(), x.double() - x_zero, part.shape, stride, padding, dilation, groups
    )
    numbers = torch.arange(weight.numel(), device=weight.device).view(weight.shape)
    if channels is not None:
        numbers = kept_channels(numbers, dim, channels)
    steps = sums.to(torch.int32).float() * factor.view(-1, 1, 1, 1)
    part = _stepped(part, steps * _rate(lr, scale), numbers, salt, seed, MOST).to(torch.int8)
    if channels is None:
        weight.copy_(part)
    else:
        weight.index_copy_(dim, torch.tensor(channels, device=weight.device), part)


def bias8_sgd_(
    bias: Tensor,
    grad: Tensor,
    scale: Tensor,
    factor: Tensor,
    salt: int,
    seed: int,
    lr: float | Tensor,
) -> None:
    """The step of a bias in place: of int32, in units of the sums it is added to."""
    sums = grad.double().sum((0, 2, 3)).to(torch.int32).float()
    numbers = torch.arange(bias.numel(), device=bias.device)
    steps = sums * factor * _rate(lr, scale)
    bias.copy_(_stepped(bias, steps, numbers, salt, seed, BIAS_MOST).to(torch.int32))


def _rate(lr: float | Tensor, scale: Tensor) -> Tensor:
    return torch.as_tensor(lr, dtype=torch.float32) * scale


def _stepped(
    old: Tensor, steps: Tensor, numbers: Tensor, salt: int, seed: int, most: int
) -> Tensor:
    """The old values minus steps, rounded up or down by chance so that they are right on average.

    Most steps are less than one unit: rounded to the nearest they would be none.
    """
    bounded = steps.clamp(-float(2**24), float(2**24))
    rounded = torch.floor(bounded + drawn(numbers, salt, seed)).long()
    return (old.long() - rounded).clamp(-most, most)


def drawn(numbers: Tensor, salt: int, seed: int) -> Tensor:
    """A float32 of 0 to 1 for each number: MurmurHash3's finalizer (Appleby, 2011)."""
    mask = 0xFFFFFFFF
    state = (numbers * 0x9E3779B1 + ((salt * 0x85EBCA77 + seed * 0xC2B2AE3D) & mask)) & mask
    state = state ^ (state >> 16)
    state = (state * 0x85EBCA6B) & mask
    state = state ^ (state >> 13)
    state = (state * 0xC2B2AE35) & mask
    state = state ^ (state >> 16)
    return (state >> 8).float() * 2.0**-24


def _by_channel(values: Tensor) -> Tensor:
    return values.view(1, -1, 1, 1)


def _rounded(
    values: Tensor, zero: int, low: int, high: int, dtype: torch.dtype = torch.int8
) -> Tensor:
    """Rounded to even, as `rintf` does."""
    return (values.round() + zero).clamp(low, high).to(dtype)
