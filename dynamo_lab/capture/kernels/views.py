"""Calls of a library that return other indices into what they are given: they are no kernels."""

from typing import Any

import torch

from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.lowering.hooks import KERNEL_OPERATOR


def is_view(operator: Any) -> bool:
    """Whether an operator computes nothing: every view of complex numbers is called so.

    One that is composed of others, such as `reshape`, may copy, though its schema has an alias.
    """
    return (
        isinstance(operator, OPERATORS.OpOverload)
        and operator.is_view
        and not operator.has_kernel_for_dispatch_key("CompositeImplicitAutograd")
    )


def calls_view(node: Any) -> bool:
    """Whether a node of Inductor's IR calls one."""
    return is_view(KERNEL_OPERATOR.of(node))


def names_view(name: str) -> bool:
    """Whether a name in generated code is of one: "torch.ops.aten.view_as_real.default"."""
    if not name.startswith("torch.ops."):
        return False
    found: Any = torch.ops
    for part in name.split(".")[2:]:
        found = getattr(found, part, None)
    return is_view(found)
