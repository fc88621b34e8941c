"""Frames: the Python code objects that Dynamo looked at, and each analysis of them."""

from typing import Literal

from msgspec import Struct

FrameOutcome = Literal["compiling", "compiled", "skipped", "failed"]
AttemptOutcome = Literal["compiled", "restarted", "skipped", "failed"]


class Instruction(Struct, frozen=True, array_like=True):
    """One bytecode instruction; lines from 1, columns from 0 in characters, -1 where not known."""

    offset: int
    opname: str
    argument: str
    line: int = -1
    column: int = -1
    end_line: int = -1
    end_column: int = -1
    is_jump_target: bool = False


class Attempt(Struct, frozen=True, kw_only=True):
    """One analysis of a frame. A frame that breaks is analysed again, so it has several.

    `compile_id` is Dynamo's own, "frame/compilation": a recompilation raises its second number,
    `restart` counts the analyses within one compilation.
    """

    compile_id: str
    restart: int
    outcome: AttemptOutcome
    reason: str = ""
    recompile_reasons: tuple[str, ...] = ()
    graph: int | None = None
    seconds: float = 0.0
    bytecode: tuple[Instruction, ...] = ()


class Frame(Struct, frozen=True, kw_only=True):
    """One Python code object that Dynamo looked at: compiled, skipped or failed, and why.

    While the recording goes on, one that Dynamo is not done with is "compiling".

    `caller` is the innermost frame that was running when this one was first called, of the reader's
    and of those that Dynamo traced, and `caller_line` the line it was at.
    """

    id: int
    name: str
    span: int
    outcome: FrameOutcome
    reason: str = ""
    resumes: int | None = None
    resumed_line: int | None = None
    caller: int | None = None
    caller_line: int | None = None
    attempts: tuple[Attempt, ...] = ()
    bytecode: tuple[Instruction, ...] = ()
