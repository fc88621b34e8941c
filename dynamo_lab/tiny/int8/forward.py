"""The forward in int8: a table from float operators to functions that write their int8 form."""

from __future__ import annotations

import operator
from math import prod
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.tiny.graph import is_view
from dynamo_lab.tiny.int8.loss import SCORE, cross_entropy8, single
from dynamo_lab.tiny.int8.operators import add8, conv8, mean8
from dynamo_lab.tiny.int8.scales import HIGH, LOW, Scale, checked_terms
from dynamo_lab.tiny.int8.walk import Activation, Gradient, NoInt8

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.tiny.graph import Node
    from dynamo_lab.tiny.int8.walk import Walk

aten = torch.ops.aten

LINEAR: tuple[Any, ...] = ([1, 1], [0, 0], [1, 1], 1)
"""A linear layer is a convolution of one place."""
_SCORES = Scale(SCORE, 0)
_CLAMPS = (aten.relu.default, aten.hardtanh.default)


def need(condition: object, reason: str) -> None:
    """Raise `NoInt8` with a reason unless a condition holds."""
    if not condition:
        raise NoInt8(reason)


def placed(walk: Walk, node: Node, size: Sequence[int]) -> Node:
    """A linear layer's value, (n, c), as (n, c, 1, 1) and back."""
    return walk.add(aten.view.default, node, list(size))


def _convolution(walk: Walk, node: Node) -> None:
    x, weight, bias, stride, padding, dilation, transposed, _, groups = node.args
    need(not transposed and len(stride) == 2, "it is transposed or not of two dimensions")
    made = _summed(walk, node, walk.known[x], weight, bias, (stride, padding, dilation, groups))
    walk.known[made.node] = made
    _register(walk, node, made)


def _addmm(walk: Walk, node: Node) -> None:
    bias, x, weight = node.args
    need(not node.kwargs, "it has factors")
    _linear(walk, node, x, weight, bias)


def _mm(walk: Walk, node: Node) -> None:
    x, weight = node.args
    _linear(walk, node, x, weight, None)


def _linear(walk: Walk, node: Node, x: Node, weight: Node, bias: Node | None) -> None:
    given = walk.known[x]
    need(isinstance(given, Activation) and _is_linear(weight), "it is no linear layer")
    n, c = tuple(given.node.meta["val"].shape)
    wide = Activation(placed(walk, given.node, (n, c, 1, 1)), given.scale)
    made = _summed(walk, node, wide, weight, bias, LINEAR)
    flat = placed(walk, made.node, (n, made.node.meta["val"].shape[1]))
    _register(walk, node, Activation(flat, made.scale, made.is_scores))


def _is_linear(weight: Node) -> bool:
    return weight.target is aten.t.default and weight.args[0].op == "placeholder"


def _summed(
    walk: Walk,
    node: Node,
    x: Activation,
    weight: Node,
    bias: Node | None,
    options: tuple[Any, ...],
) -> Activation:
    """The convolution of an activation, with the clamping that follows."""
    need(isinstance(x, Activation) and not x.is_scores, "its input is no activation")
    filters = walk.weight(weight)
    of_sums = filters.scales * x.scale.scale
    added = walk.bias(bias, of_sums)
    shape = walk.values[filters.name].shape
    checked_terms(f"The layer of {filters.name!r}", *shape[1:])
    if _is_scores(node):
        scale, low, high = _SCORES, -32767, 32767
    else:
        scale = walk.scale(_last(node))
        low, high = _bounds(node, scale)
    factor = walk.constant("factor", (of_sums.double() / scale.scale).float())
    made = walk.add(
        conv8,
        x.node,
        _filters(walk, filters.node),
        None if added is None else added.node,
        factor,
        *(x.scale.zero, scale.zero, low, high),
        *options,
        **({"wide": True} if scale is _SCORES else {}),
    )
    return Activation(made, scale, scale is _SCORES)


def _filters(walk: Walk, weight: Node) -> Node:
    """A weight with four dimensions."""
    shape = weight.meta["val"].shape
    return weight if len(shape) == 4 else placed(walk, weight, (*shape, 1, 1))


filters = _filters


def _is_scores(node: Node) -> bool:
    """Whether only the loss reads it."""
    readers = list(node.users)
    return bool(readers) and all(
        read.target is aten._log_softmax.default or (is_view(read) and _is_scores(read))
        for read in readers
    )


def _clamp(node: Node) -> Node | None:
    """The ReLU that alone reads a value."""
    readers = list(node.users)
    return readers[0] if len(readers) == 1 and readers[0].target in _CLAMPS else None


