"""A job of several ranks on this machine: started, watched, and ended with all its processes.

The processes are started by PyTorch's own launcher (`torch.distributed.elastic.multiprocessing`, as
`torchrun` does), and meet at a store that this process holds, on 127.0.0.1: so the end of one rank
does not take the store from the others.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dynamo_lab.errors import OptionError
from dynamo_lab.model.ranks.jobs import MOST_RANKS
from dynamo_lab.model.ranks.ranks import Ending
from dynamo_lab.record.ranks.folder import JobFolder
from dynamo_lab.record.ranks.join import joined, waits_in_vain

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from dynamo_lab.model.ranks.jobs import Job
    from dynamo_lab.record.ranks.work import Work

_POLL = 0.05
_GRACE = 3.0
"""Seconds that the others have once a rank has died or raised: some only then come to wait."""
_LOOK = 2.0
"""Seconds between two looks at whether a rank waits for one that is done."""
_ANSWER = 2.0
"""Seconds that ranks have to write what they know, once they are asked."""
_LEAVE = 10.0
"""Seconds that ranks have to end, once all are done."""
_HOST = "127.0.0.1"
_LOOPBACK = {"linux": "lo", "darwin": "lo0"}


def launch(work: Work, n: int) -> Job:
    """The job of running this work in n processes: also where ranks fail, hang or are killed.

    Raises:
        OptionError: there cannot be so many ranks, or this PyTorch has no `torch.distributed`.
    """
    check(n, work.limit)
    if work.backend == "nccl":
        _check_gpus(n)
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_ranks_", ignore_cleanup_errors=True) as at:
        folder = JobFolder(at)
        folder.work.write_bytes(msgspec.json.encode(work))
        with _started(folder, n) as processes:
            was_cut = _watch(processes, folder, work.limit)
            endings = {rank: _ending(process, folder, rank) for rank, process in processes.items()}
            if was_cut or any(one.kind != "finished" for one in endings.values()):
                _ask(processes, folder)
            for rank, ending in endings.items():
                if ending.kind == "stopped":
                    _wake_to_tell(processes[rank])
            folder.left.touch()
            if not was_cut:
                _wait(processes, _LEAVE if _all_done(processes, folder) else 0.0)
        return joined(folder, n, work.title, endings, work.limit, was_cut)


def check(n: int, limit: float) -> None:
    """Refuse what cannot be a job.

    Raises:
        OptionError: there cannot be so many ranks, or this PyTorch has no `torch.distributed`.
    """
    if type(n) is not int or not 1 <= n <= MOST_RANKS:
        raise OptionError(f"There cannot be {n!r} ranks: pass a number from 1 to {MOST_RANKS:,}.")
    if not limit > 0:
        raise OptionError(f"timeout={limit!r} leaves no time: pass a number of seconds.")
    import torch.distributed as dist

    if not dist.is_available():
        raise OptionError("This PyTorch is built without torch.distributed: install one that has.")


def _check_gpus(n: int) -> None:
    import torch

    found = torch.cuda.device_count()
    if found < n:
        raise OptionError(
            f"{n} ranks with NCCL need as many GPUs, and there are {found}: pass backend='gloo'."
        )


@contextmanager
def _started(folder: JobFolder, n: int) -> Generator[Mapping[int, Any]]:
    """The processes by rank; afterwards all are gone, with those that they started."""
    from datetime import timedelta

    import torch.distributed as dist
    from torch.distributed.elastic import multiprocessing

    launcher: Any = multiprocessing
    store_of: Any = vars(dist)["TCPStore"]
    store = store_of(_HOST, 0, None, True, timedelta(seconds=60), wait_for_workers=False)
    shared = {
        "MASTER_ADDR": _HOST,
        "MASTER_PORT": str(store.port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "WORLD_SIZE": str(n),
        "LOCAL_WORLD_SIZE": str(n),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),  # as torchrun does
        "PYTHONUNBUFFERED": "1",
    }
    loopback = _LOOPBACK.get(sys.platform)
    if loopback and "GLOO_SOCKET_IFNAME" not in os.environ:
        shared["GLOO_SOCKET_IFNAME"] = loopback
    own = {rank: {"RANK": str(rank), "LOCAL_RANK": str(rank), "GROUP_RANK": "0", **shared}
           for rank in range(n)}  # fmt: skip
    command = ("-m", "dynamo_lab.record.ranks.process", str(folder.path), str(os.getpid()))
    logs = folder.path / "logs"
    logs.mkdir()
    with _quiet(), _handlers_kept():
        context = launcher.start_processes(
            name="rank",
            entrypoint=sys.executable,
            args=dict.fromkeys(range(n), command),
            envs=own,
            logs_specs=launcher.DefaultLogsSpecs(
                log_dir=str(logs), redirects=launcher.Std.ALL, tee=launcher.Std.ALL
            ),
            log_line_prefixes={rank: f"[rank {rank}] " for rank in range(n)},
        )
        try:
            yield {rank: one.proc for rank, one in context.subprocess_handlers.items()}
        finally:
            context.close(death_sig=signal.SIGKILL if os.name == "posix" else None, timeout=5)


@contextmanager
def _handlers_kept() -> Generator[None]:
    """The launcher takes these signals: only for as long as the job runs, and Ctrl-C stays one."""
    from torch.distributed.elastic.multiprocessing.api import SignalException

    names = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    except SignalException as came:
        if came.sigval == signal.SIGINT:
            raise KeyboardInterrupt from None
        raise
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                if handler is not None:  # None: not set from Python
                    signal.signal(number, handler)


@contextmanager
def _quiet() -> Generator[None]:
    """Without the launcher's own log of whom it ends: the job says it better."""
    import logging

    logger = logging.getLogger("torch.distributed.elastic.multiprocessing.api")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _watch(processes: Mapping[int, Any], folder: JobFolder, limit: float) -> bool:
    """Wait until all ranks are done, or never will be: whether they are to be cut off."""
    end = time.monotonic() + limit
    failed_until = None
    looked = time.monotonic()
    while not _all_done(processes, folder):
        now = time.monotonic()
        if now > end:
            return True
        if now > looked + _LOOK:
            if waits_in_vain(folder, processes):
                return True
            looked = time.monotonic()
        if failed_until is None and _any_failed(processes, folder):
            failed_until = now + _GRACE
        if failed_until is not None and now > failed_until:
            return False
        time.sleep(_POLL)
    return False


