"""Costs: the floating-point operations of a graph's products, by the formulas of all recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.model.core.flops import Call, flops_of
from dynamo_lab.tiny.operators import conv_input_grad, conv_weight_grad

if TYPE_CHECKING:
    from dynamo_lab.tiny.graph import Node, StepGraph


_OF_INTEGERS = "dynamo_lab.tiny.int8"


def flops(step: StepGraph) -> int | None:
    """Of one step; what is no product of matrices or a convolution counts as nothing.

    None where the step computes in integers, which the formulas do not count.
    """
    calls = [node for node in step.graph.nodes if node.op == "call_function"]
    if any(getattr(node.target, "__module__", "").startswith(_OF_INTEGERS) for node in calls):
        return None
    return sum(map(flops_of_node, calls))


def flops_of_node(node: Node) -> int:
    """Of one operation."""
    if node.target in (conv_input_grad, conv_weight_grad):
        return _of_gradient(node)
    results = [value for value in _values(node.meta["val"]) if isinstance(value, torch.Tensor)]
    call = Call(
        shapes=tuple(_shape(arg) for arg in node.args),
        arguments=tuple(str(arg) for arg in node.args),
        results=tuple(tuple(value.shape) for value in results),
    )
    return flops_of(str(node.target), call) or 0


def _of_gradient(node: Node) -> int:
    """As the operator that makes both counts one of them."""
    grad, other, size = node.args[:3]
    given = _shape(other)
    of_input = node.target is conv_input_grad
    wanted = tuple(size)
    shapes = (_shape(grad), wanted, given) if of_input else (_shape(grad), given, wanted)
    arguments = [""] * 10 + [f"[{of_input}, {not of_input}, False]"]
    arguments[7] = "False"
    call = Call(shapes=shapes, arguments=tuple(arguments), results=())
    return flops_of("aten.convolution_backward.default", call) or 0


def _values(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _shape(arg: Any) -> tuple[int, ...] | None:
    value = arg.meta.get("val") if hasattr(arg, "meta") else None
    return tuple(value.shape) if isinstance(value, torch.Tensor) else None
