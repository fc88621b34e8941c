"""Programs whose compiled results differ from eager's by rounding alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn import functional as F

if TYPE_CHECKING:
    from collections.abc import Callable


class Benign(NamedTuple):
    """A program that rounds otherwise when it is compiled."""

    program: Callable[..., Any]
    sizes: tuple[tuple[int, ...], ...]
    dtype: torch.dtype = torch.float32
    trains: bool = False
    scale: float = 1.0

    def arguments(self) -> list[torch.Tensor]:
        """Random arguments, the same each time."""
        torch.manual_seed(2)
        made = (torch.randn(size).mul(self.scale).to(self.dtype) for size in self.sizes)
        return [value.requires_grad_(self.trains) for value in made]


def long_sum(x: Any) -> Any:
    return x.sum(1)


def mean_and_spread(x: Any) -> Any:
    return x.mean(0), x.std(0), x.var()


def softmax(x: Any) -> Any:
    return torch.softmax(x * 4, -1)


def log_softmax(x: Any) -> Any:
    return F.log_softmax(x * 10, -1)


def layer_norm(x: Any) -> Any:
    return F.layer_norm(x + 100, (x.shape[-1],))


def rms_norm(x: Any) -> Any:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def multiply_add(x: Any, y: Any) -> Any:
    return (x * y + x * 0.3 - y * 1.7) * x + 0.1


def cancelling(x: Any, y: Any) -> Any:
    return (x.sum(1) - (x + y * 1e-3).sum(1)) * 1000


def chain(x: Any) -> Any:
    for _ in range(6):
        x = (x * 1.1).tanh() + x.sigmoid()
    return x


def gelu_chain(x: Any) -> Any:
    return F.gelu(F.silu(x) * x + x)


def products(x: Any, w: Any) -> Any:
    return F.gelu(x @ w).sum(0)


def variance(x: Any) -> Any:
    return (x + 1000).var(1)


def cumulative(x: Any) -> Any:
    return x.cumsum(1).exp().log()


def amplified(x: Any) -> Any:
    return (x.sum(1) - x.double().sum(1)) * 1e4


def mean_removed(x: Any) -> Any:
    return (x - x.mean(1, keepdim=True)) / x.var(1, keepdim=True)


def cosine(x: Any, y: Any) -> Any:
    return F.cosine_similarity(x, y, dim=1)


BENIGN = (
    Benign(long_sum, ((16, 20_000),)),
    Benign(mean_and_spread, ((300, 40),)),
    Benign(softmax, ((32, 500),)),
    Benign(log_softmax, ((32, 500),), trains=True),
    Benign(layer_norm, ((16, 256),), trains=True),
    Benign(rms_norm, ((16, 256),), trains=True),
    Benign(multiply_add, ((64, 64), (64, 64)), dtype=torch.bfloat16),
    Benign(cancelling, ((64, 640), (64, 640)), scale=100.0),
    Benign(chain, ((32, 64),), dtype=torch.bfloat16),
    Benign(chain, ((32, 64),), dtype=torch.float16),
    Benign(gelu_chain, ((32, 64),), dtype=torch.bfloat16, trains=True),
    Benign(softmax, ((16, 300),), dtype=torch.bfloat16, trains=True),
    Benign(layer_norm, ((16, 256),), dtype=torch.float16),
    Benign(rms_norm, ((16, 256),), dtype=torch.bfloat16),
    Benign(products, ((16, 64), (64, 32)), trains=True),
    Benign(variance, ((16, 400),)),
    Benign(cumulative, ((16, 60),)),
    Benign(amplified, ((16, 20_000),)),
    Benign(cosine, ((32, 100), (32, 100)), trains=True),
    Benign(mean_removed, ((16, 400),), dtype=torch.bfloat16),
)
