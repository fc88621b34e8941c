"""Try an edited kernel in another process, and say in a sentence how that ended."""

import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import torch

from dynamo_lab.capture.core.apart import OUTPUT_BYTES, Ended, crash_of, run_apart
from dynamo_lab.capture.kernels.edited import Definition, settings_of_builds
from dynamo_lab.capture.kernels.recorded_calls import Call
from dynamo_lab.errors import EditError
from dynamo_lab.live.edit_process import BUILT, TOO_MUCH, Answer

_BUILDING = 300.0
"""Seconds that a build may take: if nothing is cached, headers are compiled first."""

STOPPED = "The edit was stopped: nothing of it is left running."


def try_apart(
    defined: Definition,
    calls: Sequence[Call],
    seconds: float,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Answer:
    """Build the kernel and make these calls of it in a separate process.

    It may run for `seconds` once it is built.

    Raises:
        EditError: the user stopped it.
    """
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_edit_") as name:
        folder = Path(name)
        work = {
            "definition": defined,
            "calls": list(calls),
            "seconds": seconds,
            "settings": settings_of_builds(),
            "threads": torch.get_num_threads(),
        }
        torch.save(work, folder / "work.pt")
        return _ran(folder, seconds, is_stopped)


def _ran(folder: Path, seconds: float, is_stopped: Callable[[], bool]) -> Answer:
    command = [sys.executable, "-W", "ignore", "-m", "dynamo_lab.live.edit_process", str(folder)]
    ended = run_apart(command, folder, _BUILDING + seconds, is_stopped=is_stopped)
    if ended.by == "stopped":
        raise EditError(STOPPED)
    answer = folder / "answer.json"
    if answer.exists():
        return msgspec.json.decode(answer.read_bytes(), type=Answer)
    return Answer(verdict="failed", reason=_end(ended, (folder / BUILT).exists(), seconds))


def _end(ended: Ended, was_built: bool, seconds: float) -> str:
    """How a process without an answer ended."""
    if ended.by == "messages" or ended.code == -getattr(signal, "SIGXFSZ", 0) != 0:
        most = f"{OUTPUT_BYTES >> 20} MB"
        return f"it wrote more than {most} of messages, or to a file: take the writing out"
    if not was_built:
        if ended.by == "time":
            return f"it was not built within {_BUILDING:.0f} s"
        said = " ".join(ended.said.split())[-300:]
        return f"it could not be built: {said or f'exit code {ended.code}'}"
    if "Timeout (" in ended.said or ended.by == "time":
        return f"it did not end within {seconds:g} s: look for an endless loop"
    if "bad_alloc" in ended.said:
        return TOO_MUCH
    if ended.code < 0:
        return f"it crashed ({crash_of(-ended.code)}): check its indices and pointers"
    return f"it ended the process with exit code {ended.code}"
