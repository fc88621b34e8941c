"""One rank of a job: `python -m dynamo_lab.record.ranks.process FOLDER PARENT`.

It ends when the process that started it does.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
import traceback
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from dynamo_lab.capture.core.sources import PACKAGE
from dynamo_lab.capture.ranks.changes import changed
from dynamo_lab.capture.ranks.flight import switch_on
from dynamo_lab.capture.ranks.ranks import said
from dynamo_lab.model.ranks.ranks import Ending
from dynamo_lab.record.ranks.diary import Diary
from dynamo_lab.record.ranks.folder import JobFolder
from dynamo_lab.record.ranks.work import Work, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from dynamo_lab.capture.core.recorder import Recorder


def main() -> int:
    """Run the work of the folder as the rank that the environment names."""
    folder, parent = JobFolder(sys.argv[1]), int(sys.argv[2])
    work = msgspec.json.decode(folder.work.read_bytes(), type=Work)

    def whole() -> int:
        with changed(work.changes):
            return in_groups()

    def in_groups() -> int:
        if work.kind == "script":
            return run(work)
        import torch.distributed as dist

        if work.backend == "nccl":
            import torch

            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group(work.backend)
        return run(work)

    label = {work.path: work.label} if work.kind == "cell" else {}
    return recorded(whole, work.title, folder, label.get, parent, is_profiled=work.is_profiled)


def recorded(
    whole: Callable[[], int],
    title: str,
    folder: JobFolder,
    cell_label: Callable[[str], str | None] = lambda path: None,
    parent: int = 0,
    is_profiled: bool = False,
) -> int:
    """Run a program in this process as a rank, into its recording in the folder: its exit code.

    With `is_profiled`, PyTorch's profiler runs around it.

    Started by us, a rank that is done waits until all are: its end would close the connections of
    those that still wait for it, who would then blame the network.
    """
    switch_on()  # before PyTorch makes a group
    number, size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    from dynamo_lab.capture.session import watch
    from dynamo_lab.record.recorders import new_recorder

    recorder = new_recorder(title)
    if parent:
        recorder.texts.set_cell_label(cell_label)
    diary = Diary(recorder, folder, number, size, parent)
    diary.start()
    diary.write_at(signal.SIGTERM)
    if not faulthandler.is_enabled():
        faulthandler.enable(folder.crash(number).open("wb"))
    code, raised = 0, None
    watching = watch(recorder)
    with closing(watching), watching:
        try:
            code = _profiled(whole, recorder, diary) if is_profiled else whole()
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        except BaseException as error:
            raised, code = error, 1
            note_raised(error, recorder, diary.rank.ended)
            traceback.print_exception(error.with_traceback(_programs_part(error)))
            sys.stderr.flush()
    diary.close(ending_of(code, raised))
    sys.stdout.flush()
    while parent and not folder.left.exists():
        time.sleep(0.02)
    diary.end()
    if parent:
        _leave_groups()
    return code


def _profiled(whole: Callable[[], int], recorder: Recorder, diary: Diary) -> int:
    """Run it under the profiler, for the rank's timeline: also where it raises."""
    from dynamo_lab.capture.ranks.timeline import Profile

    profile = Profile()
    try:
        with profile:
            return whole()
    finally:
        try:
            profile.read()
            diary.rank.profile = profile
        except Exception as error:
            recorder.note_failure("timeline", error)


def _programs_part(error: BaseException) -> TracebackType | None:
    """The traceback from the program's first line on, without the code that ran the program."""
    own = (str(PACKAGE), "<frozen")
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename.startswith(own):
        at = at.tb_next
    return at or error.__traceback__


def _leave_groups() -> None:
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()


def note_raised(
    error: BaseException, recorder: Recorder, ended: Callable[[BaseException], None]
) -> None:
    """Note what ended the program, without raising: the user still wants to see it."""
    for note in (recorder.fail, ended):
        try:
            note(error)
        except Exception as wrong:
            recorder.note_failure("ranks", wrong)


def ending_of(code: int, raised: BaseException | None) -> Ending:
    """How a program ended that left this exit code, or this exception."""
    if raised is not None:
        return Ending(kind="raised", code=code, message=said(raised))
    if code:
        return Ending(kind="exited", code=code)
    return Ending(kind="finished", code=0)


if __name__ == "__main__":
    sys.exit(main())
