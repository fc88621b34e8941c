"""Fuse: a convolution and the depthwise one that alone reads it, and the one that reads that.

A depthwise filter needs one channel of its input, and a convolution makes its channels one by one:
so the widest activation of an inverted bottleneck need not be there as a whole. Where a convolution
of single places alone reads the depthwise one, the block can go row by row: as many rows of the
widest activation are there as the filter is high, and one of the depthwise result. What needs less
is taken; every number is computed once and is the same. Lin et al., "MCUNetV2", NeurIPS 2021, let
the depthwise convolution write over its input, and compute a network's first layers by patches.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from dynamo_lab.tiny.graph import StepGraph, add, born_of
from dynamo_lab.tiny.int8.operators import conv8, conv8_block, conv8_pair

if TYPE_CHECKING:
    from torch import fx

    from dynamo_lab.tiny.graph import Node


def fuse(step: StepGraph) -> StepGraph:
    """The graph with such pairs and blocks as one operation, with what room it needs beside."""
    made = step.copied()
    for node in list(made.graph.nodes):
        if node.target is conv8 and _is_depthwise(node) and _is_whole(node.args[0]):
            first = node.args[0]
            room = prod(first.meta["val"].shape[2:])
            parts = first.args[0], first.args[1:], node.args[1:]
            pair = _replaced(made.graph, node, room, conv8_pair, *parts)
            pair.meta["between"] = tuple(first.meta["val"].shape)
        elif node.target is conv8 and _is_of_places(node) and _is_alone(node.args[0], conv8_pair):
            pair = node.args[0]
            room = _rows(pair)
            if room < pair.meta["val"].numel() + pair.meta["scratch"]:
                _replaced(made.graph, node, room, conv8_block, *pair.args, node.args[1:])
    return made.cleaned()


def _replaced(graph: fx.Graph, node: Node, room: int, target: Any, *args: Any) -> Node:
    """A new node for another one, and room for it while it runs."""
    with graph.inserting_before(node):
        new = add(graph, target, *args)
    born_of(new, node).meta["scratch"] = room
    node.replace_all_uses_with(new)
    graph.erase_node(node)
    return new


def _rows(pair: Node) -> int:
    """The bytes of a block's rows: of the first as many as the filter is high, and one after it."""
    second = pair.args[2]
    high = (second[0].meta["val"].shape[2] - 1) * second[-2][0] + 1
    channels, height, width = pair.meta["between"][1:]
    return channels * (min(high, height) * width + pair.meta["val"].shape[3])


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
