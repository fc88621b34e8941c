# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownVariableType=false
# torch annotates its functions only in part, and a lambda has no annotations.
"""The kernels that our compiler's speed is measured on, each a function and what it is called with.

Pointwise chains, reductions both ways, normalisations, moves, indices, sums into places that
indices say, and a step of Adam.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.nn import functional as F

from dynamo_lab.measure.cases import all_cases

Program = tuple[Callable[..., Any], tuple[Any, ...]]

OF_CASES = ("adam", "cross entropy", "rms norm", "softmax")
"""What `kernels/` has as well, in other sizes."""


def kernels() -> dict[str, Program]:
    """All for the CPU: the cases of `kernels/` in their usual sizes, and the others."""
    found = {case.name.replace("_", " "): (case.eager, case.make()) for case in all_cases()}
    others = {name: made for name, made in programs().items() if name not in OF_CASES}
    return found | others


def programs(times: int = 1) -> dict[str, Program]:
    """Those that take tensors alone.

    Args:
        times: how many times as many rows, images and indices as keep a CPU busy.
    """
    torch.manual_seed(0)
    rows = 512 * times
    x, y = torch.randn(rows, 1024), torch.randn(rows, 1024)
    w, b, long = torch.randn(1024), torch.randn(1024), torch.randn(4, times << 18)
    image, ids = torch.randn(8 * times, 32, 56, 56), torch.randint(0, rows, (300 * times,))
    places = torch.randint(0, 1024, (rows, 1024))
    whole = torch.randint(-127, 128, (rows, 1024), dtype=torch.int8)
    return {
        "pointwise chain": (chain, (x, y)),
        "bfloat16 chain": (chain, (x.bfloat16(), y.bfloat16())),
        "int8 to float": (lambda q, w: (q.float() * w).relu(), (whole, w)),
        "layer norm + gelu": (lambda x, w, b: F.gelu(F.layer_norm(x, (1024,), w, b)), (x, w, b)),
        "rms norm": (
            lambda x, w: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * w,
            (x, w),
        ),
        "batch norm": (lambda x: F.batch_norm(x, None, None, training=True).relu(), (image,)),
        "group norm": (lambda x: F.group_norm(x, 8), (image,)),
        "softmax": (lambda x: torch.softmax(x, -1), (x,)),
        "log softmax of columns": (lambda x: torch.log_softmax(x, 0), (x,)),
        "row sums": (lambda x: x.sum(-1), (x,)),
        "column sums": (lambda x: x.sum(0), (x,)),
        "sum of squares": (lambda x: (x * x).sum(), (x,)),
        "few long rows": (lambda x: x.exp().sum(-1), (long,)),
        "argmax": (lambda x: x.argmax(-1), (x,)),
        "cat and pad": (lambda x, y: F.pad(torch.cat([x, y.exp()], 1)[:, 3:], (2, 1)), (x, y)),
        "cat + gelu": (lambda x, y: F.gelu(torch.cat([x, y], 1), approximate="tanh"), (x, y)),
        "transpose": (lambda x: x.t().contiguous() + 1, (x,)),
        "permute of images": (lambda x: x.permute(0, 2, 3, 1).contiguous() * 2, (image,)),
        "gather of rows": (lambda x, i: x[i] * 2, (x, ids)),
        "gather of elements": (lambda x, i: x.gather(1, i) + 1, (x, places)),
        "scatter": (lambda x, i, y: (x * 2).scatter_add(1, i, y), (x, places, y)),
        "embedding backward": (partial(gradient_of_embedding, rows), (x[: len(ids)], ids)),
        "scan": (lambda x: (x * 2).cumsum(-1) + 1, (x,)),
        "small loop nests": (small_nests, (x[:, :64], y[:, :64], w[:64])),
        "adam": (adam, tuple(torch.rand(rows, 1024) for _ in range(4))),
        "cross entropy": (F.cross_entropy, (x, torch.randint(0, 1024, (rows,)))),
    }


def chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Transcendental functions and comparisons, memory read once."""
    return torch.sigmoid(x) * torch.tanh(y) + torch.exp(-x * x) * 0.5 + (x - y).abs().clamp(max=3.0)


def adam(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """A step that writes three of its inputs."""
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    return p.addcdiv_(m, v.sqrt().add_(1e-8), value=-1e-3)


def gradient_of_embedding(rows: int, gradient: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """What the backward of an embedding of so many rows does."""
    return torch.ops.aten.embedding_dense_backward(gradient, ids, rows, -1, False)


def small_nests(x: torch.Tensor, y: torch.Tensor, w: torch.Tensor) -> list[torch.Tensor]:
    """Many loops of little work over different sizes, which no kernel can share."""
    parts = [(x[:, k : k + 8] * w[k : k + 8]).sum(k // 32) for k in range(0, 64, 8)]
    return [*parts, (x * y).mean(1), x.amax(0), (y + w).t().contiguous()]
