"""A program run in a process of its own, of which nothing is left: no output, process or memory."""

import os
import secrets
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

OUTPUT_BYTES = 16 << 20
"""What it may write to a file, its messages included, once it is limited."""
MEMORY_BYTES = 4 << 30
"""What it may allocate beyond what it had when it was limited."""

_LOOK_SECONDS = 0.02
_TAIL_BYTES = 64 << 10
_LOOKS = 3
_MARK = "DYNAMO_LAB_APART"
"""The variable that every process has which was started here, with another value each time."""

Ending = Literal["itself", "time", "stopped", "messages"]


class Ended(NamedTuple):
    """How a process ended: its exit code, the end of its messages, and why we ended it."""

    code: int
    said: str
    by: Ending


def run_apart(
    command: Sequence[str],
    folder: Path,
    seconds: float,
    *,
    environment: Mapping[str, str] | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Ended:
    """Run a command, with its messages in a file of `folder`, for at most so many seconds.

    It gets a group of processes of its own, which is ended as a whole: also what it started, on
    Linux even what left the group.
    """
    messages = folder / "messages.txt"
    mark = secrets.token_hex(16)
    inherited = {**(os.environ if environment is None else environment), _MARK: mark}
    with messages.open("wb") as errors:
        process = subprocess.Popen(
            command,
            env=inherited,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            by = _watched(process, seconds, messages, is_stopped)
        finally:
            _end_group(process)
            _end_marked(mark)
    return Ended(process.returncode, _tail(messages), by)


def _watched(
    process: subprocess.Popen[bytes],
    seconds: float,
    messages: Path,
    is_stopped: Callable[[], bool],
) -> Ending:
    until = time.monotonic() + seconds
    while not _has_ended(process):
        if is_stopped():
            return "stopped"
        if time.monotonic() > until:
            return "time"
        if messages.stat().st_size >= OUTPUT_BYTES:
            return "messages"
        time.sleep(_LOOK_SECONDS)
    return "itself"


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it ended. It is not waited for: so its number stays that of its group."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, options) is not None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)  # its own group: it began a session
    except (AttributeError, ProcessLookupError, PermissionError):
        process.kill()
    process.wait()


def _end_marked(mark: str) -> None:
    """End the processes that were started with this in their environment, in whichever group.

    One that is being copied meanwhile has its copy ended by the next look.
    """
    own = f"{_MARK}={mark}".encode()
    for _ in range(_LOOKS):
        for place in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if own in place.read_bytes().split(b"\0"):
                    os.kill(int(place.parent.name), signal.SIGKILL)


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        return file.read().decode(errors="replace")


def can_fork() -> bool:
    """Whether this process can be copied: on Linux, before it used a GPU, which no copy can."""
    import torch

    return sys.platform == "linux" and not torch.cuda.is_initialized()


def fork() -> int:
    """Copy this process: 0 in the copy, here the copy's number."""
    with warnings.catch_warnings():
        # of threads: none of theirs runs in the copy, nor is waited for there
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def kill_copy(pid: int) -> None:
    """Kill a copy that may have ended, with what it started, such as a C++ compiler."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def limit_here(memory: int | None = MEMORY_BYTES) -> None:
    """Limit what this process may write and allocate from now on, as far as the system can.

    Memory is limited on Linux alone: macOS does not enforce it, and Windows has no such limit. A
    process that uses a GPU reserves addresses without bounds, so it passes None.
    """
    try:
        import resource
    except ImportError:
        return
    limits: Any = resource
    limits.setrlimit(limits.RLIMIT_FSIZE, (OUTPUT_BYTES, OUTPUT_BYTES))
    limits.setrlimit(limits.RLIMIT_CORE, (0, 0))
    if memory is not None and sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * limits.getpagesize() + memory
        limits.setrlimit(limits.RLIMIT_AS, (most, most))


def crash_of(number: int) -> str:
    """The signal that ended a process, in words."""
    words = {"SIGSEGV": "segmentation fault", "SIGBUS": "bus error", "SIGFPE": "arithmetic error"}
    words |= {"SIGILL": "illegal instruction", "SIGABRT": "aborted", "SIGKILL": "killed"}
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{words[name]}, {name}" if name in words else name
