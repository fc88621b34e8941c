"""Frames in the order Dynamo met them, each with its outcome, attempts and bytecode."""

from msgspec import Struct


class AttemptView(Struct, frozen=True, kw_only=True):
    """One analysis: what came of it and what it cost. `bytecode` is the code Dynamo wrote."""

    label: str
    outcome: str
    reason: str
    graph: int | None
    seconds: float
    recompiled: tuple[str, ...] = ()
    bytecode: str = ""


class FrameView(Struct, frozen=True, kw_only=True):
    """One frame. `depth` is how many resumptions deep it continues another."""

    id: int
    name: str
    where: str
    entity: str
    outcome: str
    reason: str
    explanation: str
    resumes: int | None
    depth: int
    attempts: tuple[AttemptView, ...]
    graphs: tuple[int, ...]
    breaks: tuple[int, ...]
    guards: int
    bytecode: str = ""
    is_library: bool = False
