"""Split: one node a gradient, so that each can be left out, moved and freed by itself.

The backward of a convolution makes three gradients at once and asks for the input and the weight
though it takes no more than the size of one of them. `detach` and pairs of transposes go, too.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.tiny import operators
from dynamo_lab.tiny.graph import StepGraph, add, born_of

if TYPE_CHECKING:
    from torch import fx

    from dynamo_lab.tiny.graph import Node

aten = torch.ops.aten
_SAME = (aten.detach.default, aten.alias.default)
_TRANSPOSES = (aten.t.default,)


def split(step: StepGraph) -> StepGraph:
    """The graph with a node for each gradient of a convolution."""
    made = step.copied()
    gradients = dict(made.gradients)
    for node in list(made.graph.nodes):
        if node.target in _SAME:
            _replace(made.graph, gradients, node, node.args[0])
        elif node.target in _TRANSPOSES and _target(node.args[0]) in _TRANSPOSES:
            _replace(made.graph, gradients, node, node.args[0].args[0])
        elif node.target is aten.convolution_backward.default and not node.args[7]:
            _split(made.graph, gradients, node)
    return made.cleaned(gradients=gradients)


def _target(node: Any) -> Any:
    return getattr(node, "target", None)


def _replace(graph: fx.Graph, gradients: dict[str, str], old: Node, new: Node) -> None:
    """Whoever used the one uses the other, the outputs too."""
    old.replace_all_uses_with(new)
    for name, node in gradients.items():
        if node == old.name:
            gradients[name] = new.name
    graph.erase_node(old)


def _split(graph: fx.Graph, gradients: dict[str, str], node: Node) -> None:
    grad, x, weight, _, stride, padding, dilation, _, _, groups, _ = node.args
    options = (stride, padding, dilation, groups)
    for read in list(node.users):
        if read.target is not operator.getitem:
            continue
        if not read.users:
            graph.erase_node(read)
            continue
        with graph.inserting_before(node):
            match read.args[1]:
                case 0:
                    size = tuple(x.meta["val"].shape)
                    new = add(graph, operators.conv_input_grad, grad, weight, size, *options)
                case 1:
                    size = tuple(weight.meta["val"].shape)
                    new = add(graph, operators.conv_weight_grad, grad, x, size, *options)
                case _:
                    spatial = [0, *range(2, grad.meta["val"].dim())]
                    new = add(graph, aten.sum.dim_IntList, grad, spatial)
        _replace(graph, gradients, read, born_of(new, node))