def _last(node: Node) -> Node:
    return _clamp(node) or node


def _bounds(node: Node, scale: Scale) -> tuple[int, int]:
    clamp = _clamp(node)
    if clamp is None:
        return LOW, HIGH
    if clamp.target is aten.relu.default:
        return scale.zero, HIGH
    low, high = (*clamp.args[1:], -1.0, 1.0)[:2]
    return scale.of(low), scale.of(high)


def _register(walk: Walk, node: Node, made: Activation) -> None:
    walk.known[node] = made
    clamp = _clamp(node)
    if clamp is not None:
        walk.known[clamp] = made


def _relu(walk: Walk, node: Node) -> None:
    """Of a value that others read before it."""
    given = walk.known[node.args[0]]
    low, high = (0.0, float("inf")) if node.target is aten.relu.default else node.args[1:]
    bounds = given.scale.of(low), HIGH if high == float("inf") else given.scale.of(high)
    made = walk.add(aten.clamp.default, given.node, *bounds)
    walk.known[node] = Activation(made, given.scale)


def _same(walk: Walk, node: Node) -> None:
    """A copy, as dropout leaves where it does nothing: nobody writes over what is copied."""
    walk.known[node] = walk.known[node.args[0]]


def _activation(walk: Walk, node: Any) -> Activation:
    found = walk.known.get(node)
    if not isinstance(found, Activation):
        raise NoInt8("it adds what is no activation")
    return found


def _add(walk: Walk, node: Node) -> None:
    one, other = (_activation(walk, arg) for arg in node.args[:2])
    alike = one.node.meta["val"].shape == other.node.meta["val"].shape
    need(alike and not node.kwargs, "its parts are of two shapes, or it has a factor")
    scale = walk.scale(_last(node))
    factors = (single(part.scale.scale / scale.scale) for part in (one, other))
    made = walk.add(
        add8,
        *(one.node, other.node, one.scale.zero, other.scale.zero),
        *(*factors, scale.zero, *_bounds(node, scale)),
    )
    _register(walk, node, Activation(made, scale))


def _mean(walk: Walk, node: Node) -> None:
    given = walk.known[node.args[0]]
    shape = given.node.meta["val"].shape
    dims = {dim % len(shape) for dim in node.args[1] or ()}
    need(len(shape) == 4 and dims == {2, 3}, "it is no mean of (n, c, h, w) over h and w")
    count = prod(shape[2:])
    checked_terms("A mean", count)
    scale = walk.scale(_last(node))
    factor = single(given.scale.scale / scale.scale / count)
    bounds = _bounds(node, scale)
    made = walk.add(mean8, given.node, given.scale.zero, factor, scale.zero, *bounds)
    wanted = tuple(node.meta["val"].shape)
    if len(wanted) == 2:
        made = placed(walk, made, wanted)
    _register(walk, node, Activation(made, scale))


def kept(walk: Walk, node: Node) -> None:
    """Some channels of an activation or a gradient."""
    given = walk.known[node.args[0]]
    made = walk.add(node.target, given.node, *node.args[1:])
    if isinstance(given, Gradient):
        walk.known[node] = Gradient(made, given.scale, given.factor)
    else:
        walk.known[node] = Activation(made, given.scale)


def _log_softmax(walk: Walk, node: Node) -> None:
    given, dim = walk.known[node.args[0]], node.args[1]
    need(isinstance(given, Activation) and given.is_scores, "it is not of a layer's own scores")
    need(dim % 2 == 1 and len(node.meta["val"].shape) == 2, "it is not of scores (n, classes)")
    walk.known[node] = given
    walk.scores = given.node.name


def _nll_loss(walk: Walk, node: Node) -> None:
    x, target, weight, reduction, ignored = node.args
    need(weight is None and reduction == 1, "it has weights or is no mean")
    need(not walk.loss, "it is a second loss")
    made = walk.add(cross_entropy8, walk.known[x].node, walk.known[target], ignored)
    loss, grad, scale = (walk.add(operator.getitem, made, k) for k in range(3))
    walk.loss = loss.name
    walk.known[node] = Gradient(grad, scale)


TABLE: dict[Any, Callable[[Walk, Node], None]] = {
    aten.convolution.default: _convolution,
    aten.addmm.default: _addmm,
    aten.mm.default: _mm,
    aten.relu.default: _relu,
    aten.hardtanh.default: _relu,
    aten.add.Tensor: _add,
    aten.clone.default: _same,
    aten.mean.dim: _mean,
    aten._log_softmax.default: _log_softmax,
    aten.nll_loss_forward.default: _nll_loss,
}
