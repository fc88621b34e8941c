"""Rules that write where an index says: `index_put`, `scatter`, gradients of gathers.

Each is a copy of what is written over, and a loop over what is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from dynamo_lab.compiler.body import checked
from dynamo_lab.compiler.layout import dot, spread
from dynamo_lab.compiler.operators import computed_in
from dynamo_lab.compiler.rules.movement import Chosen
from dynamo_lab.compiler.rules.pointwise import where_true
from dynamo_lab.compiler.rules.table import Call, Operand, reader, rule
from dynamo_lab.compiler.tensors import LazyTensor
from dynamo_lab.compiler.work import Scatter, Unsupported
from dynamo_lab.model.lowering import Why

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.compiler.index import Size
    from dynamo_lab.compiler.layout import Position
    from dynamo_lab.compiler.rules.table import Closure
    from dynamo_lab.compiler.tensors import LoweredGraph

aten = torch.ops.aten

_MASKS = (torch.bool, torch.uint8)


def written(
    graph: LoweredGraph,
    base: LazyTensor,
    sizes: Sequence[Size],
    place: Callable[[Position], Sequence[Size]],
    value: Closure,
    *,
    adds: bool,
) -> LazyTensor:
    """The elements of `base`, with values written or added where `place` says.

    Args:
        graph: what the loops become part of.
        base: what is there before; it is stored for this alone.
        sizes: of the loops.
        place: the position in `base` for a position in the loops.
        value: what is written, for a position in the loops.
        adds: or added.

    Raises:
        Unsupported: the target's kernels do not add numbers of this type.
    """
    if adds and base.dtype not in graph.adds:
        raise Unsupported(f"sums of {base.dtype} where an index says, from many threads")
    copy = LazyTensor(graph, base.size, base.dtype, base.closure, [base])
    stored = graph.store(copy, why=Why(cause="rule")).buffer
    assert stored, "what is stored has a buffer"
    if 0 in sizes or 0 in base.size:
        return copy
    made = graph.buffer(stored.size, stored.stride, stored.dtype, stored.device)
    made.why = Why(cause="rule")
    walked = [d for d, n in enumerate(sizes) if n != 1]
    position = spread(walked, len(sizes))
    graph.work.append(
        Scatter(
            made,
            stored,
            [sizes[d] for d in walked],
            lambda outer: value(position(outer)),
            lambda outer: dot(place(position(outer)), made.stride),
            graph.current,
            adds=adds,
        )
    )
    return graph.tensor_in(made)


@rule(aten.index_put.default)
def _index_put(
    call: Call,
    x: LazyTensor,
    given: Sequence[LazyTensor | None],
    values: LazyTensor,
    accumulate: bool = False,
) -> LazyTensor:
    """NumPy's assignment by index tensors, which stand where the first does, or in front."""
    if any(tensor is not None and tensor.dtype in _MASKS for tensor in given):
        return _put_where(call, x, given, values, accumulate=accumulate)
    chosen = Chosen(x, given)
    value = reader(values, chosen.sizes, computed_in(x.dtype))
    return written(call.graph, x, chosen.sizes, chosen.place, value, adds=accumulate)


def _put_where(
    call: Call,
    x: LazyTensor,
    ids: Sequence[LazyTensor | None],
    values: LazyTensor,
    *,
    accumulate: bool,
) -> LazyTensor:
    """One mask of the first dimensions, and one value for all that it chooses."""
    mask, *others = ids
    is_one = all(n == 1 for n in values.size)
    leads = mask is not None and mask.size == x.size[: len(mask.size)]
    if mask is None or not (is_one and leads) or any(other is not None for other in others):
        raise Unsupported("a mask that chooses as many elements as the data says")
    if accumulate:
        raise Unsupported("a mask that adds")
    rank = len(mask.size)
    return where_true(call, lambda at: mask(at[:rank]), values, x, [mask])


@rule(aten.scatter_add.default)
def _scatter_add(
    call: Call, x: LazyTensor, dim: int, ids: LazyTensor, source: Operand
) -> LazyTensor:
    return _scatter(call, x, dim, ids, source, adds=True)


@rule(aten.scatter.src, aten.scatter.value)
def _scatter(
    call: Call, x: LazyTensor, dim: int, ids: LazyTensor, source: Operand, *, adds: bool = False
) -> LazyTensor:
    if not x.size or not ids.size:
        raise Unsupported("a scatter into one number")
    dim %= len(x.size)

    def place(at: Position) -> list[Size]:
        return [*at[:dim], checked(ids(at), x.size[dim]), *at[dim + 1 :]]

    value = reader(source, ids.size, computed_in(x.dtype))
    return written(call.graph, x, ids.size, place, value, adds=adds)
