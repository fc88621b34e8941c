"""A script, run as Python would run it."""

from __future__ import annotations

import runpy
import sys
import traceback
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from dynamo_lab.model.recording import Recording


class Script:
    """A script and its arguments: after a run, `code` is Python's exit code for it.

    Raises:
        OptionError: there is no such script.
    """

    def __init__(self, path: str, arguments: Sequence[str]) -> None:
        if not Path(path).is_file():
            raise OptionError(f"There is no script {path!r}: check the path.")
        self.path = path
        self.argv = [path, *arguments]
        self.code = 0
        self.error: BaseException | None = None

    def run(self, *, raises: bool = False) -> None:
        """Run it. What it raises is printed as Python would print it, and kept.

        With `raises`, it is raised instead, without the code that ran the script.
        """
        argv, search_path = sys.argv, sys.path
        sys.argv, sys.path = self.argv, [str(Path(self.path).resolve().parent), *search_path]
        try:
            runpy.run_path(self.path, run_name="__main__")
        except SystemExit as leaving:
            self.code = _exit_code(leaving)
        except BaseException as error:
            self.code, self.error = 1, error.with_traceback(self._own_part(error))
            if raises:
                raise self.error from error.__cause__
            traceback.print_exception(self.error)
        finally:
            sys.argv, sys.path = argv, search_path
            sys.stdout.flush()

    def recorded(self, *, exits: bool = False, **options: Any) -> Recording:
        """The facts of running it; `options` are those of `dynamo_lab.record`.

        What it raises is the recording's failure, and with `exits` an exit code other than 0 too.
        """
        from dynamo_lab.record.explore import record

        recording = record(Path(self.path).name, **options)
        with closing(recording), recording as recorder:
            self.run()
            if self.error is not None:
                recorder.fail(self.error)
            elif exits and self.code:
                recorder.fail(SystemExit(self.code))
        return recorder.recording

    def _own_part(self, error: BaseException) -> TracebackType | None:
        """The traceback from the script's first line on, without the code that ran the script."""
        at = error.__traceback__
        while at is not None and at.tb_frame.f_code.co_filename != self.path:
            at = at.tb_next
        return at  # None for a syntax error, which has its own position


def _exit_code(error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1
