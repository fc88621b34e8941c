"""Random graphs of views, pointwise operators, reductions, moves and writes, for every target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx

from dynamo_lab.compiler.decompositions import decompositions
from dynamo_lab.compiler.program import Program

if TYPE_CHECKING:
    from dynamo_lab.compiler.targets.target import Target

SIZES = (0, 1, 2, 3, 5, 7, 13, 17, 64)
Step = Callable[[torch.Tensor], torch.Tensor]


@st.composite
def graphs(draw: Any) -> tuple[list[torch.Tensor], Callable[..., Any]]:
    """Inputs, and a function of them that is a random walk through operators."""
    inputs = [draw(tensors()) for _ in range(draw(st.integers(1, 3)))]
    plan = draw(
        st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 99)), min_size=1, max_size=9)
    )
    picks = draw(st.lists(st.integers(0, 99), min_size=2 * len(plan), max_size=2 * len(plan)))

    def walk(*given: torch.Tensor) -> list[torch.Tensor]:
        pool = list(given)
        for at, (step, choice) in enumerate(plan):
            x = pool[picks[2 * at] % len(pool)]
            other = pool[picks[2 * at + 1] % len(pool)]
            made = step(x, other, choice)
            if made is not None:
                pool.append(made)
        return [*pool[len(given) :][-2:], pool[picks[0] % len(pool)] * 1]

    return inputs, walk


@st.composite
def tensors(draw: Any) -> torch.Tensor:
    size = draw(st.lists(st.sampled_from(SIZES), min_size=0, max_size=3))
    dtype = draw(st.sampled_from((torch.float32, torch.float32, torch.int64, torch.bool)))
    torch.manual_seed(draw(st.integers(0, 5)))
    made = torch.randint(-4, 5, size).to(dtype) if dtype != torch.float32 else torch.randn(size)
    if draw(st.booleans()) and made.dim() > 1:
        made = made.transpose(0, 1).contiguous().transpose(0, 1)
    return made


def pointwise(x: torch.Tensor, other: torch.Tensor, choice: int) -> torch.Tensor:
    f = x if x.is_floating_point() else x.float()
    return (
        lambda: f.sin() + 1,
        lambda: f.abs().sqrt(),
        lambda: torch.relu(f) * 0.5,
        lambda: f.clamp(-1, 1.5),
        lambda: torch.where(f > 0, f, -f.exp().clamp(max=3)),
        lambda: x.to(torch.int64) // 3 if x.dtype == torch.int64 else x,
        lambda: x.to(torch.int32) % 5,
        lambda: x.to(torch.uint8) + 250 if x.dtype == torch.bool else f.round(),
        lambda: (f * 7).to(torch.bfloat16),
        lambda: x == x,
        lambda: ~x if x.dtype == torch.bool else x.sign(),
    )[choice % 11]()


def both(x: torch.Tensor, other: torch.Tensor, choice: int) -> torch.Tensor | None:
    try:
        torch.broadcast_shapes(x.shape, other.shape)
    except RuntimeError:
        return None
    return (
        lambda: x * other,
        lambda: torch.maximum(x, other),
        lambda: x < other,
        lambda: torch.logical_or(x, other),
        lambda: x.float() - other.float() * 2,
    )[choice % 5]()


def view(x: torch.Tensor, other: torch.Tensor, choice: int) -> torch.Tensor | None:
    if x.dim() == 0:
        return x.unsqueeze(0).expand(3)
    dim = choice % x.dim()
    n = x.shape[dim]
    return (
        lambda: x.transpose(0, -1),
        lambda: x.flip(dim),
        lambda: x.narrow(dim, min(1, n), max(n - 1, 0)),
        lambda: x.slice_scatter(x.narrow(dim, 0, n // 2), dim, n - n // 2) if n else x,
        lambda: x[(slice(None),) * dim + (slice(None, None, 2),)],
        lambda: x.unsqueeze(dim).expand(*x.shape[:dim], 2, *x.shape[dim:]),
        lambda: x.reshape(-1),
        lambda: x.select(dim, n - 1) if n else None,
        lambda: x.reshape(-1, 1).squeeze(1) if x.numel() else None,
    )[choice % 9]()


def reduction(x: torch.Tensor, other: torch.Tensor, choice: int) -> torch.Tensor | None:
    f = x.float()
    if x.dim() == 0 or x.numel() == 0:
        return f.sum()
    dim = choice % x.dim()
    return (
        lambda: f.sum(dim),
        lambda: f.mean(dim, keepdim=True),
        lambda: x.amax(dim) if x.dtype != torch.bool else x.any(dim),
        lambda: f.argmax(dim),
        lambda: torch.softmax(f, dim),
        lambda: f - f.sum(dim, keepdim=True),
        lambda: f.var(dim, correction=0),
        lambda: x.sum(),
        lambda: (x != 0).all(dim),
        lambda: f.min(dim).values,
    )[choice % 10]()


def move(x: torch.Tensor, other: torch.Tensor, choice: int) -> torch.Tensor | None:
    if x.dim() == 0:
        return None
    dim, n = choice % x.dim(), x.shape[choice % x.dim()]
    return (
        lambda: torch.cat([x, x.flip(dim)], dim),
        lambda: torch.nn.functional.pad(x.float(), (1, 2), value=0.5),
        lambda: x.index_select(dim, torch.tensor([n - 1, 0, 0])) if n else None,
        lambda: x[torch.tensor([0, -1])] if x.shape[0] else None,
        lambda: torch.stack([x, x], dim),
        lambda: x.clone(),
        lambda: x.gather(dim, torch.zeros_like(x, dtype=torch.int64)) if n else None,
    )[choice % 7]()


def write(x: torch.Tensor, other: torch.Tensor, choice: int) -> None:
    """In place, into an input, a view of one, or what was computed; not where elements are one."""
    if any(n > 1 and stride == 0 for n, stride in zip(x.shape, x.stride(), strict=True)):
        return
    if x.dim() and x.numel() and choice % 7 > 3:
        dim = choice % x.dim()
        if choice % 7 == 4:
            x.select(dim, 0).fill_(1)
        elif choice % 7 == 5:
            x.index_fill_(dim, torch.tensor([0, x.shape[dim] - 1]), 0)
        elif x.dtype != torch.bool:
            x.index_add_(dim, torch.tensor([0, 0]), x.narrow(dim, 0, 1).repeat_interleave(2, dim))
    elif choice % 3 == 0:
        x.copy_(x.clone().flip(0) if x.dim() else x.clone())
    elif x.dtype != torch.bool:
        x.mul_(2) if choice % 3 == 1 else x.add_(x.abs().clamp(max=3))


STEPS = (pointwise, pointwise, both, view, view, reduction, move, write)


def agree(inputs: list[torch.Tensor], walk: Callable[..., Any], target: Target) -> None:
    """Results and inputs are afterwards what eager makes of them."""
    traced = make_fx(functionalize(walk, remove="mutations"), decompositions(), tracing_mode="fake")
    program = Program(traced(*(x.clone() for x in inputs)), target=target)
    given_eager, mine = ([x.clone() for x in inputs] for _ in range(2))
    wanted = walk(*given_eager)
    got = program(list(mine))
    for a, b in zip([*wanted, *given_eager], [*got, *mine], strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        loose = 3e-2 if a.dtype == torch.bfloat16 else 1e-4
        torch.testing.assert_close(b, a, rtol=loose, atol=loose, equal_nan=True)


QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def try_graphs(count: int, target: Callable[[], Target]) -> None:
    """So many graphs, the same ones each time.

    Raises:
        AssertionError: one differs from eager; the smallest such is told.
    """

    @settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=QUIET)
    @given(graphs())
    def each(graph: tuple[Any, Any]) -> None:
        agree(*graph, target())

    each()
