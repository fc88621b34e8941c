"""A cell that fails: its own error is the last that it prints, and it is printed once."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, cast

from dynamo_lab.notebook.tracebacks import brief, briefly

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType


class CellFailed(Exception):
    """The program of a cell raised `error`; `show` prints it."""

    def __init__(self, error: BaseException, show: Callable[[], None]) -> None:
        super().__init__(error)
        self.error, self.show = error, show


def fail(error: BaseException, shell: Any, show: Callable[[], None]) -> NoReturn:
    """Raise the error as the cell's own: the shell prints it by `show`, then knows it as usual.

    Raised from a command, an error would be printed with the command's and the shell's own lines.
    """
    printed = shell.showtraceback
    own = cast("dict[str, Any]", vars(shell))

    def once(*args: Any, **kwargs: Any) -> None:
        own.pop("showtraceback", None)
        if sys.exc_info()[1] is error:
            show()
        else:  # whoever called the command caught the error: this is another
            printed(*args, **kwargs)

    shell.showtraceback = once
    raise error


def program_failed(error: BaseException, shell: Any, *, is_whole: bool) -> CellFailed:
    """The failure of a program, printed from the cell's own line on, without what ran it.

    Unless `is_whole`, also without PyTorch's own lines.
    """
    cells = set(getattr(shell.compile, "_filename_map", {}))
    trace = error.__traceback__  # later it begins in the shell's own lines
    while trace is not None and trace.tb_frame.f_code.co_filename not in cells:
        trace = trace.tb_next
    return CellFailed(error, lambda: _show(error, trace, shell, is_whole=is_whole))


def _show(error: BaseException, trace: TracebackType | None, shell: Any, *, is_whole: bool) -> None:
    kind = type(error)
    if trace is None or isinstance(error, SyntaxError):
        shell._showtraceback(kind, error, shell.InteractiveTB.get_exception_only(kind, error))
    elif is_whole:
        shell.showtraceback((kind, error, trace), tb_offset=0)
    else:
        with briefly(error):
            shell.showtraceback((kind, error, brief(trace)), tb_offset=0)


@contextmanager
def errors_held(shell: Any) -> Generator[Callable[[], None], None, None]:
    """While the body runs, the shell prints no errors; what this yields prints them."""
    held: list[tuple[Any, ...]] = []
    printed = shell._showtraceback

    def hold(*shown: Any) -> None:
        held.append(shown)

    shell._showtraceback = hold

    def show() -> None:
        for shown in held:
            printed(*shown)

    try:
        yield show
    finally:
        del shell._showtraceback
