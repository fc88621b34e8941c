"""Fold: what has the same value in every step is computed once, ahead of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.fx.node import map_arg

from dynamo_lab.tiny.graph import StepGraph, is_view, writes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.tiny.graph import Node


aten = torch.ops.aten
_OF_SIZES = (
    aten.ones_like.default,
    aten.zeros_like.default,
    aten.full_like.default,
    aten.new_zeros.default,
    aten.new_ones.default,
    aten.full.default,
    aten.arange.default,
)
"""What needs no more of its argument than its shape and type."""


def fold(step: StepGraph, values: Mapping[str, torch.Tensor]) -> StepGraph:
    """The graph with constants in place of what only depends on constants.

    A view of a constant costs nothing and stays. `values` are the model's parameters and buffers
    by their names.
    """
    made = step.copied()
    known: dict[str, Any] = {
        node.name: _value(made, node.name, values)
        for node in made.graph.nodes
        if node.op == "placeholder" and made.constant(node.name)
    }
    given = set(known)
    for node in made.graph.nodes:
        if node.op == "call_function" and not writes(node) and _foldable(node, known):
            known[node.name] = _computed(node, known)
    constants = dict(made.constants)
    gradients = set(made.gradients.values()) | {made.loss}
    first = next(node for node in made.graph.nodes if node.op != "placeholder")
    for node in list(made.graph.nodes):
        if node.name not in known or node.name in given or node.name in gradients:
            continue
        if is_view(node) or not isinstance(known[node.name], torch.Tensor):
            continue
        if all(user.name in known and not is_view(user) for user in node.users):
            continue  # only other constants use it
        with made.graph.inserting_before(first):
            new = made.graph.placeholder(f"constant_{node.name}")
        new.meta["val"] = node.meta["val"]
        constants[new.name] = known[node.name]
        node.replace_all_uses_with(new)
    return made.cleaned(constants=constants)


def _value(step: StepGraph, name: str, values: Mapping[str, torch.Tensor]) -> torch.Tensor:
    if name in step.constants:
        return step.constants[name]
    return values[step.parameters.get(name) or step.buffers[name]].detach()


def _foldable(node: Node, known: Mapping[str, Any]) -> bool:
    if node.target in _OF_SIZES:
        return True
    reads = node.all_input_nodes
    return bool(reads) and all(read.name in known for read in reads) and not _draws(node)


def _draws(node: Node) -> bool:
    """Whether a node draws random numbers."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _computed(node: Node, known: Mapping[str, Any]) -> Any:
    def value(read: Node) -> Any:
        if read.name in known:
            return known[read.name]
        seen = read.meta["val"]
        return torch.empty(seen.shape, dtype=seen.dtype)

    args = map_arg(node.args, value)
    with torch.no_grad():
        return node.target(*args, **map_arg(node.kwargs, value))
