"""Frames: the Python code objects that Dynamo looked at, and each analysis of them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Id, Ref, circle

FrameOutcome = Literal["compiling", "compiled", "skipped", "failed"]
AttemptOutcome = Literal["compiled", "restarted", "skipped", "failed"]


class Instruction(Struct, frozen=True, array_like=True):
    """One bytecode instruction; lines from 1, columns from 0 in characters, -1 if not known."""

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
    `restart` counts the analyses within one compilation. The error of one that failed may have been
    `suppressed`: by `suppress_errors` every call of the frame runs eagerly from then on.
    """

    compile_id: str
    restart: int
    outcome: AttemptOutcome
    reason: str = ""
    suppressed: bool = False
    recompile_reasons: tuple[str, ...] = ()
    graph: Annotated[int | None, Ref("graphs")] = None
    seconds: float = 0.0
    bytecode: tuple[Instruction, ...] = ()


class Frame(Struct, frozen=True, kw_only=True):
    """One Python code object that Dynamo looked at: compiled, skipped or failed, and why.

    During the recording, one that Dynamo has not finished is "compiling".

    `caller` is the innermost frame that was running when this one was first called, of the user's
    and of those that Dynamo traced, and `caller_line` the line it was at. A library's wrapper has
    the name of the function that it calls, and `parameters` are what that calls its `args`; of a
    method, `receiver` is Dynamo's name of its object in the wrapper, and the method's own. Of a
    module of PyTorch's, `details` are how it was made, as it prints itself.
    """

    id: Id
    name: str
    span: Annotated[int, Ref("spans")]
    outcome: FrameOutcome
    reason: str = ""
    resumes: Annotated[int | None, Ref("frames")] = None
    resumed_line: int | None = None
    caller: Annotated[int | None, Ref("frames")] = None
    caller_line: int | None = None
    attempts: tuple[Attempt, ...] = ()
    bytecode: tuple[Instruction, ...] = ()
    parameters: tuple[str, ...] = ()
    receiver: tuple[str, str] = ("", "")
    details: str = ""


class Loop(Struct, frozen=True, kw_only=True):
    """A Python loop that Dynamo went through while it captured `graph`, and so unrolled.

    `span` are its lines, from the header on. It ran `times` in all, or at least that often if it is
    not `exact`: of a `while` loop, the jumps back are counted.
    """

    span: Annotated[int, Ref("spans")]
    graph: Annotated[int, Ref("graphs")]
    times: int
    exact: bool = True


def problems(frames: Sequence[Frame]) -> Iterator[str]:
    """A sentence if frames resume or call each other in a circle."""
    for relation, ends in (
        ("frames resume", [frame.resumes for frame in frames]),
        ("frames call", [frame.caller for frame in frames]),
    ):
        yield from circle(relation, [() if end is None else (end,) for end in ends])
