"""A traceback without PyTorch's own lines, so that the view above it stays in sight.

Of an error that was raised while compiling, PyTorch's lines fill several screens; what they say of
the program is in the error's message and in the view. Between them are lines of ours, which watch
what they call.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

_PROBES = str(Path(__file__).parents[1] / "capture") + os.sep
"""Where the functions are that stand in the place of PyTorch's while it is recorded."""


def is_long(error: BaseException) -> bool:
    """Whether it, or an error that led to it, was raised in PyTorch."""
    return any(
        _is_pytorchs(one) for error_ in _chain(error) for one in _lines(error_.__traceback__)
    )


def brief(trace: TracebackType | None) -> TracebackType | None:
    """The lines that are neither PyTorch's own nor ours between them; the last where all are."""
    lines = _lines(trace)
    kept = [one for one in lines if not (_is_pytorchs(one) or _is_a_probes(one))] or lines[-1:]
    made: TracebackType | None = None
    for one in reversed(kept):
        made = TracebackType(made, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return made


@contextmanager
def briefly(error: BaseException) -> Generator[None, None, None]:
    """While the body runs, the error and those that led to it have brief tracebacks."""
    whole = [(one, one.__traceback__) for one in _chain(error)]
    for one, trace in whole:
        one.__traceback__ = brief(trace)
    try:
        yield
    finally:
        for one, trace in whole:
            one.__traceback__ = trace


def _chain(error: BaseException) -> list[BaseException]:
    """The error, and those that led to it, as a traceback has them."""
    chain: list[BaseException] = []
    now: BaseException | None = error
    while now is not None and now not in chain:
        chain.append(now)
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)
    return chain


def _lines(trace: TracebackType | None) -> list[TracebackType]:
    lines: list[TracebackType] = []
    while trace is not None:
        lines.append(trace)
        trace = trace.tb_next
    return lines


def _is_pytorchs(line: TracebackType) -> bool:
    torch = getattr(sys.modules.get("torch"), "__file__", None)
    folder = os.path.dirname(torch) + os.sep if torch else ""
    return bool(folder) and line.tb_frame.f_code.co_filename.startswith(folder)


def _is_a_probes(line: TracebackType) -> bool:
    return line.tb_frame.f_code.co_filename.startswith(_PROBES)
