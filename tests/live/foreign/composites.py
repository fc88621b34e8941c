"""Programs of operators that PyTorch's C++ composes of others by the device it finds."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.live.programs import Program

_MASK = torch.ones(2, 1, 16, 16, dtype=torch.bool).tril()


def masked(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(q, k, v, mask)


def grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


def sampled(x: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(x.relu(), grid, align_corners=False) * 2


def sampled_aligned(x: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(x.relu(), grid, align_corners=True) * 2


def resized(x: Tensor) -> Tensor:
    big = functional.interpolate(x, scale_factor=2, mode="bicubic")
    return functional.interpolate(big, size=(5, 7), mode="area") + 1


def shuffled(x: Tensor) -> Tensor:
    return functional.channel_shuffle(functional.pixel_shuffle(x.relu(), 2), 2).tanh()


def distances(x: Tensor) -> Tensor:
    return torch.cdist(x, x.flip(0)).exp().neg().softmax(-1)


def smoothed(x: Tensor, index: Tensor) -> Tensor:
    return functional.cross_entropy(x * 2, index, label_smoothing=0.1)


def padded(x: Tensor) -> Tensor:
    return functional.pad(x.sin(), (1, 2, 2, 1), mode="reflect").cos()


def counted(x: Tensor) -> Any:
    edges = torch.linspace(-1, 1, 9, device=x.device)
    return torch.bucketize(x, edges), torch.logcumsumexp(x, 0)


def _attention(fn: Any, head: int, dtype: torch.dtype, *more: Tensor, heads: int = 4) -> Program:
    def build() -> Any:
        query = torch.randn(2, 4, 16, head).to(dtype)
        others = (torch.randn(2, heads, 16, head).to(dtype) for _ in range(2))
        return fn, (query, *others, *more), {"grad": False}

    return build


def _of(fn: Any, *sizes: int, trained: bool = False) -> Program:
    return lambda: (fn, (torch.randn(sizes, requires_grad=trained),), {"grad": trained})


def _module(make: Any, *sizes: int, trained: bool = False, last: bool = False) -> Program:
    def build() -> Any:
        layout = torch.channels_last if last else torch.contiguous_format
        model = make().train(trained).to(memory_format=layout)
        return model, (torch.randn(sizes).to(memory_format=layout),), {"grad": trained}

    return build


def _grouped() -> nn.Module:
    return nn.Sequential(nn.Conv2d(8, 16, 3), nn.GroupNorm(4, 16), nn.SiLU())


def _looked_at() -> tuple[Tensor, Tensor]:
    return torch.randn(2, 8, 16, 16), torch.rand(2, 5, 6, 2) * 2 - 1


PROGRAMS: dict[str, Program] = {
    "mask_plain": _attention(masked, 6, torch.float32, _MASK),
    "mask_efficient": _attention(masked, 16, torch.float32, _MASK),
    "mask_half": _attention(masked, 16, torch.float16, _MASK),
    "mask_half_plain": _attention(masked, 6, torch.float16, _MASK),
    "heads_grouped": _attention(grouped, 16, torch.float32, heads=2),
    "heads_grouped_half": _attention(grouped, 16, torch.float16, heads=2),
    "group_norm_last_trained": _module(_grouped, 2, 8, 16, 16, trained=True, last=True),
    "grid_sampled": lambda: (sampled, _looked_at(), {"grad": False}),
    "grid_sampled_aligned": lambda: (sampled_aligned, _looked_at(), {"grad": False}),
    "resized": _of(resized, 2, 3, 8, 8),
    "shuffled": _of(shuffled, 2, 8, 8, 8),
    "distances": _of(distances, 16, 8),
    "distances_trained": _of(distances, 16, 8, trained=True),
    "smoothed": lambda: (
        smoothed,
        (torch.randn(16, 10, requires_grad=True), torch.randint(10, (16,))),
        {"grad": True},
    ),
    "padded_by_reflection": _of(padded, 2, 3, 8, 8, trained=True),
    "counted": _of(counted, 32, 16),
    "weight_norm": _module(
        lambda: nn.utils.parametrizations.weight_norm(nn.Linear(16, 32)), 4, 16, trained=True
    ),
    "bilinear": lambda: (
        nn.Bilinear(8, 6, 4),
        (torch.randn(5, 8), torch.randn(5, 6)),
        {"grad": False},
    ),
    "prelu": _module(lambda: nn.Sequential(nn.Linear(8, 8), nn.PReLU()), 4, 8, trained=True),
    "pool_three": _module(lambda: nn.AvgPool3d(2), 1, 4, 8, 8, 8),
}
