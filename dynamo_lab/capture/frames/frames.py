"""Frames: the code objects that Dynamo looks at, each attempt on them, and its outcome."""

import dis
import sys
from collections.abc import Generator, Iterable
from types import CodeType, FrameType
from typing import Any

import msgspec

from dynamo_lab.capture.breaks.breaks import BreakProbes
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.private import nothing
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.sources import Texts
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.frames import hooks, outcomes
from dynamo_lab.capture.frames.wrapped import wrapped_by
from dynamo_lab.capture.guards.guard_failures import failed_guard
from dynamo_lab.model.frames import Attempt, AttemptOutcome, Frame, Instruction
from dynamo_lab.model.guards.guards import Recompile


class FrameProbes:
    """Records frames. Knows them by their code objects, which it keeps alive."""

    def __init__(self, recorder: Recorder, compilations: Compilations, breaks: BreakProbes) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._breaks = breaks
        # code objects compare equal by content, so two functions alike need their identities
        self._frames: dict[int, tuple[CodeType, int]] = {}
        self._continues: dict[int, tuple[CodeType, int]] = {}
        self._rewritten: dict[int, int] = {}
        self._reasons: dict[str, tuple[str, ...]] = {}
        self._kept: list[CodeType] = []  # an id is only good while its object lives

    def install(self, patches: Patches, undo: Undo) -> None:
        """Watch Dynamo's way from a frame to compiled code."""
        outcomes.watch_skips(patches, self.looked_at)
        patches.hook(hooks.COMPILE, self.compilation)
        patches.hook(hooks.TRACE_FRAME, self.attempt)
        patches.hook(hooks.RECOMPILATION, self.recompilation)
        patches.hook(hooks.RESUME, self.resume_function)
        undo.add(_remove, hooks.BYTECODE_HOOKS.get(), self._modified_bytecode)
        handle = hooks.BYTECODE_HOOK.get()(self._modified_bytecode)
        undo.add(nothing if handle is None else handle.remove)

    def frame(self, code: CodeType) -> int:
        """The id of the frame with this code object."""
        if id(code) in self._frames:
            return self._frames[id(code)][1]
        caller, caller_line = self._caller()
        original, line = self._continues.get(id(code), (None, None))
        frame = len(self._recorder.frames)
        self._frames[id(code)] = (code, frame)
        self._recorder.frames.append(
            Frame(
                id=frame,
                name=readable_name(code.co_qualname if original is None else code.co_name),
                span=self._recorder.texts.span(code.co_filename, code.co_firstlineno, code.co_name),
                outcome="compiling",
                resumes=self.frame(original) if original is not None else None,
                resumed_line=line,
                caller=caller,
                caller_line=caller_line,
            )
        )
        self._breaks.frame_appeared(code, frame)
        return frame

    def _caller(self) -> tuple[int | None, int | None]:
        """The frame that is calling the one Dynamo looks at, and the line it is at.

        What runs of a compiled frame is the code that Dynamo wrote for it, on the lines of the old.
        A library's function that was left alone is no caller: all modules share `_call_impl`.
        """
        at: FrameType | None = sys._getframe(1)
        while at is not None:
            code = id(at.f_code)
            frame = self._frames[code][1] if code in self._frames else self._rewritten.get(code)
            if frame is not None and self._may_call(frame, at.f_code):
                return frame, at.f_lineno
            at = at.f_back
        return None, None

    def _may_call(self, frame: int, code: CodeType) -> bool:
        is_traced = bool(self._recorder.frames[frame].bytecode)
        return is_traced or self._recorder.texts.is_users(code.co_filename)

    def looked_at(self, code: CodeType, reason: str, compiled: bool) -> None:
        """Dynamo decided what to do with a call; `reason` says why it skips it, if it does."""
        if self._recorder.texts.is_ours(code.co_filename):
            return
        frame = self.frame(code)
        known = self._recorder.frames[frame]
        if compiled or known.attempts:
            return
        told = self._breaks.take_unattached()
        if not reason or "suppressed" in reason:  # it gave up before compiling, and said why
            reason = told or reason
        self._recorder.update(self._recorder.frames, frame, outcome="skipped", reason=reason)

    def compilation(self, code: CodeType, *rest: Any, **kwargs: Any) -> Generator[None, Any, None]:
        """Dynamo compiles a frame, in one attempt or several."""
        compile_id = str(kwargs["compile_id"])
        frame = self.frame(code)
        self._compilations.begin(compile_id, frame)
        self._keep(frame, code, rest[3])
        try:
            result = yield
        except BaseException as error:
            self._compilation_failed(frame, compile_id, error, fullgraph=bool(rest[5]))
            raise
        if result.guarded_code is None:
            self._not_compiled(frame, hooks.SKIP_REASON.of(result) or "")
        else:
            self._recorder.update(self._recorder.frames, frame, outcome="compiled", reason="")

    def _keep(self, frame: int, code: CodeType, closure: Any) -> None:
        """Keep what is known of a frame before it is analysed: its lines and its instructions."""
        if self._recorder.frames[frame].bytecode:
            return
        self._name_wrapped(frame, code, closure)
        keep_code(code, self._recorder.texts)
        if id(code) not in self._continues:  # Dynamo wrote those itself
            self._recorder.texts.ran(code)
        instructions = bytecode(code, self._recorder.texts)
        self._recorder.update(self._recorder.frames, frame, bytecode=instructions)

    def _name_wrapped(self, frame: int, code: CodeType, closure: Any) -> None:
        """A library's wrapper has the name of the user's function that it calls."""
        wrapped = wrapped_by(code, closure)
        if wrapped is not None and not self._recorder.texts.is_users(code.co_filename):
            facts = {"name": readable_name(wrapped.name), "parameters": wrapped.parameters}
            self._recorder.update(self._recorder.frames, frame, **facts)

    def _not_compiled(self, frame: int, reason: str) -> None:
        known = self._recorder.frames[frame]
        if any(attempt.outcome == "compiled" for attempt in known.attempts):
            return  # an earlier compilation of it stays in use
        if known.attempts and known.attempts[-1].reason:
            reason = known.attempts[-1].reason
        self._recorder.update(self._recorder.frames, frame, outcome="skipped", reason=reason)

    def _compilation_failed(
        self, frame: int, compile_id: str, error: BaseException, *, fullgraph: bool
    ) -> None:
        limit_hit = outcomes.is_recompile_limit(error)
        if limit_hit:
            self._mark_limit(compile_id)
        else:
            self._breaks.ended_by(error, frame, compile_id, fullgraph=fullgraph)
            self.failed(
                frame, compile_id, error, soft=outcomes.is_soft_failure(error) and not fullgraph
            )

    def failed(self, frame: int, compile_id: str, error: BaseException, soft: bool = False) -> None:
        """A compilation ended in an error; `soft` ones leave the frame to Python."""
        self._attempt_failed(frame, compile_id, error)
        known = self._recorder.frames[frame]
        if any(attempt.outcome == "compiled" for attempt in known.attempts):
            return
        outcome = "skipped" if soft else "failed"
        reason = outcomes.first_line(error)
        self._recorder.update(self._recorder.frames, frame, outcome=outcome, reason=reason)

    def _attempt_failed(self, frame: int, compile_id: str, error: BaseException) -> None:
        """What was traced to its end failed after that, in building the guards: it never runs.

        `torch.export` builds them outside of the compilation, which has no id any more.
        """
        attempts = self._recorder.frames[frame].attempts
        last = attempts[-1] if attempts else None
        if (
            last
            and last.outcome == "compiled"
            and last.compile_id == (compile_id or last.compile_id)
        ):
            last = msgspec.structs.replace(
                last, outcome="failed", reason=outcomes.first_line(error)
            )
            attempts = (*attempts[:-1], last)
            self._recorder.update(self._recorder.frames, frame, attempts=attempts)

    def _mark_limit(self, compile_id: str) -> None:
        for index, recompile in enumerate(self._recorder.recompiles):
            if recompile.compile_id == compile_id:
                self._recorder.update(self._recorder.recompiles, index, limit_hit=True)

    def attempt(self, code: CodeType, *rest: Any, **_: Any) -> Generator[None, Any, None]:
        """Dynamo analyses a frame once: in its compilation, or without one for `aot_compile`."""
        self._keep(self.frame(code), code, rest[3])
        compile_id = self._compilations.current_id()
        started = self._recorder.now()
        self._breaks.forget()
        outcome: AttemptOutcome = "compiled"
        reason = ""
        try:
            yield
        except BaseException as error:
            outcome, reason = outcomes.attempt_outcome(error), outcomes.first_line(error)
            raise
        finally:
            self._end_attempt(self.frame(code), compile_id, outcome, reason, started)

    def _end_attempt(
        self, frame: int, compile_id: str, outcome: AttemptOutcome, reason: str, started: float
    ) -> None:
        attempts = self._recorder.frames[frame].attempts
        graph = self._compilations.take_graph(compile_id)
        if outcome == "restarted" and graph is not None:
            # the analysis restarted after the backend had its graph, whose code never runs
            self._recorder.update(self._recorder.graphs, graph, stage="restarted")
            graph = None
        attempt = Attempt(
            compile_id=compile_id,
            restart=sum(a.compile_id == compile_id for a in attempts),
            outcome=outcome,
            reason=reason,
            recompile_reasons=self._reasons.get(compile_id, ()),
            graph=graph,
            seconds=self._recorder.now() - started,
        )
        self._recorder.update(self._recorder.frames, frame, attempts=(*attempts, attempt))
        if outcome == "compiled":
            self._breaks.commit(frame, compile_id, graph)
        else:
            self._breaks.forget()

    def recompilation(
        self, cache_entries: Any, frame: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """Dynamo found no compiled code whose guards hold, and says which guards failed."""
        reasons = yield
        compile_id = self._compilations.current_id()
        failures = tuple(_split_reason(reason) for reason in reasons or ())
        self._reasons[compile_id] = tuple(f"{code}: {failure}" for code, failure in failures)
        if failures:
            self._recorder.recompiles.append(
                Recompile(frame=self.frame(frame.f_code), compile_id=compile_id, failures=failures)
            )
            self._explain_failures(len(self._recorder.recompiles) - 1, cache_entries, frame)

    def _explain_failures(self, recompile: int, cache_entries: Any, frame: Any) -> None:
        """Say what each failed guard required and found; only now are the values available."""
        entries = outcomes.cache_entries(cache_entries)
        managers = {str(entry.compile_id): entry.guard_manager for entry in entries}
        known = self._recorder.recompiles[recompile]
        failed = tuple(
            failed_guard(managers[earlier], earlier, frame.f_locals, reason, self._recorder)
            for earlier, reason in known.failures
            if earlier in managers
        )
        self._recorder.update(self._recorder.recompiles, recompile, failed=failed)

    def resume_function(
        self, cls: Any, code: CodeType, lineno: int, *_: Any
    ) -> Generator[None, Any, None]:
        """Dynamo makes the function that resumes after a break."""
        resumed = yield
        self._continues[id(resumed)] = (code, lineno)
        self._kept.append(resumed)
        self._breaks.resumes_in(resumed)

    def _modified_bytecode(self, code: CodeType, new_code: CodeType) -> None:
        try:
            with self._recorder.lock:
                frame = self.frame(code)
                self._rewritten[id(new_code)] = frame
                self._kept.append(new_code)
                attempts = list(self._recorder.frames[frame].attempts)
                if attempts:
                    instructions = bytecode(new_code, self._recorder.texts)
                    attempts[-1] = msgspec.structs.replace(attempts[-1], bytecode=instructions)
                    self._recorder.update(self._recorder.frames, frame, attempts=tuple(attempts))
        except Exception as error:
            self._recorder.note_failure("modified_bytecode", error)


def _remove(hooks_by_id: dict[int, Any], hook: Any) -> None:
    for number in [number for number, one in list(hooks_by_id.items()) if one == hook]:
        hooks_by_id.pop(number, None)


def readable_name(name: str) -> str:
    """The name of a frame for its reader: module-level code is that of a cell."""
    return name.replace("<module>", "cell")


def _split_reason(reason: str) -> tuple[str, str]:
    """Dynamo writes "0/0: n == 1  # def f(...)" and a stack; the id is that of the earlier code."""
    failure = reason.strip().partition("\n")[0].partition("  # ")[0].rstrip()
    compile_id, separator, condition = failure.partition(": ")
    return (compile_id, condition) if separator and "/" in compile_id else ("", failure)


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
    if instruction.opname == "LOAD_CONST":
        return repr(value) if type(value) in (str, int, float, bool, tuple, type(None)) else ""
    return instruction.argrepr or (value if isinstance(value, str) else "")


def _instruction(code: CodeType, instruction: Any, texts: Texts, named: Any = None) -> Instruction:
    at = instruction.positions
    offset = -1 if instruction.offset is None else instruction.offset
    name = instruction.opname
    if named is None or named.opname != name:
        argument = _argument(instruction)[:200]
    else:
        argument = named.argrepr[:200]
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
