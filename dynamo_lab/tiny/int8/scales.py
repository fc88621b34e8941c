"""How values lie in eight bits: the scale and the zero of activations, the scales of weights."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import torch

from dynamo_lab.errors import TinyError
from dynamo_lab.tiny.int8.operators import BIAS_MOST, MOST

LOW, HIGH = -128, 127
MOST_TERMS = 2**30 // (MOST * 255)
"""Of a sum of products, so that with a bias it stays below 2^31."""
_BITS = 14  # of a multiplier


@dataclass(frozen=True)
class Scale:
    """An activation's value is `scale * (q - zero)`; q = zero is exactly 0."""

    scale: float
    zero: int

    def of(self, value: float) -> int:
        """The integer nearest to a value."""
        return max(LOW, min(HIGH, round(value / self.scale) + self.zero))


def scale_of(low: float, high: float) -> Scale:
    """The scale of a range, widened to have 0 in it."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = max(high - low, 1e-6) / (HIGH - LOW)
    return Scale(scale, max(LOW, min(HIGH, round(LOW - low / scale))))


def weight_scales(weight: torch.Tensor, headroom: float) -> torch.Tensor:
    """By output channel; of a weight that is trained, with room to grow."""
    largest = weight.detach().flatten(1).abs().amax(1)
    least = largest.amax().clamp(min=1e-6) / 64
    return torch.maximum(largest, least) * headroom / MOST


def quantized_weight(weight: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """The weight in int8."""
    shape = (-1, *([1] * (weight.dim() - 1)))
    return (weight.detach() / scales.view(shape)).round().clamp(-MOST, MOST).to(torch.int8)


def quantized_bias(bias: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """The bias in int32, in units of the sums of products that it is added to."""
    return (bias.detach().double() / scales).round().clamp(-BIAS_MOST, BIAS_MOST).to(torch.int32)


def update_factor(scales: torch.Tensor, of_sum: float, *, scaling: bool) -> torch.Tensor:
    """By output channel: what to multiply a sum of a gradient's products by, for a step of q.

    A parameter is `s * q`. By the chain rule the gradient of q is `s` times that of the parameter,
    so that plain SGD on q takes steps that are s^2 times too small, another factor for each
    channel. Quantization-aware scaling divides by s^2: s is a weight's scale, of a bias the
    product of the weight's and the input's (Lin et al., NeurIPS 2022, section 2.1,
    *quantization-aware scaling*; the authors' `algorithm/core/optimizer/sgd_scale.py`).

    Args:
        scales: s, by output channel.
        of_sum: What one of the sum is of the parameter's gradient, but for the gradient's scale.
        scaling: Whether to divide.
    """
    of_q = scales.double() * of_sum
    return (of_q / scales.double() ** 2 if scaling else of_q).float()


def multipliers(scales: torch.Tensor, terms: int) -> tuple[torch.Tensor, int, float]:
    """Scales of weights as integers: (by channel, bits to shift away, what one then is).

    As many bits are left as a sum of so many products has room for.
    """
    extra = min(7, (2**31 // (terms * MOST * MOST)).bit_length() - 1)
    if extra < 0:
        raise TinyError(f"A gradient in int8 would be a sum of {terms:,} products: too many.")
    largest = scales.amax()
    found = (scales / largest * 2**_BITS).round().to(torch.int32)
    return found, _BITS - extra, largest.item() / 2**extra


def checked_terms(name: str, *sizes: int) -> int:
    """The number of products in a sum.

    Raises:
        TinyError: they could overflow 32 bits.
    """
    terms = prod(sizes)
    if terms > MOST_TERMS:
        raise TinyError(
            f"{name} in int8 would sum {terms:,} products, and 32 bits are sure to hold "
            f"{MOST_TERMS:,}: take a smaller sample, or train in float32."
        )
    return terms
