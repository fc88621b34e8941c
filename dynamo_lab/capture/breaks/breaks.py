"""Graph breaks: what Dynamo could not trace, where, and which function resumes after it."""

from collections.abc import Generator
from types import CodeType
from typing import Any, NamedTuple

from dynamo_lab.capture.breaks import faults, hooks
from dynamo_lab.capture.breaks.faults import NOWHERE, Fault
from dynamo_lab.capture.breaks.registry import documentation_link, registry_id
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.frames.outcomes import is_soft_failure
from dynamo_lab.model.breaks import Break, BreakEffect

_STEPPED = "step_unsupported"
"""Why a frame is compiled no further than to the last line from which Python can take over, as
Dynamo cannot resume where it broke (`InstructionTranslatorBase.step_graph_break`)."""


class Story(NamedTuple):
    """The arguments of `unimplemented`: the parts of Dynamo's message."""

    gb_type: str
    context: str
    explanation: str
    hints: tuple[str, ...]
    fault: Fault = NOWHERE


class Candidate(NamedTuple):
    """A break that counts once the attempt that makes it succeeds."""

    message: str
    span: int
    stack: int | None
    resumed: list[CodeType]
    fault: Fault
    left_at: int | None = None


class BreakProbes:
    """Records breaks.

    Dynamo meets a break twice: it fails to interpret an instruction, restarts the analysis, and on
    reaching the instruction again compiles what it has and breaks. The reason is known the first
    time, the break real the second.
    """

    def __init__(self, recorder: Recorder, compilations: Compilations) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._stories: dict[str, Story] = {}
        self._unattached: Story | None = None
        self._logged: dict[str, Any] = {}
        self._candidate: Candidate | None = None
        self._resumed: dict[int, tuple[CodeType, int]] = {}
        self._appeared: dict[int, int] = {}

    def install(self, patches: Patches) -> None:
        """Watch the raising, the logging and the making of breaks."""
        patches.hook(hooks.MESSAGE, self.message)
        patches.hook(hooks.LOGGED, self.logged)
        patches.hook(hooks.SUBGRAPH, self.subgraph)

    def message(
        self, gb_type: str, context: str, explanation: str, hints: list[str]
    ) -> Generator[None, Any, None]:
        """Dynamo explains what it does not support."""
        message = yield
        fault = faults.current_fault()
        story = Story(gb_type, str(context), str(explanation), tuple(map(str, hints)), fault)
        self._stories[message] = self._unattached = story

    def logged(
        self, translator: Any, code_options: Any, reason: str, exc: Any
    ) -> Generator[None, Any, None]:
        """Dynamo logs why it is going to break: here the exception is still at hand."""
        self._logged[self._compilations.current_id()] = exc
        yield

    def subgraph(
        self, output: Any, tx: Any, reason: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """Dynamo compiles what it has so far: because of a break, or at the end of the function."""
        if reason.graph_break:
            logged = self._logged.get(self._compilations.current_id())
            known = reason.reason in self._stories or logged is None
            stack = reason.user_stack if known else hooks.REAL_STACK.of(logged) or reason.user_stack
            texts = self._recorder.texts
            stops = reason.reason == _STEPPED
            self._candidate = Candidate(
                message=reason.reason if known else getattr(logged, "msg", str(logged)),
                span=texts.span_of_summary(stack[0])
                if stops and stack
                else self._span_of(output.root_tx),
                stack=texts.stack_of_summary(stack) if stack else None,
                resumed=[],
                fault=NOWHERE if stops else faults.at(tx),
                left_at=output.root_tx.lineno if stops else None,
            )
        yield

    def _span_of(self, translator: Any) -> int:
        code, at = translator.f_code, translator.current_instruction.positions
        columns = (at.col_offset, at.end_col_offset) if at else (None, None)
        end_line = at.end_lineno if at else None
        return self._recorder.texts.span(
            code.co_filename, translator.lineno, code.co_name, columns, end_line
        )

    def resumes_in(self, code: CodeType) -> None:
        """This function resumes after the current break."""
        if self._candidate is not None:
            self._candidate.resumed.append(code)

    def forget(self) -> None:
        """An attempt begins, or came to nothing: what was about to break is void."""
        self._candidate = None

    def commit(self, frame: int, compile_id: str, graph: int | None) -> None:
        """The attempt succeeded: its break is real."""
        candidate, self._candidate = self._candidate, None
        if candidate is None:
            return
        position = self._add(
            frame,
            compile_id,
            candidate.message,
            "resumed" if candidate.left_at is None else "stopped",
            candidate.span,
            candidate.stack,
            graph,
            candidate.fault,
            candidate.left_at,
        )
        for code in candidate.resumed:
            self._resumed[id(code)] = (code, position)
            self._join(position, self._appeared.get(id(code)))

    def ended_by(
        self, error: BaseException, frame: int, compile_id: str, *, fullgraph: bool
    ) -> None:
        """The compilation of a whole frame ended in what would otherwise be a break."""
        if not is_soft_failure(error):
            return
        stack = list(hooks.REAL_STACK.of(error) or ())
        span = (
            self._recorder.texts.span_of_summary(stack[0])
            if stack
            else self._recorder.frames[frame].span
        )
        self._add(
            frame,
            compile_id,
            getattr(error, "msg", str(error)),
            "failed" if fullgraph else "skipped",
            span,
            self._recorder.texts.stack_of_summary(stack) if stack else None,
            None,
        )

    def _add(
        self,
        frame: int,
        compile_id: str,
        message: str,
        effect: BreakEffect,
        span: int,
        stack: int | None,
        graph: int | None,
        fault: Fault = NOWHERE,
        left_at: int | None = None,
    ) -> int:
        """The id of a break, which a recompilation meets again."""
        cause, *later = self._stories_in(message)
        without_paths = self._recorder.texts.without_paths
        if fault.offset in (None, cause.fault.offset):  # else it was for another break
            fault = cause.fault
        self._unattached = None
        for known in self._recorder.breaks:
            if (known.frame, known.span, known.gb_type) == (frame, span, cause.gb_type):
                self._recorder.update(self._recorder.breaks, known.id, times=known.times + 1)
                return known.id
        self._recorder.breaks.append(
            Break(
                id=len(self._recorder.breaks),
                frame=frame,
                compile_id=compile_id,
                span=span,
                effect=effect,
                gb_type=cause.gb_type,
                reason=later[-1].explanation if later else cause.explanation.partition("\n")[0],
                registry_id=registry_id(cause.gb_type),
                context=without_paths(cause.context),
                explanation=without_paths(cause.explanation),
                hints=tuple(map(without_paths, cause.hints)),
                link=documentation_link(cause.gb_type),
                stack=stack,
                graph_before=graph,
                offset=fault.offset,
                opname=fault.opname,
                operands=fault.operands,
                in_try=fault.in_try,
                left_at=left_at,
            )
        )
        return len(self._recorder.breaks) - 1

    def _stories_in(self, message: str) -> list[Story]:
        """The breaks in a message, the cause first: one break can lead to another."""
        if message in self._stories:
            return [self._stories[message]]
        found = [(message.find(text), story) for text, story in self._stories.items()]
        told = [story for position, story in sorted(found) if position >= 0]
        return told or [Story(message.strip().partition("\n")[0], "", message, ())]

    def _join(self, position: int, frame: int | None) -> None:
        """What resumes after a break appeared after another one, and may never be compiled anew."""
        item = self._recorder.breaks[position]
        if frame is not None and frame not in (*item.resume_frames, *item.joins):
            self._recorder.update(self._recorder.breaks, position, joins=(*item.joins, frame))

    def frame_appeared(self, code: CodeType, frame: int) -> None:
        """A frame is looked at for the first time: it may be what goes on after a break."""
        if id(code) in self._resumed:
            self._appeared[id(code)] = frame
            position = self._resumed[id(code)][1]
            resumes = self._recorder.breaks[position].resume_frames
            self._recorder.update(self._recorder.breaks, position, resume_frames=(*resumes, frame))

    def take_unattached(self) -> str:
        """What Dynamo said of a frame that it gave up on before compiling, once."""
        story, self._unattached = self._unattached, None
        return story.explanation if story else ""
