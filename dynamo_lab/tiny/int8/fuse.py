"""Fuse: a convolution and the depthwise one that alone reads it, channel by channel.

A depthwise filter needs one channel of its input, and a convolution makes its channels one by one:
so the widest activation of an inverted bottleneck need not be there as a whole. Every
number is computed once and is the same. Lin et al., "MCUNetV2", NeurIPS 2021, let the depthwise
convolution write over its input; here the input is never whole.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from dynamo_lab.tiny.graph import StepGraph, add, born_of
from dynamo_lab.tiny.int8.operators import conv8, conv8_pair

if TYPE_CHECKING:
    from dynamo_lab.tiny.graph import Node


def fuse(step: StepGraph) -> StepGraph:
    """The graph with such pairs as one operation, that needs room for a channel beside its own."""
    made = step.copied()
    for node in list(made.graph.nodes):
        if node.target is conv8 and _is_depthwise(node) and _is_whole(node.args[0]):
            first = node.args[0]
            with made.graph.inserting_before(node):
                pair = add(made.graph, conv8_pair, first.args[0], first.args[1:], node.args[1:])
            born_of(pair, node).meta["scratch"] = prod(first.meta["val"].shape[2:])
            node.replace_all_uses_with(pair)
            made.graph.erase_node(node)
    return made.cleaned()


def _is_depthwise(node: Node) -> bool:
    groups, weight = node.args[11], node.args[1].meta["val"]
    return groups == weight.shape[0] and weight.shape[1] == 1 and not node.kwargs


def _is_whole(node: Node) -> bool:
    """Whether a node is a convolution of all its input's channels, read once."""
    is_alone = node.target is conv8 and len(node.users) == 1 and not node.kwargs
    return is_alone and node.args[11] == 1
