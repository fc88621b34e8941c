"""Quantize: the pass from a pruned float32 step to the same step in int8, updates included.

It walks over the float graph once and writes for each value the operators that make it in int8. A
ReLU is the clamping of the operation before it. A gradient of a weight has no node: its update
sums it up, element by element.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.errors import TinyError
from dynamo_lab.tiny.graph import StepGraph, is_view
from dynamo_lab.tiny.int8 import backward, forward
from dynamo_lab.tiny.int8.walk import Activation, Gradient, NoInt8, Walk
from dynamo_lab.tiny.missing import remedy
from dynamo_lab.view.core.words import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.tiny.graph import Node
    from dynamo_lab.tiny.int8.ranges import Ranges
    from dynamo_lab.tiny.int8.scales import Scale
    from dynamo_lab.tiny.selection import Selection


@dataclass(frozen=True)
class Quantized:
    """The int8 step, the integers of its parameters, their scales, and those of the inputs."""

    step: StepGraph
    values: Mapping[str, torch.Tensor]
    scales: Mapping[str, torch.Tensor]
    inputs: Mapping[str, Scale]
    scores: str


def quantize(
    step: StepGraph,
    selected: Selection,
    values: Mapping[str, torch.Tensor],
    ranges: Ranges,
    *,
    rate: float,
    headroom: float,
    scaled: frozenset[str],
) -> Quantized:
    """The int8 step of a pruned float32 step.

    Args:
        step: Its graph, with gradients as results.
        selected: What is updated.
        values: The model's parameters and buffers.
        ranges: Of the float graph's values.
        rate: The learning rate that stands in the graph as an example.
        headroom: How many times its largest weight a trained weight can become.
        scaled: The parameters whose updates are scaled (see `scales.update_factor`).

    Raises:
        TinyError: some operators have no int8 form.
    """
    _need_own(selected, values)
    walk = Walk(step, selected, values, ranges, headroom, scaled)
    for name in step.inputs:
        _input(walk, step.nodes[name])
    lr, seed = walk.placeholder("lr", rate), walk.placeholder("seed", 0)
    if missing := _written(walk, backward.Updates(walk, lr, seed)):
        raise TinyError(
            f"There is no int8 form of {listed(missing, 12)}; what depends on it was not tried. "
            + remedy(missing, ', or train in float32 (dtype="float32").')
        )
    results = [node for node in walk.graph.nodes if node.name == walk.loss]
    walk.graph.output(tuple(results))
    made = replace(
        step,
        graph=walk.graph,
        parameters=walk.parameters,
        buffers={},
        loss=walk.loss,
        gradients={},
        constants=walk.constants,
        channels={},
        updated=frozenset(walk.updated),
        is_integer=True,
    )
    return Quantized(made.cleaned(), walk.integers, walk.scales, walk.inputs, walk.scores)


def _need_own(selected: Selection, values: Mapping[str, torch.Tensor]) -> None:
    """Refuse to train what two layers share: its step would be of two scales."""
    for name in selected:
        for other, value in values.items():
            if value is values[name] and other != name:
                raise TinyError(
                    f"{name!r} and {other!r} are one parameter, and in int8 there is no step of "
                    "what layers share. Leave it out of `update`, or train in float32 "
                    '(dtype="float32").'
                )


def _written(walk: Walk, updates: backward.Updates) -> list[str]:
    """Write the int8 form of all nodes; the operators that have none, each with the reason.

    Of what reads a value without one only the lack of a rule is known.
    """
    missing: dict[str, None] = {}
    without: set[Node] = set()
    for node in walk.step.graph.nodes:
        if node.op != "call_function":
            continue
        try:
            if without.isdisjoint(node.all_input_nodes):
                _rewritten(walk, updates, node)
            else:
                without.add(node)
                _need_rule(walk, updates, node)
        except (NoInt8, KeyError) as reason:
            why = str(reason) if isinstance(reason, NoInt8) else "it reads what has none"
            missing[f"{node.target} ({why})"] = None
            without.add(node)
    return list(missing)


def _input(walk: Walk, node: Node) -> None:
    value = node.meta["val"]
    if value.is_floating_point():
        scale = walk.inputs[node.name] = walk.scale(node)
        made = walk.placeholder(node.name, torch.empty(value.shape, dtype=torch.int8))
        walk.known[node] = Activation(made, scale)
    else:
        walk.known[node] = walk.placeholder(node.name, value)


def _rewritten(walk: Walk, updates: backward.Updates, node: Node) -> None:
    walk.now = node
    if node in walk.known or updates.is_gradient(node):
        pass  # it is a part of another
    elif is_view(node):
        _view(walk, node)
    elif node.target in _table(walk, node):
        _table(walk, node)[node.target](walk, node)
    else:
        _need_rule(walk, updates, node)
    updates.after(node)


def _table(walk: Walk, node: Node) -> Mapping[Any, Callable[[Walk, Node], None]]:
    return forward.TABLE if node.name in walk.step.forward else backward.TABLE


def _need_rule(walk: Walk, updates: backward.Updates, node: Node) -> None:
    is_part = is_view(node) or updates.is_gradient(node)
    if not is_part and node.target not in {*_table(walk, node), operator.getitem}:
        raise NoInt8("it has no rule")


def _view(walk: Walk, node: Node) -> None:
    read = node.args[0]
    value = walk.known.get(read)
    if isinstance(value, Activation | Gradient):
        made = walk.add(node.target, value.node, *node.args[1:], **node.kwargs)
        walk.known[node] = replace(value, node=made)
