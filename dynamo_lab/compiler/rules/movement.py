"""Rules that move elements: joining, padding, and reading where an index tensor says.

And when a tensor is stored that each of its readers could compute again.
"""

from __future__ import annotations

from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Value, apply, cast, checked, index, masked, where
from dynamo_lab.compiler.operators import computed_in
from dynamo_lab.compiler.rules.table import Call, expanded, rule
from dynamo_lab.compiler.rules.views import first_of
from dynamo_lab.compiler.work import Unsupported
from dynamo_lab.model.lowering import Why

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.index import Index, Size
    from dynamo_lab.compiler.layout import Position
    from dynamo_lab.compiler.tensors import LazyTensor

aten = torch.ops.aten

CHEAP = 4
"""A tensor of fewer operators is computed anew by each that reads it at other places."""
MOST_READS = 8
"""A tensor that reads more buffers is stored: a loop has only so many registers."""
MOST_OPERATORS = 60
SHARED_READS, SHARED_OPERATORS = 4, 30
"""The same for a tensor that several read: each of them would compute it again."""


def why_dear(made: LazyTensor, users: int) -> Why | None:
    """Why a tensor that no rule stored is stored, if it is: computing it again costs more."""
    reads, cost = len(made.reads), made.cost
    if users > 1 and made.heavy:
        return Why(cause="heavy reuse", users=users)
    if users > 1 and reads > SHARED_READS:
        return Why(cause="reads reuse", users=users, count=reads, limit=SHARED_READS)
    if users > 1 and cost > SHARED_OPERATORS:
        return Why(cause="large reuse", users=users, count=cost, limit=SHARED_OPERATORS)
    if reads > MOST_READS:
        return Why(cause="many reads", count=reads, limit=MOST_READS)
    return Why(cause="large", count=cost, limit=MOST_OPERATORS) if cost > MOST_OPERATORS else None


def stored_if_dear(x: LazyTensor, reads: Sequence[Size]) -> LazyTensor:
    """A tensor to be read at other places: stored, if computing it again costs.

    Args:
        x: the tensor.
        reads: the size of what is made of it; read less often than it has elements, it is cheaper
            to compute only those.
    """
    is_few = ix.hint(ix.product(reads)) <= ix.hint(ix.product(x.size))
    return x if is_few or (x.cost < CHEAP and not x.heavy) else x.realize()


def every(conditions: Sequence[Value]) -> Value:
    """Do all of them hold?"""
    return reduce(lambda a, b: apply("and", a, b), conditions)


def within(place: Sequence[Index], sizes: Sequence[Size]) -> list[Value]:
    """The conditions for a place to be in a tensor, dimension by dimension.

    What the outer ones alone say is then computed before the inner loop.
    """
    return [
        asked
        for at, n in zip(place, sizes, strict=True)
        for asked in (apply("ge", index(at), 0), apply("lt", index(at), index(n)))
    ]


@rule(aten.cat.default)
def _cat(call: Call, parts: Sequence[LazyTensor], dim: int = 0) -> LazyTensor:
    parts = [x for x in parts if x.size != (0,)]
    if len(parts) == 0:
        raise Unsupported("a cat of nothing")
    dtype, dim = computed_in(call.meta.dtype), dim % len(call.meta.size)
    ends = [*accumulate((ix.of(x.size[dim]) for x in parts), initial=ix.ZERO)]
    each = [*zip(parts, ends, ends[1:], strict=False)]

    def closure(at: Position) -> Value:
        """Asked from the last part to the first, so that the first has the last word."""
        place, found = index(at[dim]), None
        for x, start, end in reversed(each):
            before = [] if found is None else [apply("lt", place, index(end))]
            after = [] if start == 0 else [apply("ge", place, index(start))]
            moved = [*at[:dim], at[dim] - start, *at[dim + 1 :]]
            read = lambda x=x, at=moved: cast(x(at), dtype)  # noqa: E731
            asked = [*after, *before]
            mine = masked(every(asked), read, 0) if asked else read()
            found = mine if found is None else where(before[0], mine, found)
        assert found is not None, "there is a part"
        return found

    return call.tensor(closure, parts, cost=3)


@rule(aten.constant_pad_nd.default)
def _pad(call: Call, x: LazyTensor, pads: Sequence[Size], value: Any = 0) -> LazyTensor:
    sides = [*zip(pads[::2], pads[1::2], strict=True)]  # of the last dimension first
    sides = [(0, 0)] * (len(x.size) - len(sides)) + sides[::-1]
    padded = [d for d, side in enumerate(sides) if side != (0, 0)]

    def closure(at: Position) -> Value:
        source = [i - before for i, (before, _) in zip(at, sides, strict=True)]
        inside = within([source[d] for d in padded], [x.size[d] for d in padded])
        return masked(every(inside), lambda: x(source), value) if inside else x(source)

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


@rule(aten.index.Tensor)
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
        asked = within([away], [length * step])
        if step != 1:
            asked.append(apply("eq", index(away % step), 0))
        inside = every(asked)
        moved = [*at[:dim], away // step, *at[dim + 1 :]]
        return where(inside, masked(inside, lambda: cast(source(moved), dtype), 0), x(at))

    return call.tensor(closure, [x, source], cost=3)
