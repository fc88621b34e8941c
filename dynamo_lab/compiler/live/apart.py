"""A change tried in a process of its own, so that one that crashes or never ends harms nothing.

The process is a copy of this one (`fork`): it has the program and its arguments, and ends when it
has answered. Only on Linux and only before a GPU was used, for a copy has none; elsewhere the
change is tried here, and only an error of Python is caught.
"""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from dynamo_lab.capture.core.apart import can_fork, fork, kill_copy
from dynamo_lab.errors import DynamoLabError, LoweringError, WrongProgramError

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK_SECONDS = 0.02
_WRONG = "wrong:"


def try_apart(
    work: Callable[[], Any], seconds: float, is_stopped: Callable[[], bool] = lambda: False
) -> None:
    """Do the work in a copy of this process, for at most so many seconds.

    Raises:
        WrongProgramError: the work says so: the numbers are not eager's.
        LoweringError: it raises, crashes, does not end, or was stopped.
    """
    if not can_fork():
        return
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        _answer(work, writer)
    os.close(writer)
    try:
        said = _heard(reader, time.monotonic() + seconds, seconds, is_stopped)
    finally:
        os.close(reader)
        kill_copy(child)
        _, status = os.waitpid(child, 0)
    _raise(said, status)


def _answer(work: Callable[[], Any], writer: int) -> NoReturn:
    """In the copy: the work, and a sentence about it. Nothing of this process is cleaned up."""
    said = "LoweringError:it ended without an answer"
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        torch.set_num_threads(1)  # the threads of the pool were not copied
        work()
        said = "fine"
    except WrongProgramError as error:
        said = f"{_WRONG}{error}"
    except DynamoLabError as error:
        said = str(error)
    except BaseException as error:
        said = f"The changed program raises {type(error).__name__}: {error}"
    finally:
        os.write(writer, said.encode()[:60_000])
        os._exit(0)


def _heard(reader: int, until: float, seconds: float, is_stopped: Callable[[], bool]) -> str:
    """What the copy says; empty if it ends without a word."""
    found = b""
    while True:
        if is_stopped():
            raise LoweringError("It was stopped: nothing changed.")
        if time.monotonic() > until:
            raise LoweringError(
                f"It did not end within {seconds:g} s and was ended: a loop in it may have no end."
            )
        if select.select([reader], [], [], _LOOK_SECONDS)[0]:
            part = os.read(reader, 1 << 16)
            if not part:
                return found.decode(errors="replace")
            found += part


def _raise(said: str, status: int) -> None:
    if said == "fine":
        return
    if said.startswith(_WRONG):
        raise WrongProgramError(said.removeprefix(_WRONG))
    if said:
        raise LoweringError(said)
    name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "no answer"
    raise LoweringError(f"It crashed ({name}): it reads or writes beyond its memory, or worse.")
