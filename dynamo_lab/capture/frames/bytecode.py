"""The instructions of code objects, each with its place in the source."""

import dis
from collections.abc import Iterable
from types import CodeType
from typing import Any

from dynamo_lab.capture.core.sources import Texts
from dynamo_lab.model.frames import Instruction

_CONSTANTS = ("LOAD_CONST", "RETURN_CONST", "LOAD_SMALL_INT")  # the last two from 3.12 and 3.14 on


def keep_code(code: CodeType, texts: Texts) -> None:
    """Store the source lines of a code object, even of a library."""
    lines = [line for *_, line in code.co_lines() if line]
    if lines:
        texts.keep_lines(code.co_filename, min(code.co_firstlineno, *lines), max(lines))


def bytecode(code: CodeType, texts: Texts) -> tuple[Instruction, ...]:
    """The instructions of a code object, with the source position of each."""
    return tuple(_instruction(code, item, texts) for item in dis.get_instructions(code))


def instructions(code: CodeType, items: Iterable[Any], texts: Texts) -> tuple[Instruction, ...]:
    """Instructions of a code object as Dynamo holds them, which leaves their arguments unnamed."""
    known = {item.offset: item for item in dis.get_instructions(code)}
    return tuple(_instruction(code, item, texts, known.get(item.offset)) for item in items)


def _argument(instruction: Any) -> str:
    """An argument in words, of an instruction that Dynamo moved or made."""
    value = instruction.argval
    if instruction.opname in _CONSTANTS:
        return repr(value) if type(value) in (str, int, float, bool, tuple, type(None)) else ""
    return _named(instruction) or (value if isinstance(value, str) else "")


def _named(instruction: Any) -> str:
    """An argument as `dis` has it, but jumps go to offsets, also where it names labels (3.13)."""
    written = instruction.argrepr or ""  # Dynamo's own instructions have none
    is_label = written.startswith("to L") and isinstance(instruction.argval, int)
    return f"to {instruction.argval}" if is_label else written


def _instruction(code: CodeType, instruction: Any, texts: Texts, named: Any = None) -> Instruction:
    at = instruction.positions
    offset = -1 if instruction.offset is None else instruction.offset
    name = instruction.opname
    if named is None or named.opname != name:
        argument = _argument(instruction)[:200]
    else:
        argument = _named(named)[:200]
    if at is None or at.lineno is None:
        return Instruction(offset, name, argument, is_jump_target=instruction.is_jump_target)
    start, end = texts.columns(
        code.co_filename, at.lineno, at.end_lineno or at.lineno, (at.col_offset, at.end_col_offset)
    )
    return Instruction(
        offset,
        name,
        argument,
        at.lineno,
        start,
        at.end_lineno or -1,
        end,
        instruction.is_jump_target,
    )
