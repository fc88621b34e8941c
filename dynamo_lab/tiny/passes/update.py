"""Update: each parameter changes in place as soon as its gradient is complete.

A gradient then lives from the operation that makes it to the update, not to the end of the step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.tiny.graph import StepGraph, born_of, is_view
from dynamo_lab.tiny.operators import sgd_
from dynamo_lab.tiny.selection import channel_dim

if TYPE_CHECKING:
    from torch import fx

    from dynamo_lab.tiny.graph import Node
    from dynamo_lab.tiny.optimizer import Optimizer


def update(step: StepGraph, optimizer: Optimizer) -> StepGraph:
    """The graph that trains: its only result is the loss."""
    made = step.copied()
    placeholders = [node for node in made.graph.nodes if node.op == "placeholder"]
    with made.graph.inserting_after(placeholders[-1]):
        rate = made.graph.placeholder("lr")
    rate.meta["val"] = optimizer.lr
    by_name = {name: made.nodes[node] for node, name in made.parameters.items()}
    momentum = set[str]()
    for name, gradient in made.gradients.items():
        weight, grad = by_name[name], made.nodes[gradient]
        state = _state(made.graph, name, rate, grad) if optimizer.momentum else None
        momentum |= {state.name} if state else set()
        _insert(made.graph, made, name, weight, grad, rate, state, optimizer)
    return made.cleaned(
        gradients={}, updated=frozenset(made.gradients), momentum=frozenset(momentum)
    )


def _state(graph: fx.Graph, name: str, after: Node, grad: Node) -> Node:
    with graph.inserting_after(after):
        state = graph.placeholder(f"momentum_{name.replace('.', '_')}")
    born_of(state, grad).meta |= {"val": grad.meta["val"], "parameter": name}
    return state


def _insert(
    graph: fx.Graph,
    step: StepGraph,
    name: str,
    weight: Node,
    grad: Node,
    rate: Node,
    state: Node | None,
    optimizer: Optimizer,
) -> None:
    """The update after the gradient and after the last that reads the old weight."""
    options: dict[str, Any] = {
        key: value
        for key, value in (
            ("momentum", optimizer.momentum),
            ("weight_decay", optimizer.weight_decay),
        )
        if value
    }
    if name in step.channels:
        options |= {"dim": channel_dim(weight.meta["val"]), "channels": step.channels[name]}
    place = last_reader(graph, weight, grad)
    with graph.inserting_after(place):
        args = (weight, grad, rate) if state is None else (weight, grad, rate, state)
        node = graph.call_function(sgd_, args, options)
    born_of(node, grad).meta |= {"val": None, "writes": weight.name}


def last_reader(graph: fx.Graph, weight: Node, at_least: Node) -> Node:
    """The last node that reads a weight, through views of it too, and no earlier than another."""
    looks = {weight}
    last, reached = at_least, False
    for node in graph.nodes:
        reached |= node is at_least
        if node.op == "call_function" and looks & set(node.all_input_nodes):
            if is_view(node):
                looks.add(node)
            if reached:
                last = node
    return last
