"""A copy of this process that works for it, and that can be ended at any moment.

It is forked, so it has all that is alive here, which nothing could send to another process:
functions with their closures, modules, what the notebook defined. Whatever it changes or breaks
is its own, and ends with it.
"""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import signal
import stat
import sys
import threading
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING

from dynamo_lab.capture.core.apart import fork, kill_copy, limit_here
from dynamo_lab.errors import StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

_GRACE_SECONDS = 5.0
"""How long after its limit a copy ends itself, where nobody is left to end it."""

SUPERSEDED = "Something newer was asked for before this was done."


class Copied:
    """Answers one request after another with `work`, in a copy of this process.

    The copy is made at the first request, and made anew where `stamp` differs from the one before,
    or after it was ended. What it learnt meanwhile, as by imports, it keeps until then.
    """

    def __init__(self, work: Callable[[bytes], bytes], seconds: float) -> None:
        self._work, self._seconds = work, seconds
        self._lock, self._owner = threading.RLock(), os.getpid()
        self._pid, self._stamp = 0, ""
        self._line: Connection | None = None
        self._turn: Turn | None = None

    def ask(self, request: bytes, stamp: str = "") -> Turn:
        """Begin this request; one that is not answered yet is given up."""
        with self._lock:
            if self._turn is not None and not self._turn.is_over:
                self._turn.why = SUPERSEDED
                self.end()
            if self._line is None or stamp != self._stamp:
                self.end()
                self._copy()
                self._stamp = stamp
            assert self._line is not None
            try:
                self._line.send_bytes(request)
            except OSError:  # it was ended from outside, as for memory
                self.end()
                self._copy()
                self._line.send_bytes(request)
            self._turn = Turn(self, self._line, self._seconds)
            return self._turn

    def end(self, line: Connection | None = None) -> None:
        """End the copy, if it is the one on this line; without a line, whichever there is."""
        with self._lock:
            if self._line is None or line not in (None, self._line):
                return
            if os.getpid() != self._owner:  # a copy has this object too, which is not its own
                return
            kill_copy(self._pid)
            with suppress(ChildProcessError):
                os.waitpid(self._pid, 0)
            self._line.close()
            self._line, self._pid = None, 0

    def _copy(self) -> None:
        here, there = multiprocessing.Pipe()
        # what others do in the copy as it begins, such as a notebook's event loop, is not told
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            pid = fork()
            if pid == 0:
                _work_on(there, here, self._work, self._seconds + _GRACE_SECONDS)
        there.close()
        self._line, self._pid = here, pid

    def __del__(self) -> None:
        if vars(self).get("_line") is not None:
            self.end()


def _work_on(
    line: Connection, others: Connection, work: Callable[[bytes], bytes], seconds: float
) -> None:
    """The life of the copy, which never returns to what the process was doing."""
    try:
        others.close()
        _serve(line, work, seconds)
    finally:
        os._exit(0)


class Turn:
    """One request, and the wait for its answer."""

    def __init__(self, of: Copied, line: Connection, seconds: float) -> None:
        self._of, self._line, self._seconds = of, line, seconds
        self._until = time.monotonic() + seconds
        self.is_over = False
        self.why = ""
        """Why it was given up."""

    def wait(self) -> bytes:
        """The answer, which any thread may wait for.

        Raises:
            StoppedError: it took too long, or the copy ended.
        """
        try:
            while not self._line.poll(min(0.2, max(0.0, self._until - time.monotonic()))):
                if time.monotonic() >= self._until:
                    self.why = self.why or _too_long(self._seconds)
                    break
            else:
                found = self._line.recv_bytes()
                self.is_over = True
                return found
        except (OSError, EOFError):
            pass
        finally:
            is_answered, self.is_over = self.is_over, True
            if not is_answered:
                self._of.end(self._line)
        raise StoppedError(self.why or _ENDED)


_ENDED = (
    "The process that it ran in ended, as when it needs more than 4 GB of memory or crashes. "
    "Nothing here was harmed."
)


def _too_long(seconds: float) -> str:
    return (
        f"It took more than {seconds:g} s and was ended: a loop without an end, or a large program."
    )


def _serve(line: Connection, work: Callable[[bytes], bytes], seconds: float) -> None:
    """Answer until nobody asks any more."""
    _settle(line.fileno())
    while True:
        try:
            request = line.recv_bytes()
        except (EOFError, OSError):
            return
        with open(os.devnull, "w") as nowhere:
            # a thread that needs no Python, for whom there is nobody else to end
            faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
            found = work(request)
            faulthandler.cancel_dump_traceback_later()
        line.send_bytes(found)


def _settle(own: int) -> None:
    """Make the copy one that writes nothing, holds no connection, and is not interrupted."""
    import torch

    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asked
    nothing = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            number = int(name)
            is_socket = stat.S_ISSOCK(os.fstat(number).st_mode)
            if number != own and (number < 3 or is_socket):
                os.dup2(nothing, number)
    sys.stdout = sys.stderr = os.fdopen(nothing, "w")  # a notebook's would send to it
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a pool of threads is not copied
    torch.get_num_threads = lambda: threads  # for as many as before the code is generated
    limit_here()
    gc.freeze()  # to collect them would copy their memory
