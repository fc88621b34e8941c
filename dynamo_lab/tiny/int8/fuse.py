"""Fuse: a convolution and the depthwise one that alone reads it, and the one that reads that.

A depthwise filter needs one channel of its input, and a convolution makes its channels one by one:
so the widest activation of an inverted bottleneck need not be there as a whole. Where a convolution
of single places alone reads the depthwise one, the block can go row by row: as many rows of the
widest activation are there as the filter is high, and one of the depthwise result. Blocks that
follow one another can go on so, and what is between them is not whole either. What needs less is
taken; every number is computed once and is the same. Lin et al., "MCUNetV2", NeurIPS 2021, let the
depthwise convolution write over its input, and compute a network's first layers by patches.
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
            first = node.args[0]
            layers = first.args[1:], node.args[1:]
            room = prod(first.meta["val"].shape[2:])
            _replaced(made.graph, node, room, conv8_pair, first.args[0], *layers)
        elif node.target is conv8 and _is_of_places(node) and _is_alone(node.args[0], conv8_pair):
            _in_rows(made.graph, node)
    for node in list(made.graph.nodes):
        if node.target is conv8_rows and _is_alone(node.args[0], conv8_rows):
            _joined(made.graph, node)
    return made.cleaned()


def _in_rows(graph: fx.Graph, node: Node) -> None:
    """A pair and a convolution of its places row by row, where that needs less."""
    pair = node.args[0]
    args = *pair.args, node.args[1:]
    room = _room(args)
    if room < pair.meta["val"].numel() + pair.meta["scratch"]:
        _replaced(graph, node, room, conv8_rows, *args)


def _joined(graph: fx.Graph, node: Node) -> None:
    """Two blocks as one, where what is between them takes more than reading the first's input."""
    first = node.args[0]
    args = *first.args, *node.args[1:]
    given, between, made = (one.meta["val"].numel() for one in (first.args[0], first, node))
    apart = max(given + first.meta["scratch"] + between, between + node.meta["scratch"] + made)
    if given + _room(args) + made < apart:
        _replaced(graph, node, _room(args), conv8_rows, *args)


def _room(args: Sequence[Any]) -> int:
    x, *layers = args
    return sum(map(prod, rows_between(tuple(x.meta["val"].shape), layers)))


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


def _replaced(graph: fx.Graph, node: Node, room: int, target: Any, *args: Any) -> None:
    """A new node for another one and the one that it alone reads, and room for it while it runs."""
    inner = node.args[0]
    with graph.inserting_before(node):
        new = add(graph, target, *args)
    born_of(new, node).meta["scratch"] = room
    node.replace_all_uses_with(new)
    graph.erase_node(node)
    graph.erase_node(inner)


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
