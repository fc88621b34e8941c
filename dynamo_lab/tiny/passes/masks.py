"""Masks: what a ReLU's backward needs of the forward is a bit an element.

Where the activation is kept for a gradient of a weight anyway, the bit is read off it and nothing
else is kept. Otherwise the bits are packed in the forward and the activation is freed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.tiny.graph import StepGraph, add, born_of, is_view
from dynamo_lab.tiny.operators import masked, pack_between

if TYPE_CHECKING:
    from dynamo_lab.tiny.graph import Node

aten = torch.ops.aten
_INFINITY = float("inf")


def masks(step: StepGraph) -> StepGraph:
    """The graph that keeps bits where it kept activations for the backward of a ReLU alone."""
    made = step.copied()
    forward = made.forward
    found = {node: _bounds(node) for node in made.graph.nodes}
    masking = {node: bounds for node, bounds in found.items() if bounds}
    for node, (low, high) in masking.items():
        result = _result(node, forward)
        if result is None:
            continue
        if any(read.name not in forward and read not in masking for read in _readers(result)):
            node.replace_input_with(node.args[1], result)
            continue
        with made.graph.inserting_after(result):
            bits = born_of(add(made.graph, pack_between, result, low, high), result)
        with made.graph.inserting_before(node):
            new = born_of(add(made.graph, masked, node.args[0], bits), node)
        node.replace_all_uses_with(new)
        made.graph.erase_node(node)
    return made.cleaned()


def _bounds(node: Node) -> tuple[float, float] | None:
    """Between which values of the activation its gradient passes."""
    if node.target is aten.threshold_backward.default:
        return float(node.args[2]), _INFINITY
    if node.target is aten.hardtanh_backward.default:
        return float(node.args[2]), float(node.args[3])
    return None


def _result(node: Node, forward: frozenset[str]) -> Any:
    """The activation as it came out: clamping moves no value into or out of the open interval."""
    read: Any = node.args[1]
    if read.name not in forward:
        return None
    if node.target is aten.threshold_backward.default:
        return read if read.op == "call_function" else None
    same = [user for user in read.users if _clamps(user, node)]
    return same[0] if same else None


def _clamps(user: Node, backward: Node) -> bool:
    return user.target is aten.hardtanh.default and tuple(user.args[1:]) == tuple(backward.args[2:])


def _readers(node: Node) -> list[Node]:
    """Who reads a value, through views of it too."""
    found: list[Node] = []
    for user in node.users:
        found += _readers(user) if is_view(user) else [user]
    return found
