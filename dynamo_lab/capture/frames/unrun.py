"""A program that is compiled and not run: its first frame is compiled, then the call ends."""

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
    with Changes(_ending), suppress(_Compiled):
        call()


def _ending(undo: Undo) -> None:
    """From now on, the call ends with the first frame that is not a library's wrapper."""
    look, convert = hooks.CALL.get(), hooks.CONVERT.get()
    is_converted: list[bool] = []

    @functools.wraps(convert)
    def converting(*args: Any, **kwargs: Any) -> Any:
        is_converted.append(True)
        return convert(*args, **kwargs)

    @functools.wraps(look)
    def ending(wrapper: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        result = look(wrapper, frame, *args, **kwargs)
        if is_converted or not frame.f_code.co_filename.startswith(_LIBRARIES):
            raise _Compiled
        return result

    undo.replace(*hooks.CONVERT.place(), converting)
    undo.replace(*hooks.CALL.place(), ending)