def _all_done(processes: Mapping[int, Any], folder: JobFolder) -> bool:
    return all(
        folder.done(rank).exists() or process.poll() is not None
        for rank, process in processes.items()
    )


def _any_failed(processes: Mapping[int, Any], folder: JobFolder) -> bool:
    for rank, process in processes.items():
        is_over = folder.done(rank).exists() or process.poll() is not None
        if is_over and not folder.has_finished(rank):
            return True
    return False


def _ending(process: Any, folder: JobFolder, rank: int) -> Ending:
    """How a rank ended, or is, as seen from outside."""
    code = process.poll()
    if folder.done(rank).exists():
        return Ending(kind="finished" if folder.has_finished(rank) else "raised")
    if code is None:
        is_still = _is_stopped(process.pid)
        return Ending(kind="stopped", signal="SIGSTOP") if is_still else Ending(kind="cut off")
    if code < 0:
        said = "" if code == -signal.SIGKILL else _last_words(folder, rank)
        return Ending(kind="killed", code=code, signal=_signal(-code), message=said)
    return Ending(kind="exited", code=code, message=_last_words(folder, rank))


def _is_stopped(pid: int) -> bool:
    """Whether a process stands still by a signal."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
        return status.rpartition(")")[2].split()[0] in "Tt"
    except (OSError, IndexError):
        pass
    import subprocess

    try:
        told = subprocess.run(
            ["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
    except OSError:
        return False
    return told.stdout.strip()[:1] in ("T", "t")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_words(folder: JobFolder, rank: int) -> str:
    """The last line that a rank wrote as an error."""
    for path in (folder.path / "logs").rglob(f"{rank}/stderr.log"):
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")
    return ""


def _ask(processes: Mapping[int, Any], folder: JobFolder) -> None:
    """Have the ranks that still run write what they know now; one that stands still cannot."""
    able = [
        rank
        for rank, process in processes.items()
        if process.poll() is None
        and not folder.done(rank).exists()
        and not _is_stopped(process.pid)
    ]
    folder.asked.touch()
    end = time.monotonic() + _ANSWER
    while time.monotonic() < end and not all(folder.told(rank).exists() for rank in able):
        time.sleep(_POLL)


def _wake_to_tell(process: Any) -> None:
    """End a rank that stands still, which says where it stood: none of its own code runs again.

    Of the two signals, the one that ends it is delivered first, and `faulthandler` answers it.
    """
    os.kill(process.pid, signal.SIGABRT)
    os.kill(process.pid, signal.SIGCONT)
    end = time.monotonic() + _ANSWER
    while time.monotonic() < end and process.poll() is None:
        time.sleep(_POLL)


def _wait(processes: Mapping[int, Any], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(one.poll() is None for one in processes.values()):
        time.sleep(_POLL)
