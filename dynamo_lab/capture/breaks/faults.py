"""What caused a break: the instruction of the frame, and its tensor operands."""

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from types import FrameType
from typing import Any, NamedTuple

import torch

from dynamo_lab.capture.breaks import hooks
from dynamo_lab.capture.graphs.nodes import node_value, tensor_value
from dynamo_lab.model.breaks import Operand

_NAMES = ("value", "self", "obj", "args", "kwargs", "items")
"""What Dynamo's handlers call the values that they are given, the one at fault first."""
_MOST = 6
_INDEX = 26
"""`NB_SUBSCR` in `Include/opcode.h`: what `BINARY_OP` does for `x[i]`, from Python 3.14 on."""


class Fault(NamedTuple):
    """`offset` and `opname` are of the frame's own bytecode, where a call stands for all below.

    `in_try` tells that the frame is in a `try` there, in which Dynamo cannot resume.
    """

    offset: int | None
    opname: str
    operands: tuple[Operand, ...]
    in_try: bool = False


NOWHERE = Fault(None, "", ())


def current_fault() -> Fault:
    """What Dynamo interprets at this moment, read from its own handlers on the Python stack."""
    translators = hooks.TRANSLATOR.get()
    operands: tuple[Operand, ...] = ()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        known = frame.f_locals
        translator = known.get("self")
        if not operands:
            operands = tuple(islice(_operands([known.get(name) for name in _NAMES]), _MOST))
        if isinstance(translator, translators):
            # the stack of the innermost translator has lost its operands to the handler by now
            return at(translator, operands)
        frame = frame.f_back
    return NOWHERE


def at(translator: Any, operands: tuple[Operand, ...] = ()) -> Fault:
    """The instruction that the frame itself is at, however deep in inlined calls the fault is."""
    root = translator.output.root_tx or translator
    instruction = root.current_instruction
    return Fault(instruction.offset, _opname(instruction), operands, _in_try(root, instruction))


def _opname(instruction: Any) -> str:
    """The name of an instruction, with the brackets of an index where that is an operator."""
    is_index = (instruction.opname, instruction.arg) == ("BINARY_OP", _INDEX)
    return "BINARY_OP []" if is_index else instruction.opname


def _in_try(root: Any, instruction: Any) -> bool:
    """Whether an exception would be handled here by other than a `with` that can be entered again.

    As `should_compile_partial_graph` asks it of a translator.
    """
    entry, blocks = instruction.exn_tab_entry, root.block_stack
    handled = entry is not None and (not blocks or entry.target is not blocks[-1].target)
    return handled or any(not block.can_restore() for block in blocks)


def _operands(value: Any) -> Iterator[Operand]:
    """The tensors among Dynamo's own values, without realizing what it still holds back."""
    if isinstance(value, hooks.LAZY_VARIABLE.get()):
        if value.is_realized():
            yield from _operands(value.realize())
        elif isinstance(tensor := value.peek_value(), torch.Tensor):
            yield Operand(_name(value.original_source()) or "value", tensor_value(tensor))
    elif isinstance(value, hooks.TENSOR_VARIABLE.get()):
        node = value.as_proxy().node
        yield Operand(_name(value.source) or node.name, node_value(node))
    elif isinstance(value, Mapping):
        yield from _operands(tuple(value.values()))
    elif isinstance(value, list | tuple):
        for item in value[:_MOST]:
            yield from _operands(item)


def _name(source: Any) -> str:
    """The user's name of a local that came into the frame; empty for what was computed."""
    name = str(getattr(source, "local_name", "") or "")
    return "value" if name.startswith("___stack") else name  # left on the stack by a break
