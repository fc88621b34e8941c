"""The result of the entry points: the facts of a run, and its live objects in this process."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from dynamo_lab.record.replay import are_light

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dynamo_lab.capture.autograd.joints import Joint
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.guards.live_guards import Checks
    from dynamo_lab.capture.kernels.interpreted import WrittenModule
    from dynamo_lab.capture.packages.calls import ExportCall
    from dynamo_lab.model.core.sources import Source
    from dynamo_lab.model.recording import Recording


class Choice(Struct, frozen=True, kw_only=True):
    """How a program is compiled: for which target, and with which Inductor settings.

    Without a `target` it is the available device. `backend` is torch.compile's.
    """

    target: str = ""
    mode: str | None = None
    dynamic: bool | None = None
    fullgraph: bool = False
    grad: bool | None = None
    settings: dict[str, Any] = {}
    backend: Any = "inductor"


class Program(Protocol):
    """The recorded program, with what is needed to run it again."""

    choice: Choice
    passed: Any
    """What the last run was given and may have written to."""

    def chosen(self, choice: Choice) -> Program:
        """The same program, to compile with other options."""
        ...

    def call(self) -> tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]:
        """What is passed to `torch.compile`, and the arguments of one call, new each time."""
        ...

    def roots(self) -> list[Any]:
        """The roots from which its tensors are found, to restore them after a trial."""
        ...

    def eager(self) -> Any:
        """The result of the original program without compilation."""
        ...

    def compiled(self) -> tuple[Run, Any]:
        """A run of it under `torch.compile`, and its result."""
        ...

    def edited(self, source: Source, text: str, name: str) -> Program | None:
        """The same program from another text, if the program is made from this source."""
        ...

    def namespaces(self) -> list[dict[str, Any]]:
        """Where the program looks up names, besides the globals of functions."""
        ...


@dataclass(frozen=True)
class Run:
    """One recorded run: its facts, and its live objects in this process.

    `checks` are the compiled guards, `joints` the joint graphs by partition,
    `export_calls` the exports that failed, by their place, `written` the modules that a lowering
    generated, by wrapper. `program` is set if it can run again.
    """

    facts: Recording
    checks: Checks | None = None
    joints: dict[int, Joint] = field(default_factory=dict[int, "Joint"])
    export_calls: dict[int, ExportCall] = field(default_factory=dict[int, "ExportCall"])
    written: dict[int, WrittenModule] = field(default_factory=dict[int, "WrittenModule"])
    program: Program | None = None

    @classmethod
    def of(cls, recorder: Recorder, facts: Recording) -> Run:
        """What a recorder has so far, with the facts frozen from it."""
        return cls(
            facts=facts,
            checks=recorder.checks,
            joints=recorder.joints,
            export_calls=dict(recorder.export_calls),
            written=recorder.written,
        )

    def with_program(self, program: Program) -> Run:
        """The run with its program, if that is worth the memory it keeps alive."""
        return dataclasses.replace(self, program=program) if is_kept(self.facts, program) else self


def is_kept(facts: Recording, program: Program) -> bool:
    """Whether a program is kept with its recording: if something broke, or if it is small.

    It keeps its model and copies of its arguments alive.
    """
    return bool(facts.breaks) or are_light(program.roots())
