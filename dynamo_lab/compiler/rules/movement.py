"""Rules that move elements: joining, padding, and reading where an index tensor says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Value, apply, cast, checked, index, masked, where
from dynamo_lab.compiler.operators import computed_in
from dynamo_lab.compiler.rules.table import Call, expanded, rule
from dynamo_lab.compiler.rules.views import first_of
from dynamo_lab.compiler.work import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.index import Index, Size
    from dynamo_lab.compiler.layout import Position
    from dynamo_lab.compiler.tensors import LazyTensor

aten = torch.ops.aten

CHEAP = 4
"""A tensor of fewer operators is computed anew by each that reads it at other places."""


def stored_if_dear(x: LazyTensor, reads: Sequence[Size]) -> LazyTensor:
    """A tensor to be read at other places: stored, if computing it again costs.

    Args:
        x: the tensor.
        reads: the size of what is made of it; read less often than it has elements, it is cheaper
            to compute only those.
    """
    is_few = ix.hint(ix.product(reads)) <= ix.hint(ix.product(x.size))
    return x if is_few or (x.cost < CHEAP and not x.heavy) else x.realize()


@rule(aten.cat.default)
def _cat(call: Call, parts: Sequence[LazyTensor], dim: int = 0) -> LazyTensor:
    parts = [x for x in parts if x.size != (0,)]
    if len(parts) == 0:
        raise Unsupported("a cat of nothing")
    dtype, dim = computed_in(call.meta.dtype), dim % len(call.meta.size)
    starts: list[Size] = [0]
    for x in parts:
        starts.append(ix.plain(ix.of(starts[-1]) + x.size[dim]))

    def part(x: LazyTensor, start: Size, at: Position) -> Value:
        return cast(x([*at[:dim], at[dim] - start, *at[dim + 1 :]]), dtype)

    def closure(at: Position) -> Value:
        """Asked from the last part to the first, so that the first has the last word."""
        place = index(at[dim])
        last = parts[-1]
        if len(parts) == 1:
            return part(last, 0, at)
        after = apply("ge", place, index(starts[-2]))
        found = masked(after, lambda: part(last, starts[-2], at), 0)
        for x, start, end in reversed(list(zip(parts[:-1], starts, starts[1:], strict=False))):
            before = apply("lt", place, index(end))
            within = (
                before if start == 0 else apply("and", apply("ge", place, index(start)), before)
            )
            mine = masked(within, lambda x=x, start=start: part(x, start, at), 0)
            found = where(before, mine, found)
        return found

    return call.tensor(closure, parts, cost=3)


@rule(aten.constant_pad_nd.default)
def _pad(call: Call, x: LazyTensor, pads: Sequence[Size], value: Any = 0) -> LazyTensor:
    rank = len(x.size)
    before: list[Size] = [0] * rank
    padded = [False] * rank
    for k in range(len(pads) // 2):
        before[rank - 1 - k] = pads[2 * k]
        padded[rank - 1 - k] = pads[2 * k] != 0 or pads[2 * k + 1] != 0

    def closure(at: Position) -> Value:
        source = [i - b for i, b in zip(at, before, strict=True)]
        inside = [
            apply("and", apply("ge", index(i), 0), apply("lt", index(i), index(n)))
            for i, n, is_padded in zip(source, x.size, padded, strict=True)
            if is_padded
        ]
        if not inside:
            return x(source)
        condition = inside[0]
        for other in inside[1:]:
            condition = apply("and", condition, other)
        return masked(condition, lambda: x(source), value)

    return call.tensor(closure, [x], cost=3)


@rule(aten.repeat.default)
def _repeat(call: Call, x: LazyTensor, repeats: Sequence[Size]) -> LazyTensor:
    front = len(repeats) - len(x.size)

    def closure(at: Position) -> Value:
        return x([i % n if n not in (0, 1) else 0 for i, n in zip(at[front:], x.size, strict=True)])

    return call.tensor(closure, [stored_if_dear(x, call.meta.size)])


@rule(aten.gather.default)
def _gather(call: Call, x: LazyTensor, dim: int, ids: LazyTensor, **_: Any) -> LazyTensor:
    if not x.size:
        raise Unsupported("a gather of one number")
    dim %= len(x.size)

    def closure(at: Position) -> Value:
        return x([*at[:dim], checked(ids(at), x.size[dim]), *at[dim + 1 :]])

    return call.tensor(closure, [stored_if_dear(x, call.meta.size), ids])


@rule(aten.index.Tensor, aten._unsafe_index.Tensor)
def _index(call: Call, x: LazyTensor, given: Sequence[LazyTensor | None]) -> LazyTensor:
    """NumPy's advanced indexing."""
    chosen = Chosen(x, given)
    if any(one.dtype in (torch.bool, torch.uint8) for one in chosen.ids):
        raise Unsupported("an index of bools, whose result's size depends on the data")
    parents = [stored_if_dear(x, call.meta.size), *chosen.ids]
    return call.tensor(lambda at: x(chosen.place(at)), parents)


class Chosen:
    """The elements that index tensors choose, as NumPy has it.

    The index tensors are broadcast, and stand where the first stood if they are neighbours, else
    in front.

    Attributes:
        ids: the index tensors.
        sizes: of all that they choose.
    """

    def __init__(self, x: LazyTensor, given: Sequence[LazyTensor | None]) -> None:
        by_dim = {d: tensor for d, tensor in enumerate(given) if tensor is not None}
        dims, self.ids = list(by_dim), list(by_dim.values())
        size = broadcast([tensor.size for tensor in self.ids])
        self._of = x.size
        self._front = dims[0] if dims == list(range(dims[0], dims[-1] + 1)) else 0
        self._end = self._front + len(size)
        self._readers = {d: expanded(tensor, size) for d, tensor in by_dim.items()}
        others = [n for d, n in enumerate(x.size) if d not in by_dim]
        self.sizes = (*others[: self._front], *size, *others[self._front :])

    def place(self, at: Position) -> list[Index]:
        """Where in the tensor the chosen element at a position is."""
        chosen = at[self._front : self._end]
        rest = [*at[: self._front], *at[self._end :]]
        return [
            checked(self._readers[d](chosen), n) if d in self._readers else rest.pop(0)
            for d, n in enumerate(self._of)
        ]


def broadcast(sizes: Sequence[Sequence[Size]]) -> tuple[Size, ...]:
    """The size to which tensors of these sizes are broadcast."""
    rank = max(len(size) for size in sizes)
    found: list[Size] = [1] * rank
    for size in sizes:
        for d, n in enumerate(size, rank - len(size)):
            if n != 1:
                found[d] = n
    return tuple(found)


@rule(aten.slice_scatter.default)
def _slice_scatter(
    call: Call,
    x: LazyTensor,
    source: LazyTensor,
    dim: int = 0,
    start: Any = None,
    _: Any = None,
    step: int = 1,
) -> LazyTensor:
    dim %= len(x.size)
    first = first_of(start, x.size[dim])
    dtype, length = computed_in(call.meta.dtype), source.size[dim]

    def closure(at: Position) -> Value:
        away = at[dim] - first
        place = index(away)
        within = apply("and", apply("ge", place, 0), apply("lt", place, index(length * step)))
        if step != 1:
            within = apply("and", within, apply("eq", index(away % step), 0))
        moved = [away // step if d == dim else i for d, i in enumerate(at)]
        return where(within, masked(within, lambda: cast(source(moved), dtype), 0), x(at))

    return call.tensor(closure, [x, source], cost=3)
