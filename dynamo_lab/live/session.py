"""The live objects of a recorded run, in one place and with one lifetime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from msgspec import structs

from dynamo_lab.errors import EditError
from dynamo_lab.live.compiled_program import CompiledProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.capture.autograd.joints import Joint
    from dynamo_lab.capture.guards.live_guards import Checks
    from dynamo_lab.capture.kernels.interpreted import WrittenModule
    from dynamo_lab.capture.packages.calls import ExportCall
    from dynamo_lab.live.compiler.living import Living
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Program, Run

NO_PROGRAM = (
    "There is no program to run an edited kernel in: this recording was loaded from a file, or was "
    "made with record() or %%record. Use explore() or %%compile."
)


class Closing(Protocol):
    """What has an end."""

    def close(self) -> None:
        """Release what it holds."""
        ...


class Session:
    """The objects that answer for a recording, while its handle exists or until `close`.

    Without a run there are none, as for a recording that was loaded from a file: what needs them
    raises an error that says how to record again.
    """

    def __init__(self, run: Run | None = None) -> None:
        self.program: Program | None = run.program if run else None
        """The program, if it can run again."""
        self.checks: Checks | None = run.checks if run else None
        """The compiled guards."""
        self.joints: dict[int, Joint] = run.joints if run else {}
        """The joint graphs, by partition."""
        self.export_calls: dict[int, ExportCall] = run.export_calls if run else {}
        """The exports that failed, to make again, by their place in the recording."""
        self.written: dict[int, WrittenModule] = run.written if run else {}
        """The modules that a lowering generated, by wrapper."""
        self.replan: Callable[[Any], Recording] | None = None
        """Another update of a planned training step: see `api/tiny/plan.py`."""
        self.was_here = run is not None
        """Whether it was recorded in this process, so that its cells are this notebook's."""
        self.ground: Closing | None = None
        """The playground that a view opened: `playground/answers.py` knows more of it."""
        self.drafts: dict[str, Any] = {}
        """What its columns show."""
        self._compiled: CompiledProgram | None = None
        self._living: Living | None = None

    @property
    def can_assemble(self) -> bool:
        """Whether Inductor generated the kernels in this process, so that they can be assembled."""
        return self.was_here

    def compiled_program(self) -> CompiledProgram:
        """The program, compiled for the available device at the first edit and kept for the next.

        Raises:
            EditError: the program is not available.
        """
        if self.program is None:
            raise EditError(NO_PROGRAM)
        if self._compiled is None:
            choice = structs.replace(self.program.choice, target="")
            self._compiled = CompiledProgram(self.program.chosen(choice))
        return self._compiled

    def living(self, recording: Recording) -> Living:
        """The recording's programs of the backend lab, made at the first change of one.

        Raises:
            LoweringError: the program is not available, or is compiled to other graphs now.
        """
        if self._living is None:
            from dynamo_lab.live.compiler.living import living_programs

            self._living = living_programs(recording, self.program)
        return self._living

    def close(self) -> None:
        """Release all of it; closing again does nothing."""
        if self.ground is not None:
            self.ground.close()
        self.ground, self.drafts = None, {}
        self.program = self.checks = self._compiled = self._living = None
        self.joints, self.export_calls, self.written = {}, {}, {}
        self.replan = None
        self.was_here = False
