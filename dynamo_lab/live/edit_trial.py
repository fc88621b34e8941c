"""Try an edited kernel in another process, and say in a sentence how that ended."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import torch

from dynamo_lab.capture.kernels.edited import Definition, settings_of_builds
from dynamo_lab.capture.kernels.recorded_calls import Call
from dynamo_lab.live.edit_process import BUILT, Answer

_BUILDING = 300.0
"""Seconds that a build may take: if nothing is cached, headers are compiled first."""


def try_apart(defined: Definition, calls: Sequence[Call], seconds: float) -> Answer:
    """Build the kernel and make these calls of it in a separate process.

    It may run for `seconds` once it is built.
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
        return _ran(folder, seconds)


def _ran(folder: Path, seconds: float) -> Answer:
    command = [sys.executable, "-W", "ignore", "-m", "dynamo_lab.live.edit_process", str(folder)]
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=_BUILDING + seconds, check=False
        )
    except subprocess.TimeoutExpired:
        reason = f"it was not built within {_BUILDING:.0f} s"
        return Answer(verdict="failed", reason=reason)
    answer = folder / "answer.json"
    if answer.exists():
        return msgspec.json.decode(answer.read_bytes(), type=Answer)
    return Answer(verdict="failed", reason=_end(ran, (folder / BUILT).exists(), seconds))


def _end(ran: subprocess.CompletedProcess[str], was_built: bool, seconds: float) -> str:
    """How a process without an answer ended."""
    if not was_built:
        said = " ".join(ran.stderr.split())[-300:]
        return f"it could not be built: {said or f'exit code {ran.returncode}'}"
    if "Timeout (" in ran.stderr:
        return f"it did not end within {seconds:g} s: look for an endless loop"
    if ran.returncode < 0:
        return f"it crashed ({_signal(-ran.returncode)}): check its indices and pointers"
    return f"it ended the process with exit code {ran.returncode}"


def _signal(number: int) -> str:
    words = {"SIGSEGV": "segmentation fault", "SIGBUS": "bus error", "SIGFPE": "arithmetic error"}
    words |= {"SIGILL": "illegal instruction", "SIGABRT": "aborted", "SIGKILL": "killed"}
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{words[name]}, {name}" if name in words else name
