"""Fuse: a convolution and the depthwise one that alone reads it, and the one that reads that.

A depthwise filter needs one channel of its input, and a convolution makes its channels one by one:
so the widest activation of an inverted bottleneck need not be there as a whole. Where a convolution
of single places alone reads the depthwise one, the block can go row by row: as many rows of the
widest activation are there as the filter is high, and one of the depthwise result. Blocks that
follow one another can go on so, and what is between them is not whole either. Each is done where
those layers by themselves need less so; every number is computed once and is the same. Lin et al.,
"MCUNetV2", NeurIPS 2021, let the depthwise convolution write over its input, and compute a
network's first layers by patches.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

from dynamo_lab.tiny.graph import StepGraph, add, born_of
from dynamo_lab.tiny.int8.operators import conv8, conv8_pair, conv8_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import fx

    from dynamo_lab.tiny.graph import Node


def fuse(step: StepGraph) -> StepGraph:
    """The graph with such layers as one operation, with what room it needs beside its result."""
    made = step.copied()
    for node in list(made.graph.nodes):
        if node.target is conv8 and _is_depthwise(node) and _is_whole(node.args[0]):
            _fused(made.graph, conv8_pair, node.args[0], node)
        elif node.target is conv8 and _is_of_places(node):
            inner = node.args[0]
            if _is_alone(inner, conv8_pair):
                _fused(made.graph, conv8_rows, inner, node)
            elif _is_alone(inner, conv8) and _is_depthwise(inner) and _is_whole(inner.args[0]):
                _fused(made.graph, conv8_rows, inner.args[0], inner, node)
    for node in list(made.graph.nodes):
        if node.target is conv8_rows and _is_alone(node.args[0], conv8_rows):
            _fused(made.graph, conv8_rows, node.args[0], node)
    return made.cleaned()


def _fused(graph: fx.Graph, target: Any, *chain: Node) -> None:
    """A new node for some that follow one another, where it needs less than they do.

    While it runs, its input and its result are there and the room; of the others, each time, the
    input and the result of one. What is read elsewhere as well is there all the time.
    """
    x, last = chain[0].args[0], chain[-1]
    layers = [layer for one in chain for layer in _layers(one)]
    room = _room(target, x, layers)
    kept = _bytes(x) if len(x.users) > 1 else 0
    apart = max(
        _bytes(one.args[0])
        + one.meta.get("scratch", 0)
        + _bytes(one)
        + kept * (one is not chain[0])
        for one in chain
    )
    if _bytes(x) + room + _bytes(last) >= apart:
        return
    with graph.inserting_before(last):
        new = add(graph, target, x, *layers)
    born_of(new, last).meta["scratch"] = room
    last.replace_all_uses_with(new)
    for one in reversed(chain):
        graph.erase_node(one)


def _layers(node: Node) -> tuple[Any, ...]:
    return (node.args[1:],) if node.target is conv8 else node.args[1:]


def _bytes(node: Node) -> int:
    value = node.meta["val"]
    return value.numel() * value.element_size()


def _room(target: Any, x: Node, layers: Sequence[Any]) -> int:
    """A channel of what is between two layers, else some rows."""
    shape = tuple(x.meta["val"].shape)
    if target is conv8_pair:
        return prod(made_by(shape, layers[0])[2:])
    return sum(map(prod, rows_between(shape, layers)))


def rows_between(x: tuple[int, ...], layers: Sequence[Any]) -> list[tuple[int, int, int]]:
    """Of what each layer makes for the next: channels, rows that are kept, and their width.

    As many rows are kept as the next one's filter is high.
    """
    found: list[tuple[int, int, int]] = []
    for layer, after in pairwise(layers):
        x = made_by(x, layer)
        high = (after[0].meta["val"].shape[2] - 1) * after[-2][0] + 1
        found.append((x[1], min(high, x[2]), x[3]))
    return found


def made_by(x: tuple[int, ...], layer: Any) -> tuple[int, ...]:
    """The shape of a convolution's output, from that of its input and its other arguments."""
    filters = layer[0].meta["val"].shape
    ways = zip(x[2:], filters[2:], *layer[-4:-1], strict=True)  # stride, padding, dilation
    sizes = ((n + 2 * pad - far * (k - 1) - 1) // step + 1 for n, k, step, pad, far in ways)
    return (x[0], filters[0], *sizes)


def _is_depthwise(node: Node) -> bool:
    groups, weight = node.args[11], node.args[1].meta["val"]
    return groups == weight.shape[0] and weight.shape[1] == 1 and not node.kwargs


def _is_whole(node: Node) -> bool:
    """Whether a node is a convolution of all its input's channels, read once."""
    return _is_alone(node, conv8) and node.args[11] == 1


def _is_alone(node: Node, target: Any) -> bool:
    """Whether a node is such an operation, read once."""
    return node.target is target and len(node.users) == 1 and not node.kwargs


def _is_of_places(node: Node) -> bool:
    """Whether a node is a convolution of single places, each of which it computes."""
    stride, padding, _, groups = node.args[8:12]
    is_one = tuple(node.args[1].meta["val"].shape[2:]) == (1, 1)
    is_each = set(stride) == {1} and set(padding) == {0}
    return is_one and is_each and groups == 1 and not node.kwargs
