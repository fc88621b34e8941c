"""A program that is compiled and not run: the call ends once all, or its first frame, is."""

from __future__ import annotations

import functools
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.capture.core.undo import Changes, Undo
from dynamo_lab.capture.frames import hooks

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

_LIBRARIES = (str(Path(torch.__file__).parent), sysconfig.get_path("stdlib"))
"""Where wrappers around the program are from, which may run: Dynamo skips them."""


class _Compiled(BaseException):
    """Ends the call: no `except Exception` may take it for a failure."""


def compile_unrun(call: Callable[[], Any]) -> None:
    """Make this call of a compiled function, which ends once its first frame is compiled.

    Or skipped: no instruction of that frame runs, nor what follows a graph break in it. What
    Dynamo reads to capture it, such as properties of objects that are no tensors, it reads.

    Raises:
        AbsentError: this PyTorch lacks what ends the call, so the program would run.
        Exception: what the compilation raised.
    """
    is_converted: list[bool] = []

    def looked_at(code: CodeType, _: Any) -> None:
        if is_converted or not code.co_filename.startswith(_LIBRARIES):
            raise _Compiled

    def make(undo: Undo) -> None:
        convert = hooks.CONVERT.get()

        @functools.wraps(convert)
        def converting(*args: Any, **kwargs: Any) -> Any:
            is_converted.append(True)
            return convert(*args, **kwargs)

        undo.replace(*hooks.CONVERT.place(), converting)
        _look_at_frames(undo, looked_at)

    with Changes(make), suppress(_Compiled):
        call()


class WholeCall:
    """A call of a compiled `fn` that ends where its graph would run, if one frame is all of it.

    By then everything is compiled, and a run would only compute a result that nobody asked for. A
    program with a break runs, as what follows the break is compiled with what comes before it
    computed.
    """

    def __init__(self, fn: Callable[..., Any], is_broken: Callable[[], bool]) -> None:
        self._entries = [_only_code(fn)]
        self._is_broken = is_broken
        self._is_over = False

    def make(self, call: Callable[[], Any]) -> None:
        """Make the call.

        Raises:
            Exception: what the compilation or the program raised.
        """
        with Changes(self._watch), suppress(_Compiled):
            call()

    def at_graph(self) -> None:
        """A graph is about to run."""
        if self._is_over:
            raise _Compiled

    def _watch(self, undo: Undo) -> None:
        if hooks.CALL.exists:
            _look_at_frames(undo, self._looked_at)

    def _looked_at(self, code: CodeType, result: Any) -> None:
        if code in self._entries:
            self._entries.clear()  # a later frame of the same code has a caller that goes on
            is_compiled = getattr(result, "guarded_code", None) is not None
            self._is_over = is_compiled and not self._is_broken()


def _only_code(fn: Callable[..., Any]) -> CodeType | None:
    """The code that a call of `fn` starts and ends with; None if that is not known."""
    if isinstance(fn, torch.nn.Module):
        kind, own = type(fn), (fields.of(fn) for fields in hooks.MODULE_HOOKS)
        if kind.__call__ is not torch.nn.Module.__call__ or any(own) or hooks.GLOBAL_HOOKS.get()():
            return None
        fn = fn.forward
    return getattr(fn, "__code__", None)


def _look_at_frames(undo: Undo, looked_at: Callable[[CodeType, Any], None]) -> None:
    """From now on, this is called with each frame that Dynamo has looked at, before it runs."""
    look = hooks.CALL.get()

    @functools.wraps(look)
    def looking(wrapper: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        result = look(wrapper, frame, *args, **kwargs)
        looked_at(frame.f_code, result)
        return result

    undo.replace(*hooks.CALL.place(), looking)
