"""Prune: gradients that are not wanted go, and with them all that only they needed."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import torch

from dynamo_lab.errors import OptionError
from dynamo_lab.tiny.graph import StepGraph, add, born_of
from dynamo_lab.tiny.operators import conv_weight_grad, kept_channels
from dynamo_lab.tiny.selection import channel_dim

if TYPE_CHECKING:
    from torch import fx

    from dynamo_lab.tiny.graph import Node
    from dynamo_lab.tiny.selection import Selection

aten = torch.ops.aten


def prune(step: StepGraph, selected: Selection) -> StepGraph:
    """The graph with the gradients of the selected parameters alone."""
    made = step.copied()
    wanted = {name: node for name, node in made.gradients.items() if name in selected}
    made = made.cleaned(gradients=wanted)
    for node in made.graph.nodes:
        if node.target is aten.native_layer_norm_backward.default:
            used = {read.args[1] for read in node.users if read.target is operator.getitem}
            node.args = (*node.args[:7], [k in used for k in range(3)])
    return made.cleaned()


def slice_channels(step: StepGraph, selected: Selection) -> StepGraph:
    """The graph whose weight gradients are of the selected input channels alone.

    Of the activation that such a gradient reads, only those channels are kept: they are copied as
    soon as it is there.

    Raises:
        OptionError: a weight has no input channels of its own to choose.
    """
    made = step.copied()
    gradients, sliced = dict(made.gradients), dict[str, tuple[int, ...]]()
    for name, channels in selected.items():
        if channels is not None and name in gradients:
            whole = made.nodes[gradients[name]]
            new = born_of(_sliced(made.graph, name, whole, channels), whole)
            gradients[name], sliced[name] = new.name, channels
    return made.cleaned(gradients=gradients, channels=sliced)


def choosable(step: StepGraph) -> dict[str, int]:
    """By parameter how many input channels `slice_channels` could choose from, where it can.

    `step` is a graph that has a node for each gradient.
    """
    found: dict[str, int] = {}
    by_name = {name: step.nodes[node] for node, name in step.parameters.items()}
    for name, gradient in step.gradients.items():
        node, weight = step.nodes[gradient], by_name[name].meta["val"]
        is_convolution = node.target is conv_weight_grad and not _refused(node)
        if is_convolution or node.target is aten.mm.default:
            found[name] = weight.shape[channel_dim(weight)]
    return found


def _is_depthwise(size: tuple[int, ...], groups: int) -> bool:
    return groups > 1 and groups == size[0] and size[1] == 1


def _refused(node: Node) -> bool:
    """Whether a convolution's groups have channels of their own to choose, which is refused."""
    size, groups = node.args[2], node.args[-1]
    whole = groups == 1 and channel_dim(node.meta["val"]) == 1
    return not whole and not _is_depthwise(size, groups)


def _sliced(graph: fx.Graph, name: str, node: Node, channels: tuple[int, ...]) -> Node:
    """The node of a gradient's slice, after the node of the whole."""
    if node.target is conv_weight_grad:
        return _sliced_convolution(graph, name, node, channels)
    if node.target is aten.mm.default:
        grad, x = node.args
        kept = _kept(graph, x, 1, channels)
        with graph.inserting_after(node):
            return add(graph, aten.mm.default, grad, kept)
    raise OptionError(
        f"The channels of {name!r} cannot be chosen: its gradient is computed by {node.target}, "
        "not by a convolution or a linear layer. Update all of it."
    )


def _sliced_convolution(graph: fx.Graph, name: str, node: Node, channels: tuple[int, ...]) -> Node:
    grad, x, size, *options, groups = node.args
    depthwise = _is_depthwise(size, groups)
    if _refused(node):
        raise OptionError(
            f"The input channels of {name!r} cannot be chosen: its convolution has {groups} groups "
            f"of {size[1]}. Update all of it."
        )
    kept = _kept(graph, x, 1, channels)
    if not depthwise:
        size = (size[0], len(channels), *size[2:])
        with graph.inserting_after(node):
            return add(graph, conv_weight_grad, grad, kept, size, *options, groups)
    with graph.inserting_before(node):
        grad = born_of(add(graph, kept_channels, grad, 1, channels), node)
        size = (len(channels), *size[1:])
        return add(graph, conv_weight_grad, grad, kept, size, *options, len(channels))


def _kept(graph: fx.Graph, x: Node, dim: int, channels: tuple[int, ...]) -> Node:
    """Those channels of an activation: one copy, however many gradients read it."""
    for read in x.users:
        if read.target is kept_channels and read.args[1:] == (dim, channels):
            return read
    place = x
    if x.op == "placeholder":  # after the last of them, since they are arguments
        place = [node for node in graph.nodes if node.op == "placeholder"][-1]
    with graph.inserting_after(place):
        return born_of(add(graph, kept_channels, x, dim, channels), x)
