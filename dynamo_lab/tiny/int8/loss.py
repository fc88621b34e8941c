"""The cross entropy of int16 scores and its gradient, in integers: no `exp` and no `log` is called.

A score is in 1/256. The exponential of a difference is a product of two numbers from tables (whole
and fraction); the logarithm is found bit by bit, by squaring.
"""

from __future__ import annotations

import math
from functools import cache

import torch

from dynamo_lab.tiny.int8.operators import scaled8

SCORE = 1 / 256
WHOLE, FRACTION = 16, 256
ONE = 15  # bits of a fixed-point 1
LOG_UNIT = math.log(2) / 2**16


@cache
def tables() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """exp(-k) for whole k, and exp(-k / 256), as integers of which 2^15 is 1."""
    whole = tuple(round(math.exp(-k) * 2**ONE) for k in range(WHOLE))
    return whole, tuple(round(math.exp(-k * SCORE) * 2**ONE) for k in range(FRACTION))


def cross_entropy8(
    scores: torch.Tensor, target: torch.Tensor, ignored: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The mean loss of rows whose target is not `ignored`, its gradient in int8, and the scale."""
    whole, fraction = (torch.tensor(table, device=scores.device) for table in tables())
    wide = scores.int()
    most = wide.amax(1, keepdim=True)
    apart = most - wide
    near = apart.clamp(max=WHOLE * FRACTION - 1)
    shares = (whole[near >> 8] * fraction[near & 255]) >> ONE
    shares = torch.where(apart < WHOLE * FRACTION, shares, 0)
    sums = shares.sum(1, keepdim=True)
    seen = (target != ignored).view(-1, 1)
    wanted = torch.where(seen, target.view(-1, 1), 0)
    is_wanted = torch.arange(scores.shape[1], device=scores.device).view(1, -1) == wanted
    grads = shares.float() / sums.float() - is_wanted.float()
    count = seen.sum().clamp(min=1).float()
    grad, scale = scaled8(torch.where(seen, grads, 0.0), torch.ones_like(count) / count)
    rows = apart.gather(1, wanted).float() * SCORE + _log2(sums).float() * single(LOG_UNIT)
    total = torch.zeros((), device=scores.device)
    for row in torch.where(seen, rows, 0.0).flatten().unbind():
        total = total + row  # one after the other, as in C
    return total / count, grad, scale


def single(value: float) -> float:
    """The number nearest to it that a float32 can be."""
    return torch.tensor(value, dtype=torch.float32).item()


def _log2(sums: torch.Tensor) -> torch.Tensor:
    """The logarithm to base 2 of sums of which 2^15 is 1, in 1/65536."""
    exponent = torch.zeros_like(sums)
    for bit in (16, 8, 4, 2, 1):
        exponent = exponent + torch.where(sums >> (exponent + bit) > 0, bit, 0)
    square = sums << (30 - exponent)
    found = exponent - ONE
    for _ in range(16):
        square = (square * square) >> 30
        is_two = (square >= 1 << 31).to(square.dtype)
        square = square >> is_two
        found = found * 2 + is_two
    return found
