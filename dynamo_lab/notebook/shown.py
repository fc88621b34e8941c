"""A recorded cell: it is shown and stored even if it fails, and then fails with its own error."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamo_lab.api.explore import record
from dynamo_lab.api.handle import begin
from dynamo_lab.api.settings import settings_of
from dynamo_lab.errors import CellError
from dynamo_lab.notebook.failing import CellFailed, program_failed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Generator

    from dynamo_lab.api.recorder import Recorder
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.record.run import Program
    from dynamo_lab.render.display import LiveDisplay


@contextmanager
def shown(
    options: argparse.Namespace,
    title: str,
    shell: Any,
    program: Program | None = None,
) -> Generator[Recorder, None, None]:
    """Record the body and show the recording, also when the body fails; then fail the cell."""
    from dynamo_lab.capture.core.log_lines import told_lines_held
    from dynamo_lab.render.display import LiveDisplay, in_notebook

    check_outputs(options)
    settings = settings_of(shell)
    is_live = in_notebook() and not options.quiet
    live = LiveDisplay(begin, replace(settings.looks(), is_marked=True)) if is_live else None
    failure: CellFailed | None = None
    film: Any = {
        "detail": options.detail or settings["detail"],
        "max_steps": options.max_steps,
        "logs": settings.logs if options.logs is None else options.logs,
    }
    prints_all = options.verbose or options.quiet
    lines = nullcontext() if prints_all else told_lines_held()
    recording_cell = record(title, target=options.target, **film)
    with lines, closing(recording_cell), recording_cell as recorder:
        if live is not None:
            recorder.on_phase = lambda name: live.phase(name, recorder)
        try:
            yield recorder
        except BaseException as error:  # an interrupted cell also has a view
            is_known = isinstance(error, CellFailed)
            failure = error if is_known else program_failed(error, shell, is_whole=prints_all)
            recorder.fail(failure.error)
    recording = settings.last = recorder.recording
    if program is not None:
        recording.can_run_again(program)
    _show(recording, live, options, failure)
    _keep(recording, options, shell)
    if failure is not None:
        raise failure


def _show(
    recording: Recording,
    live: LiveDisplay | None,
    options: argparse.Namespace,
    failure: CellFailed | None,
) -> None:
    """Show the recording; where the cell failed before anything compiled, its error says all."""
    is_empty = not (recording.frames or recording.graphs or recording.exports)
    says_nothing = failure is not None and is_empty
    if live is not None and says_nothing:
        live.drop()
    elif live is not None:
        live.finish(recording, recording.runs())
    elif not options.quiet and not says_nothing:
        recording.show()


def check_outputs(options: argparse.Namespace) -> None:
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
