"""Graph breaks: where Dynamo stopped capturing, why, and what PyTorch advises."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Id, Ref
from dynamo_lab.model.graphs import Value

BreakEffect = Literal["resumed", "stopped", "skipped", "failed"]


class Operand(Struct, frozen=True, array_like=True):
    """An operand of the instruction at fault: the name of a local, else of its node."""

    name: str
    value: Value


class Break(Struct, frozen=True, kw_only=True):
    """A graph break.

    `gb_type` is PyTorch's name for the kind of break and `registry_id` its number in the registry
    of breaks (torch/_dynamo/graph_break_registry.json), empty if it is not there.
    `effect` says what followed: the frame resumed after the break, stopped being compiled (from
    line `left_at` on Python ran it), was skipped entirely, or failed (`fullgraph=True`); `times`
    counts the compilations of the frame that broke there, of which `compile_id` is the first.
    `resume_frames` appeared after it; `joins` had appeared after another break, and resume after
    this one as well. `stack` goes from the frame to the line that broke.
    `offset` and `opname` are the instruction of the frame's bytecode at fault, where known (of an
    index, from Python 3.14 on, "BINARY_OP []"), and `operands` the tensors passed to it or to what
    it called; `in_try` says that it is in a `try` of the frame, where Dynamo cannot resume.
    """

    id: Id
    frame: Annotated[int, Ref("frames")]
    compile_id: str
    span: Annotated[int, Ref("spans")]
    effect: BreakEffect
    gb_type: str
    reason: str
    registry_id: str = ""
    context: str = ""
    explanation: str = ""
    hints: tuple[str, ...] = ()
    link: str = ""
    stack: Annotated[int | None, Ref("stacks")] = None
    graph_before: Annotated[int | None, Ref("graphs")] = None
    resume_frames: Annotated[tuple[int, ...], Ref("frames")] = ()
    joins: Annotated[tuple[int, ...], Ref("frames")] = ()
    times: int = 1
    offset: int | None = None
    opname: str = ""
    operands: tuple[Operand, ...] = ()
    in_try: bool = False
    left_at: int | None = None
