"""Operators that one device does otherwise than another: sorts, scatters, scans, small types."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.live.programs import Program


def bags(index: Tensor, offsets: Tensor, table: Tensor) -> Tensor:
    return functional.embedding_bag(index, table, offsets, mode="mean") * 2


def scattered(x: Tensor, index: Tensor) -> Tensor:
    return torch.zeros(8, 16, device=x.device).scatter_add(0, index, x.exp())


def reduced(x: Tensor, index: Tensor) -> Tensor:
    return torch.zeros(8, 16, device=x.device).scatter_reduce(0, index, x, "amax")


def put(x: Tensor, index: Tensor) -> Tensor:
    return x.relu().index_put((index[:, 0],), x.sin(), accumulate=True)


def added_at(x: Tensor, index: Tensor) -> Tensor:
    return torch.index_add(x.cos(), 0, index[:, 0], x)


def sorted_rows(x: Tensor) -> Any:
    values, order = torch.sort(x * 2, -1)
    return values + 1, order


def top(x: Tensor) -> Any:
    values, order = torch.topk(x.sigmoid(), 4)
    return values / values.sum(-1, keepdim=True), order


def experts(x: Tensor, gate: Tensor, weights: Tensor) -> Tensor:
    scores, chosen = torch.topk((x @ gate).softmax(-1), 2)
    return (scores[..., None] * torch.einsum("td,tkdf->tkf", x, weights[chosen])).sum(1)


def scans(x: Tensor) -> Any:
    return x.cumsum(-1) * 2, x.sigmoid().cumprod(-1), x.cummax(-1).values, x.logcumsumexp(0)


def buckets(x: Tensor, edges: Tensor) -> Any:
    return torch.bucketize(x * 2, edges), torch.searchsorted(edges, x)


def counted(x: Tensor) -> Any:
    return torch.histc(x, 10), torch.unique(x.round()), (x > 0).nonzero()


def quantized(x: Tensor, weight: Tensor, scale: Tensor) -> Tensor:
    return functional.linear(x, weight.to(x.dtype) * scale).relu()


def integers(x: Tensor, weight: Tensor) -> Tensor:
    return torch.ops.aten._int_mm(x, weight).float() * 0.01


def rounded(x: Tensor) -> Tensor:
    levels = torch.clamp(torch.round(x / 0.1), -128, 127).to(torch.int8)
    return (levels.to(torch.float32) * 0.1).mean(-1)


def random(x: Tensor) -> Tensor:
    return torch.rand_like(x) + torch.randn(x.shape, device=x.device) * functional.dropout(x, 0.5)


def indices(x: Tensor) -> Any:
    return x.argmax(-1), x.median(-1).values, torch.where(x > 0, x.abs().sqrt(), x.erf())


def spectra(x: Tensor) -> Tensor:
    return torch.fft.rfft(x * 2).abs().log1p()


def norms(x: Tensor) -> Any:
    return x.norm(dim=-1), x.var(0), torch.linalg.vector_norm(x, 1), x.std()


def rolled(x: Tensor) -> Tensor:
    padded = functional.pad(x[None, None], (2, 2, 1, 1), mode="reflect")
    return padded.roll(1, -1) + padded.flip(-1)


def doubled(x: Tensor) -> Tensor:
    return (x.double() @ x.double().T).float().softmax(-1)


def small(x: Tensor, y: Tensor) -> Tensor:
    return functional.gelu(x @ y) * x.sum(-1, keepdim=True).sigmoid()


def sampled(x: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(x, grid, align_corners=False)


def looked_up(index: Tensor, table: Tensor) -> Tensor:
    return functional.cross_entropy(table[index] @ table.T, index)


def sparse(x: Tensor, weight: Tensor) -> Tensor:
    return (weight.to_sparse() @ x).relu()


def updated(x: Tensor, y: Tensor) -> Tensor:
    x.mul_(0.9).add_(y, alpha=0.1)
    return x.sum()


def gaps(x: Tensor, length: Tensor) -> Tensor:
    mask = torch.arange(x.shape[1], device=x.device)[None] < length[:, None]
    return (x * mask).sum(1) / mask.sum(1)


def _index(rows: int = 32) -> Tensor:
    return torch.randint(8, (rows, 16))


def _int8(*sizes: int) -> Tensor:
    return torch.randint(-9, 9, sizes, dtype=torch.int8)


def _of(fn: Any, *make: Any, **options: Any) -> Program:
    return lambda: (fn, tuple(m() for m in make), {"grad": False, **options})


def _normal(*sizes: int, dtype: torch.dtype = torch.float32) -> Any:
    return lambda: torch.randn(sizes).to(dtype)


def _leaf(*sizes: int) -> Any:
    return lambda: torch.randn(sizes, requires_grad=True)


_ROWS = _normal(32, 16)

PROGRAMS: dict[str, Program] = {
    "embedding_bag": _of(
        bags, lambda: torch.randint(9, (12,)), lambda: torch.tensor([0, 5, 8]), _normal(9, 16)
    ),
    "scatter_add": _of(scattered, _ROWS, _index),
    "scatter_half": _of(scattered, _normal(32, 16), _index, dynamic=True),
    "scatter_reduce": _of(reduced, _ROWS, _index),
    "index_put": _of(put, _ROWS, _index),
    "index_add": _of(added_at, _ROWS, _index),
    "sort": _of(sorted_rows, _ROWS),
    "topk": _of(top, _ROWS),
    "experts": _of(experts, _ROWS, _normal(16, 4), _normal(4, 16, 24)),
    "scans": _of(scans, _ROWS),
    "bucketize": _of(buckets, _ROWS, lambda: torch.linspace(-1, 1, 9)),
    "counted": _of(counted, _ROWS),
    "quantized_weight": _of(
        quantized, _normal(32, 64), lambda: _int8(48, 64), lambda: torch.rand(48, 1)
    ),
    "quantized_half": _of(
        quantized,
        _normal(32, 64, dtype=torch.bfloat16),
        lambda: _int8(48, 64),
        lambda: torch.rand(48, 1).bfloat16(),
    ),
    "quantized_products": _of(integers, lambda: _int8(32, 64), lambda: _int8(64, 32)),
    "quantized_rounding": _of(rounded, _ROWS),
    "random": _of(random, _ROWS),
    "indices": _of(indices, _ROWS),
    "spectra": _of(spectra, _ROWS),
    "norms": _of(norms, _ROWS),
    "rolled": _of(rolled, _ROWS),
    "double": _of(doubled, _ROWS),
    "half": _of(small, _normal(32, 64, dtype=torch.float16), _normal(64, 48, dtype=torch.float16)),
    "grid_sample": _of(sampled, _normal(1, 3, 8, 8), lambda: torch.rand(1, 5, 5, 2)),
    "cross_entropy_trained": _of(
        looked_up, lambda: torch.randint(33, (20,)), _leaf(33, 17), grad=True
    ),
    "sparse": _of(sparse, _normal(16, 4), _normal(8, 16)),
    "in_place": _of(updated, _ROWS, _ROWS),
    "lengths_dynamic": _of(gaps, _ROWS, lambda: torch.randint(1, 16, (32,)), dynamic=True),
    "embedding_trained": lambda: (
        nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 8), nn.LogSoftmax(-1)),
        (torch.randint(50, (4, 12)),),
        {"grad": True},
    ),
}
