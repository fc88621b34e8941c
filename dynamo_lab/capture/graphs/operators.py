"""Which overload of which operator a name or a packet means, given the arguments."""

from typing import Any

import torch

from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.graphs.calls import CallOf, call_of
from dynamo_lab.capture.graphs.hooks import RESOLVE_PACKET
from dynamo_lab.errors import DecompositionError

_ADVICE = (
    'pass an overload such as torch.ops.aten.gelu.default, a name such as "aten.gelu", or a '
    "function such as torch.nn.functional.gelu."
)


def resolve(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallOf:
    """The overload that these arguments call; a Python function stays as it is.

    Raises:
        DecompositionError: there is no such operator, or it does not take the arguments.
    """
    if isinstance(op, str):
        op = named(op)
    if isinstance(op, OPERATORS.OpOverloadPacket):
        op = _overload(op, args, kwargs)
    if isinstance(op, OPERATORS.HigherOrderOperator):
        raise DecompositionError(
            f"`{op}` holds whole graphs instead of a rule: decompose the operators in its graphs."
        )
    if isinstance(op, type) or not callable(op):
        raise DecompositionError(f"{op!r} is not an operator: {_ADVICE}")
    return call_of(op, args, kwargs)


def named(name: str) -> Any:
    """The operator of a name: "aten.gelu", "gelu", "aten::gelu", "torch.ops.aten.add.Tensor".

    Raises:
        DecompositionError: there is none.
    """
    parts = name.removeprefix("torch.ops.").replace("::", ".").split(".")
    parts = ["aten", *parts] if len(parts) == 1 else parts
    found: Any = torch.ops
    for part in parts if len(parts) <= 3 and all(map(str.isidentifier, parts)) else ():
        found = getattr(found, part, None)
    if not isinstance(found, OPERATORS.OpOverloadPacket | OPERATORS.OpOverload):
        raise DecompositionError(f"There is no operator {name!r}: {_ADVICE}")
    return found


def _overload(packet: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        overload = RESOLVE_PACKET.get()(packet._qualified_op_name, *args, **kwargs)
    except RuntimeError as error:
        known = ", ".join(packet.overloads())
        raise DecompositionError(
            f"No overload of `{packet}` takes these arguments: pass those of one of {known}."
        ) from error
    return getattr(packet, overload or "default")
