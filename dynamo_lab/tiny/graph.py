"""The graph of a training step: nodes as in FX, with what placeholders and outputs are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch
from torch import fx
from torch.fx.node import map_arg

if TYPE_CHECKING:
    from collections.abc import Mapping

Node = Any
"""A node of FX: what its arguments may be is too much to say at each of them."""

NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class StepGraph:
    """The forward, the backward and, once a pass put them in, the updates of a training step.

    Placeholders are named by their node: `parameters` and `buffers` give the model's own name,
    `inputs` are the example's in order, `constants` hold what was computed ahead of time, and `lr`
    is the placeholder of the learning rate. `gradients` are the outputs that are still to be used
    by an optimizer, by the parameter; `channels` says of which input channels, where not of all.
    One that `is_integer` computes in int8, and its values have the types that they say.
    Nothing changes a graph once it is made: a pass begins with `copied`.
    """

    graph: fx.Graph
    parameters: Mapping[str, str]
    buffers: Mapping[str, str]
    inputs: tuple[str, ...]
    loss: str
    gradients: Mapping[str, str]
    constants: Mapping[str, torch.Tensor] = field(default_factory=lambda: NOTHING)
    channels: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: NOTHING)
    updated: frozenset[str] = frozenset()
    momentum: frozenset[str] = frozenset()
    is_integer: bool = False

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Its nodes by name."""
        return {node.name: node for node in self.graph.nodes}

    @cached_property
    def forward(self) -> frozenset[str]:
        """The nodes that the loss depends on."""
        found = {self.loss}
        waiting = [self.nodes[self.loss]]
        while waiting:
            for read in waiting.pop().all_input_nodes:
                if read.name not in found:
                    found.add(read.name)
                    waiting.append(read)
        return frozenset(found)

    def copied(self) -> StepGraph:
        """The same with a graph of its own, whose nodes have the same names."""
        graph = fx.Graph()
        results = graph.graph_copy(self.graph, {})
        graph.output(results)
        return replace(self, graph=graph)

    def cleaned(self, **changes: Any) -> StepGraph:
        """The same after its own graph was edited: without what nothing uses any more."""
        changed = replace(self, **changes)
        results = [changed.loss, *changed.gradients.values()]
        (output,) = (node for node in self.graph.nodes if node.op == "output")
        output.args = (tuple(changed.nodes[name] for name in results),)
        for node in reversed(list(self.graph.nodes)):
            if node.op == "call_function" and not node.users and not writes(node):
                self.graph.erase_node(node)
        return replace(changed)

    def constant(self, name: str) -> bool:
        """Whether a placeholder has the same value in every step."""
        node = self.nodes[name]
        return (
            node.op == "placeholder"
            and (
                name in self.buffers
                or name in self.constants
                or (name in self.parameters and self.parameters[name] not in self.gradients)
            )
            and self.parameters.get(name) not in self.updated
        )


def is_view(node: Node) -> bool:
    """Whether a node is another look at its first argument's memory."""
    schema = getattr(node.target, "_schema", None)
    returns = schema.returns if schema is not None else ()
    looks = any(value.alias_info is not None and not value.alias_info.is_write for value in returns)
    return looks or node.target is torch.ops.aten._unsafe_view.default


def writes(node: Node) -> bool:
    """Whether a node is there for what it changes, not for its result."""
    return node.meta.get("writes") is not None


def born_of(new: Node, old: Node) -> Node:
    """The new node, which says of which node of the joint graph it was made, as the old one does.

    Views find the user's line and module by that, and whether it is of the backward.
    """
    new.meta |= {key: old.meta[key] for key in ("joint", "is_backward") if key in old.meta}
    return new


def add(graph: fx.Graph, target: Any, *args: Any, **kwargs: Any) -> Node:
    """A new node, with the value that it would have on the fake tensors of its arguments."""
    node = graph.call_function(target, args, kwargs)
    given = map_arg(args, lambda read: read.meta["val"])
    named = map_arg(kwargs, lambda read: read.meta["val"])
    node.meta["val"] = target(*given, **named)
    return node
