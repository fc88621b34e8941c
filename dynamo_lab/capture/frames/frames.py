"""Frames: the code objects that Dynamo looks at, each attempt on them, and its outcome."""

import sys
from collections.abc import Generator
from types import CodeType, FrameType
from typing import Any

import msgspec

from dynamo_lab.capture.breaks.breaks import BreakProbes
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.private import nothing
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.frames import hooks, outcomes
from dynamo_lab.capture.frames.bytecode import bytecode, keep_code
from dynamo_lab.capture.frames.known import KnownFrames
from dynamo_lab.capture.frames.wrapped import called_by, wrapped_by
from dynamo_lab.capture.guards.guard_failures import failed_guard
from dynamo_lab.model.frames import Attempt, AttemptOutcome, Frame
from dynamo_lab.model.guards.guards import Recompile


class FrameProbes:
    """Records frames. Knows them by their code objects, and wrappers by what they call."""

    def __init__(self, recorder: Recorder, compilations: Compilations, breaks: BreakProbes) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._breaks = breaks
        self._known = KnownFrames()
        self._continues: dict[int, tuple[CodeType, int, int | None]] = {}
        self._rewritten: dict[int, int] = {}
        self._compiled: dict[str, int] = {}
        self._of_others: dict[str, Recompile] = {}
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

    def frame(self, code: CodeType, called: Any = None) -> int:
        """The id of the frame with this code object; of a wrapper, `called` is what it calls."""
        known = self._known.find(code, called)
        if known is not None:
            return known
        caller, caller_line = self._caller()
        original, line, resumed = self._continues.get(id(code), (None, None, None))
        frame = self._known.add(code, len(self._recorder.frames), called)
        self._recorder.frames.append(
            Frame(
                id=frame,
                name=readable_name(code.co_qualname if original is None else code.co_name),
                span=self._recorder.texts.span(code.co_filename, code.co_firstlineno, code.co_name),
                outcome="compiling",
                resumes=self.frame(original) if original and resumed is None else resumed,
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
            known = self._known.find(at.f_code)
            frame = self._rewritten.get(id(at.f_code)) if known is None else known
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
        if not compiled and known.attempts and (not reason or "suppressed" in reason):
            self._suppressed(frame)
        if compiled or known.attempts:
            return
        told = self._breaks.take_unattached()
        if not reason or "suppressed" in reason:  # it gave up before compiling, and said why
            reason = told or reason
        self._recorder.update(self._recorder.frames, frame, outcome="skipped", reason=reason)

    def _suppressed(self, frame: int) -> None:
        """Dynamo is done with a call that was not compiled, and raised nothing."""
        *others, last = self._recorder.frames[frame].attempts
        if last.outcome == "failed":
            last = msgspec.structs.replace(last, suppressed=True)
            self._recorder.update(self._recorder.frames, frame, attempts=(*others, last))

    def compilation(self, code: CodeType, *rest: Any, **kwargs: Any) -> Generator[None, Any, None]:
        """Dynamo compiles a frame, in one attempt or several."""
        compile_id = str(kwargs["compile_id"])
        frame = self.frame(code, self._called(code, rest[3]))
        self._compiled[compile_id] = frame
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

    def of_call(self, code: CodeType, closure: Any) -> int:
        """The id of the frame with this code object, which Dynamo need not have looked at."""
        frame = self.frame(code, self._called(code, closure))
        if not self._recorder.frames[frame].bytecode:
            self._name_wrapped(frame, code, closure)
        return frame

    def _called(self, code: CodeType, closure: Any) -> Any:
        """What a library's wrapper calls; None of other code, which has a frame of its own."""
        return None if self._recorder.texts.is_users(code.co_filename) else called_by(code, closure)

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
            facts = wrapped._asdict() | {"name": readable_name(wrapped.name)}
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
            raises = outcomes.raises_at_limit(error)
            self._mark_limit(compile_id, raises=raises, limit=outcomes.limit_named(error))
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

    def _mark_limit(self, compile_id: str, *, raises: bool, limit: str) -> None:
        if compile_id in self._of_others:
            self._recorder.recompiles.append(self._of_others[compile_id])
        for index, recompile in enumerate(self._recorder.recompiles):
            if recompile.compile_id == compile_id:
                facts = {"limit_hit": True, "raises": raises, "limit": limit}
                self._recorder.update(self._recorder.recompiles, index, **facts)

    def attempt(self, code: CodeType, *rest: Any, **_: Any) -> Generator[None, Any, None]:
        """Dynamo analyses a frame once: in its compilation, or without one for `aot_compile`."""
        self._keep(self.frame(code, self._called(code, rest[3])), code, rest[3])
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
        """Dynamo found no compiled code whose guards hold, and says which guards failed.

        Those of what was compiled for another module, with which this one shares only the code that
        calls it, tell nothing of this one, unless the limit is reached, which they share too.
        """
        reasons = yield
        compile_id = self._compilations.current_id()
        at = self.frame(frame.f_code)
        every = tuple(_split_reason(reason) for reason in reasons or ())
        failures = tuple(one for one in every if self._compiled.get(one[0], at) == at)
        if every and not failures:
            self._of_others[compile_id] = Recompile(
                frame=at, compile_id=compile_id, failures=every, limit_hit=True
            )
        self._reasons[compile_id] = tuple(f"{code}: {failure}" for code, failure in failures)
        if failures:
            self._recorder.recompiles.append(
                Recompile(frame=at, compile_id=compile_id, failures=failures)
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
        self._continues[id(resumed)] = (code, lineno, self._known.find(code))
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
