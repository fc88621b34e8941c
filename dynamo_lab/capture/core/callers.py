"""Which operators a call runs, one after the other, and which line calls each."""

import sys
from collections.abc import Callable
from typing import Any

from dynamo_lab.capture.core.hooks import DISPATCH_MODE

_LIBRARY = ("site-packages", "dist-packages", "dynamo_lab")


def callers_of(work: Callable[[], object]) -> list[tuple[str, str, int]]:
    """Each operator that PyTorch dispatches, with file and line of who called it.

    That is the innermost line outside libraries; empty and 0 where there is none.
    """
    found: list[tuple[str, str, int]] = []

    class Seen(DISPATCH_MODE.get()):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            found.append((func.name().partition(".")[0], *caller()))
            return func(*args, **(kwargs or {}))

    with Seen():
        work()
    return found


def caller() -> tuple[str, int]:
    """The innermost line outside of libraries, two calls above this one; empty and 0 for none."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if not any(part in path for part in _LIBRARY):
            return path, frame.f_lineno
        frame = frame.f_back
    return "", 0
