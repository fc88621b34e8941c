"""A program that is compiled and not run: the call ends once its first frame is compiled."""

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

    def is_over(code: CodeType, _: Any) -> bool:
        return bool(is_converted) or not code.co_filename.startswith(_LIBRARIES)

    def make(undo: Undo) -> None:
        convert = hooks.CONVERT.get()

        @functools.wraps(convert)
        def converting(*args: Any, **kwargs: Any) -> Any:
            is_converted.append(True)
            return convert(*args, **kwargs)

        undo.replace(*hooks.CONVERT.place(), converting)
        _end_call(undo, is_over)

    with Changes(make), suppress(_Compiled):
        call()


def compile_whole(
    fn: Callable[..., Any], call: Callable[[], Any], is_broken: Callable[[], bool]
) -> None:
    """Make this call of `fn` compiled; it ends without a run if one frame is all of it.

    Then a run would only compute a result that nobody asked for. A program with a break runs, as
    what follows the break is compiled with what comes before it computed.

    Raises:
        Exception: what the compilation or the program raised.
    """
    entries = [_only_code(fn)]

    def is_over(code: CodeType, result: Any) -> bool:
        if code not in entries:
            return False
        entries.clear()  # a later frame of the same code has a caller that goes on
        return _is_compiled(result) and not is_broken()

    def make(undo: Undo) -> None:
        if hooks.CALL.exists:
            _end_call(undo, is_over)

    with Changes(make), suppress(_Compiled):
        call()


def _only_code(fn: Callable[..., Any]) -> CodeType | None:
    """The code that a call of `fn` starts and ends with; None if that is not known."""
    if isinstance(fn, torch.nn.Module):
        kind, own = type(fn), (fields.of(fn) for fields in hooks.MODULE_HOOKS)
        if kind.__call__ is not torch.nn.Module.__call__ or any(own) or hooks.GLOBAL_HOOKS.get()():
            return None
        fn = fn.forward
    return getattr(fn, "__code__", None)


def _is_compiled(result: Any) -> bool:
    return getattr(result, "guarded_code", None) is not None


def _end_call(undo: Undo, is_over: Callable[[CodeType, Any], bool]) -> None:
    """From now on, the call ends with the frame of which this is said, before it runs."""
    look = hooks.CALL.get()

    @functools.wraps(look)
    def ending(wrapper: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        result = look(wrapper, frame, *args, **kwargs)
        if is_over(frame.f_code, result):
            raise _Compiled
        return result

    undo.replace(*hooks.CALL.place(), ending)
