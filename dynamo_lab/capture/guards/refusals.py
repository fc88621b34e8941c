"""Refusals: calls for which a stance or a setting lets Dynamo compile nothing."""

import inspect
import sys
from collections.abc import Callable, Generator, Sequence
from types import CellType, CodeType, MethodType
from typing import Any, Literal

from torch import nn

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.frames.hooks import STANCE
from dynamo_lab.capture.frames.outcomes import cache_entries
from dynamo_lab.capture.frames.stances import StanceProbe
from dynamo_lab.capture.guards import hooks
from dynamo_lab.capture.guards.guard_failures import failed_guard, first_failing
from dynamo_lab.model.guards.guards import FailedGuard, Refusal

FrameOf = Callable[[CodeType, Sequence[CellType] | None], int]
"""The id of the frame with a code object and a closure."""

_CALLS = ("_call_impl", "_wrapped_call_impl")
"""PyTorch's methods by which a module is called: Dynamo skips them, and compiles `forward`."""

_SETTING = "torch._dynamo.config.error_on_recompile = True"


class RefusalProbes:
    """Records what a stance or a setting refuses, by asking the compiled guards as Dynamo does.

    Under the default stance nothing is asked.
    """

    def __init__(self, recorder: Recorder, frame_of: FrameOf, stances: StanceProbe) -> None:
        self._recorder = recorder
        self._frame_of = frame_of
        self._stances = stances

    def install(self, patches: Patches) -> None:
        """Watch each call of compiled code, and Dynamo's ways to refuse one."""
        patches.hear(hooks.STANCE_OF_CALL, self.called)
        patches.hook(hooks.TENSORS_SOUGHT, self.tensors_sought)
        patches.hook(hooks.RECOMPILATION, self.recompilation)

    def called(self, _: Any, callback: Any) -> None:
        """A compiled function is called, and the stance decides what becomes of that."""
        stance = STANCE.get()
        is_checked = stance.stance == "eager_on_recompile" or stance.skip_guard_eval_unsafe
        if callback in (None, False) or not (is_checked or stance.stance == "force_eager"):
            return
        call = sys._getframe(2).f_locals  # of Dynamo's wrapper around the function
        function = _compiled(call.get("fn"))
        called = getattr(function, "__func__", function)
        code = getattr(called, "__code__", None)
        if code is None:
            return
        closure = called.__closure__
        if stance.stance == "force_eager":
            self._add(code, closure, stance, "eager", [], {})
            return
        entries = cache_entries(hooks.ENTRIES.get()(code))
        values = _locals(function, call["args"], call["kwargs"])
        if any(first_failing(entry.guard_manager, values) is None for entry in entries):
            return
        if stance.stance == "eager_on_recompile":
            self._add(code, closure, stance, "eager", entries, values)
        elif entries:  # without, it is compiled as ever
            taken = any(_is_taken(entry.guard_manager, values) for entry in entries)
            effect = "unchecked" if taken else "raised"
            self._add(code, closure, stance, effect, entries, values)

    def tensors_sought(self, frame: Any) -> Generator[None, Any, None]:
        """Dynamo asks for tensors in a call without code: with some, that stance refuses it."""
        found = yield
        stance = STANCE.get()
        if found and stance.stance == "fail_on_recompile":
            entries = cache_entries(hooks.ENTRIES.get()(frame.f_code))
            self._add(frame.f_code, frame.closure, stance, "raised", entries, frame.f_locals)

    def recompilation(
        self, tried: Any, frame: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """No compiled code fits a call: a setting makes an error of that."""
        try:
            yield
        except BaseException as error:
            if isinstance(error, hooks.RECOMPILE_ERROR.get()):
                entries = cache_entries(tried)
                self._add(frame.f_code, frame.closure, None, "raised", entries, frame.f_locals)
            raise

    def _add(
        self,
        code: CodeType,
        closure: Sequence[CellType] | None,
        stance: Any,
        effect: Literal["raised", "eager", "unchecked"],
        entries: Sequence[Any],
        values: Any,
    ) -> None:
        """One more refused call; those that fail by the same values count as one refusal."""
        with self._recorder.lock:
            made = Refusal(
                frame=self._frame_of(code, closure),
                by=_SETTING if stance is None else self._stances.written(stance),
                effect=effect,
                had_code=bool(entries),
                failed=tuple(self._failed(entries, values)),
                set_at=None if stance is None else self._stances.set_at(stance),
                called_at=self._recorder.texts.users_span_from(sys._getframe(1)),
            )
            self._skipped(made)
            for index, known in enumerate(self._recorder.refusals):
                if _key(known) == _key(made):
                    times = known.times + 1
                    self._recorder.update(self._recorder.refusals, index, times=times)
                    return
            self._recorder.refusals.append(made)

    def _failed(self, entries: Sequence[Any], values: Any) -> Generator[FailedGuard, None, None]:
        for entry in entries:
            manager, compile_id = entry.guard_manager, str(entry.compile_id)
            text = first_failing(manager, values)
            if text:
                yield failed_guard(manager, compile_id, values, text, self._recorder)

    def _skipped(self, refusal: Refusal) -> None:
        """A frame that Dynamo never looked at was left out for this reason."""
        frame = self._recorder.frames[refusal.frame]
        if frame.outcome == "compiling" and not frame.attempts:
            facts = {"outcome": "skipped", "reason": refusal.by}
            self._recorder.update(self._recorder.frames, refusal.frame, **facts)


def _compiled(function: Any) -> Any:
    """The function that Dynamo compiles for a call: of a module its `forward`.

    Under hooks, which may change its arguments, that is not known: None.
    """
    module = getattr(function, "__self__", None)
    if not isinstance(module, nn.Module) or function.__name__ not in _CALLS:
        return function
    hooks_of = (module._forward_hooks, module._forward_pre_hooks)
    return None if any(hooks_of) else module.forward


def _key(refusal: Refusal) -> tuple[Any, ...]:
    """What two refusals have in common that are told as one: sizes may go on to change."""
    sources = tuple((one.compile_id, one.source) for one in refusal.failed)
    return refusal.frame, refusal.by, refusal.effect, refusal.set_at, refusal.had_code, sources


def _is_taken(manager: Any, values: Any) -> bool:
    """Whether the guards hold that alone are checked, those that tell compiled codes apart."""
    checked = hooks.DIFF_GUARDS.of(manager)
    return checked is not None and checked.check(values)


def _locals(function: Any, args: Sequence[Any], kwargs: Any) -> dict[str, Any]:
    """The local variables that a call of a function starts with."""
    if isinstance(function, MethodType):
        function, args = function.__func__, (function.__self__, *args)
    bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    bound.apply_defaults()
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {**bound.arguments, **{name: cell.cell_contents for name, cell in cells}}
