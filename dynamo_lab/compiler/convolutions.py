"""Where tensors lie in a graph that convolves: channels side by side, as the CPU computes best.

In comes a graph; out come fake tensors: of each node whose strides become others by it, and of what
each convolution is given. PyTorch itself says what strides follow from these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_arg

aten = torch.ops.aten


@dataclass(frozen=True)
class Layouts:
    """Fake tensors in place of those that nodes have."""

    results: dict[fx.Node, Any] = field(default_factory=dict[fx.Node, Any])
    inputs: dict[fx.Node, list[torch.Tensor]] = field(
        default_factory=dict[fx.Node, list[torch.Tensor]]
    )
    """The tensor and the weights that a convolution is given, by its node."""


def layouts(module: fx.GraphModule) -> Layouts:
    """None become others where most would be copied back: what a graph returns has its strides."""
    made, nodes = Layouts(), module.graph.nodes
    for node in filter(lambda node: node.op == "call_function", nodes):
        convolves = _convolves(node)
        if not convolves and made.results.keys().isdisjoint(node.all_input_nodes):
            continue
        args, kwargs = map_arg(
            (node.args, node.kwargs), lambda one: made.results.get(one, one.meta.get("val"))
        )
        if convolves:
            side_by_side = [x.contiguous(memory_format=torch.channels_last) for x in args[:2]]
            made.inputs[node] = side_by_side
            args = (*side_by_side, *args[2:])
        target: Any = aten.reshape.default if node.target is aten.view.default else node.target
        made.results[node] = target(*args, **kwargs)
    returned = {one for node in nodes if node.op == "output" for one in node.all_input_nodes}
    convolved = sum(map(_bytes, made.inputs))
    copied = sum(map(_bytes, returned & made.results.keys()))
    return made if copied * 2 <= convolved else Layouts()


def _convolves(node: fx.Node) -> bool:
    if node.target is not aten.convolution.default or not torch.backends.mkldnn.is_available():
        return False
    x: Any = node.args[0]
    value = x.meta.get("val")
    return value.dim() == 4 and value.device.type == "cpu" and not _is_dynamic(node)


def _is_dynamic(node: fx.Node) -> bool:
    values: list[Any] = [one.meta.get("val") for one in (node, *node.all_input_nodes)]
    return any(not isinstance(n, int) for value in values for n in value.shape)


def _bytes(node: fx.Node) -> int:
    value: Any = node.meta.get("val")
    return value.nbytes if isinstance(value, torch.Tensor) else 0
