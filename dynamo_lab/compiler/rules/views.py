"""Rules of views: nothing is computed, only the index changes.

A view reads its tensor at another position, so that no loop is made for it.
"""

from __future__ import annotations

import operator
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.layout import Position, flatten, unflatten
from dynamo_lab.compiler.rules.table import Call, Meta, Rule, expanded, rule
from dynamo_lab.compiler.work import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.compiler.index import Index, Size
    from dynamo_lab.compiler.tensors import LazyTensor

aten = torch.ops.aten

VIEWS: set[Any] = {operator.getitem}
"""The operators whose result is never stored for its own sake."""


def view(*targets: Any) -> Callable[[Rule], Rule]:
    """Enter a rule for these overloads, which only change the index."""
    VIEWS.update(targets)
    return rule(*targets)


def view_of(call: Call, x: LazyTensor, reindex: Callable[[Position], Sequence[Size]]) -> LazyTensor:
    """The tensor read at the position that `reindex` gives for a position."""
    return call.tensor(lambda at: x(reindex(at)), [x], cost=0, owns=False)


@view(
    aten.view.default,
    aten._unsafe_view.default,
    aten.reshape.default,
    aten.squeeze.default,
    aten.squeeze.dim,
    aten.squeeze.dims,
    aten.unsqueeze.default,
)
def _view(call: Call, x: LazyTensor, *_: Any) -> LazyTensor:
    size = call.meta.size
    return view_of(call, x, lambda at: unflatten(flatten(at, size), x.size))


@view(aten.alias.default, aten.detach.default)
def _alias(call: Call, x: LazyTensor) -> LazyTensor:
    return view_of(call, x, lambda at: at)


@view(aten.permute.default)
def _permute(call: Call, x: LazyTensor, dims: Sequence[int]) -> LazyTensor:
    found = [d % len(dims) for d in dims]
    places = [found.index(d) for d in range(len(found))]
    return view_of(call, x, lambda at: [at[place] for place in places])


@view(aten.expand.default)
def _expand(call: Call, x: LazyTensor, *_: Any, **__: Any) -> LazyTensor:
    return call.tensor(expanded(x, call.meta.size), [x], cost=0, owns=False)


@view(aten.slice.Tensor)
def _slice(
    call: Call, x: LazyTensor, dim: int = 0, start: Any = None, _: Any = None, step: int = 1
) -> LazyTensor:
    dim %= len(x.size)
    first = first_of(start, x.size[dim])
    return view_of(
        call, x, lambda at: [i * step + first if d == dim else i for d, i in enumerate(at)]
    )


def first_of(start: Size | None, size: Size) -> Size:
    """Where a slice begins: from the end if it is negative, and within the tensor."""
    if start is None:
        return 0
    if isinstance(start, int) and isinstance(size, int):
        return max(start + size, 0) if start < 0 else min(start, size)
    if isinstance(start, int):
        if start >= 0 and ix.never_negative(ix.of(size) - start):
            return start
        if start < 0 and ix.never_negative(ix.of(size) + start):
            return ix.of(size) + start
    raise Unsupported("a slice whose start depends on the run")


@view(aten.split_with_sizes.default)
def _split(call: Call, x: LazyTensor, _: Sequence[Size], dim: int = 0) -> list[LazyTensor]:
    """Not as slices: PyTorch, which sees to it that the parts fit, alone knows where they start."""
    dim %= len(x.size)
    starts = accumulate((ix.of(meta.size[dim]) for meta in call.metas), initial=ix.ZERO)

    def part(first: Index, meta: Meta) -> LazyTensor:
        one = Call(call.graph, (meta,))
        return view_of(one, x, lambda at: [*at[:dim], at[dim] + first, *at[dim + 1 :]])

    return list(map(part, starts, call.metas))


@view(aten.select.int)
def _select(call: Call, x: LazyTensor, dim: int, at_index: Size) -> LazyTensor:
    if not isinstance(at_index, int):
        raise Unsupported("a selection that depends on the run")
    dim %= len(x.size)
    chosen = ix.of(x.size[dim]) + at_index if at_index < 0 else ix.of(at_index)
    return view_of(call, x, lambda at: [*at[:dim], chosen, *at[dim:]])


@view(aten.diagonal.default)
def _diagonal(
    call: Call, x: LazyTensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> LazyTensor:
    down, across = dim1 % len(x.size), dim2 % len(x.size)

    def reindex(at: Position) -> list[Index]:
        rest, along = list(at[:-1]), at[-1]
        ends = {down: along + max(-offset, 0), across: along + max(offset, 0)}
        return [ends[d] if d in ends else rest.pop(0) for d in range(len(x.size))]

    return view_of(call, x, reindex)


@view(aten.unfold.default)
def _unfold(call: Call, x: LazyTensor, dim: int, size: int, step: int) -> LazyTensor:
    if not x.size:
        return view_of(call, x, lambda _: ())
    dim %= len(x.size)
    return view_of(
        call, x, lambda at: [i * step + at[-1] if d == dim else i for d, i in enumerate(at[:-1])]
    )


@rule(aten.flip.default)
def _flip(call: Call, x: LazyTensor, dims: Sequence[int]) -> LazyTensor:
    flipped = {d % len(x.size) for d in dims} if x.size else set[int]()

    def reindex(at: Position) -> list[Index]:
        return [ix.of(x.size[d]) - 1 - i if d in flipped else i for d, i in enumerate(at)]

    return call.tensor(lambda at: x(reindex(at)), [x], cost=0)
