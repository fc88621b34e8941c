"""A walk over a float graph: what is known in int8 of each of its nodes, and what is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import fx

from dynamo_lab.tiny.graph import StepGraph, add, born_of, is_view
from dynamo_lab.tiny.int8.scales import (
    Scale,
    quantized_bias,
    quantized_weight,
    scale_of,
    weight_scales,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.tiny.graph import Node
    from dynamo_lab.tiny.int8.ranges import Ranges
    from dynamo_lab.tiny.selection import Selection


@dataclass(frozen=True)
class Activation:
    """An int8 value of the forward; `scores` are int16 and have the loss's own scale."""

    node: Node
    scale: Scale
    is_scores: bool = False


@dataclass(frozen=True)
class Gradient:
    """An int8 gradient: `q * scale * factor`, the scale a value of the step."""

    node: Node
    scale: Node
    factor: float = 1.0


@dataclass(frozen=True)
class Weight:
    """A parameter in int8 (a bias in int32), with its scales by output channel."""

    node: Node
    name: str
    scales: torch.Tensor


@dataclass
class Walk:
    """The state of the pass: what is known of each node of the float graph, and what is written.

    `now` is the node of the float graph that is being rewritten.
    """

    step: StepGraph
    selected: Selection
    values: Mapping[str, torch.Tensor]
    ranges: Ranges
    headroom: float
    scaled: frozenset[str]
    graph: fx.Graph = field(default_factory=fx.Graph)
    known: dict[Node, Any] = field(default_factory=dict[Any, Any])
    constants: dict[str, torch.Tensor] = field(default_factory=dict[str, torch.Tensor])
    parameters: dict[str, str] = field(default_factory=dict[str, str])
    integers: dict[str, torch.Tensor] = field(default_factory=dict[str, torch.Tensor])
    scales: dict[str, torch.Tensor] = field(default_factory=dict[str, torch.Tensor])
    inputs: dict[str, Scale] = field(default_factory=dict[str, Scale])
    updated: set[str] = field(default_factory=set[str])
    now: Node = None
    loss: str = ""
    scores: str = ""

    def add(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        """A new node at the end."""
        return born_of(add(self.graph, target, *args, **kwargs), self.now)

    def update(self, target: Any, weight: Weight, *args: Any, **kwargs: Any) -> None:
        """A node that writes to a parameter."""
        node = self.graph.call_function(target, args, kwargs)
        born_of(node, self.now).meta |= {"val": None, "writes": weight.node.name}
        self.updated.add(weight.name)

    def constant(self, name: str, value: torch.Tensor) -> Node:
        """A placeholder for numbers that are computed ahead of time."""
        return self.placeholder(f"{name}_{len(self.constants)}", value, self.constants)

    def placeholder(self, name: str, value: Any, owner: dict[str, Any] | None = None) -> Node:
        """A placeholder after those that there are."""
        last = [node for node in self.graph.nodes if node.op == "placeholder"][-1:]
        first = next(iter(self.graph.nodes), None)
        with self.graph.inserting_after(last[0]) if last else self.graph.inserting_before(first):
            node = self.graph.placeholder(name)
        node.meta["val"] = value.to("meta") if isinstance(value, torch.Tensor) else value
        if owner is not None:
            owner[node.name] = value
        return node

    def scale(self, node: Node) -> Scale:
        """Of a value of the float forward."""
        return scale_of(*self.ranges[node.name])

    def weight(self, node: Node) -> Weight:
        """A weight, from its placeholder or a transpose of it."""
        while is_view(node):
            node = node.args[0]
        if node not in self.known:
            name = self.step.parameters[node.name]
            room = self.headroom if name in self.selected else 1.0
            scales = weight_scales(self.values[name], room)
            self._parameter(node, name, quantized_weight(self.values[name], scales), scales)
        return self.known[node]

    def bias(self, node: Node | None, of_sums: torch.Tensor) -> Weight | None:
        """A bias, in units of the sums that it is added to."""
        if node is not None and node not in self.known:
            name = self.step.parameters[node.name]
            integers = quantized_bias(self.values[name], of_sums)
            self._parameter(node, name, integers, of_sums)
        return None if node is None else self.known[node]

    def _parameter(
        self, node: Node, name: str, integers: torch.Tensor, scales: torch.Tensor
    ) -> None:
        made = self.placeholder(node.name, integers)
        self.parameters[made.name] = name
        self.integers[name], self.scales[name] = integers, scales
        self.known[node] = Weight(made, name, scales)


class NoInt8(Exception):
    """An operator that has no int8 form, with the reason."""
