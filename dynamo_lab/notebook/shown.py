"""A recorded cell: it is shown and stored even if it fails, and then fails once."""

from __future__ import annotations

import os
import traceback
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from dynamo_lab.api.explore import record
from dynamo_lab.api.handle import answer
from dynamo_lab.api.settings import settings_of
from dynamo_lab.errors import CellError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Generator

    from dynamo_lab.api.recorder import Recorder
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.record.run import Program


@contextmanager
def shown(
    command: str,
    options: argparse.Namespace,
    title: str,
    shell: Any,
    program: Program | None = None,
) -> Generator[Recorder, None, None]:
    """Record the body and show the recording, also when the body fails; then fail the cell once."""
    from dynamo_lab.render.widget import LiveDisplay, in_notebook

    _check_outputs(options)
    settings = settings_of(shell)
    is_live = in_notebook() and not options.quiet
    live = LiveDisplay(answer, settings.looks()) if is_live else None
    failure: BaseException | None = None
    film: Any = {
        "detail": options.detail or settings["detail"],
        "max_steps": options.max_steps,
    }
    recording_cell = record(title, target=options.target, **film)
    with closing(recording_cell), recording_cell as recorder:
        if live is not None:
            recorder.on_phase = lambda name: live.phase(name, recorder)
        try:
            yield recorder
        except BaseException as error:  # an interrupted cell also has a view
            recorder.fail(error)
            failure = error
    recording = settings.last = recorder.recording
    if program is not None:
        recording.can_run_again(program)
    if live is not None:
        live.finish(recording, recording.runs())
    elif not options.quiet:
        recording.show()
    _keep(recording, options, shell)
    if failure is not None:
        _show_traceback(failure, shell)
        fail_cell(command, failure)


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse before the cell runs what could not be stored after it."""
    if options.into and not options.into.isidentifier():
        raise CellError(f"--into {options.into!r} is not a name: use --into rec, for example.")
    for path in filter(None, (options.html, options.json)):
        folder = Path(path).absolute().parent
        if not os.access(folder, os.W_OK):
            raise CellError(f"There is no folder {str(folder)!r} for {path!r}: create it.")


def _keep(recording: Recording, options: argparse.Namespace, shell: Any) -> None:
    if options.into:
        shell.user_ns[options.into] = recording
    if options.html:
        recording.to_html(options.html)
    if options.json:
        recording.save(options.json)


def _show_traceback(error: BaseException, shell: Any) -> None:
    """Show the traceback from the cell's own line on, without the code that ran it."""
    cells = set(getattr(shell.compile, "_filename_map", {}))
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename not in cells:
        trace = trace.tb_next
    if trace is not None:
        shell.showtraceback((type(error), error, trace), tb_offset=0)
    else:
        text = traceback.format_exception_only(error)
        shell._showtraceback(type(error), error, text)


def fail_cell(command: str, error: BaseException | None) -> NoReturn:
    """Fail the cell without a second traceback, so that a notebook run as a test fails."""
    from IPython.core.error import UsageError

    raise UsageError(f"{command}: the cell failed with {type(error).__name__}, see above.")
