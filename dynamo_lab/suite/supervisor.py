"""One process at work: its limits of time and memory are kept, and its end is understood."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from dynamo_lab.suite.jobs import FOLDER, WAITING, Done, Events, Job
from dynamo_lab.suite.results import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dynamo_lab.suite.results import Case, Verdict

WORKER = (sys.executable, "-m", "dynamo_lab.suite.worker")

_POLL = 0.05  # seconds


class Limits(Struct, frozen=True, kw_only=True):
    """What a case may take: seconds, waiting not counted, and bytes of main memory."""

    seconds: float = 600.0
    memory: int | None = None


class Killed(Exception):
    """The process was ended by us."""

    def __init__(self, verdict: Verdict, reason: str) -> None:
        super().__init__(reason)
        self.verdict: Verdict = verdict


def supervise(
    job: Job,
    limits: Limits,
    environment: Mapping[str, str],
    *,
    command: Sequence[str] = WORKER,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """The result of each case, as it comes.

    A case at which the process dies gets that as its result; another process takes up the rest.
    When `is_stopped` says so, the process is ended and the case at hand has no result.
    """
    left = list(job.cases)
    while left and not is_stopped():
        attempt = msgspec.structs.replace(job, cases=tuple(left))
        with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
            process = _Process(attempt, Path(folder), environment, command)
            try:
                for result in process.results(limits, is_stopped):
                    left.remove(result.case)
                    yield result
            finally:
                process.end()


class _Process:
    """A worker that runs, and what its events reported so far."""

    def __init__(
        self, job: Job, folder: Path, environment: Mapping[str, str], command: Sequence[str]
    ) -> None:
        self._job = job
        asked, events = folder / "job.json", folder / "events.jsonl"
        self._log = folder / "log.txt"
        asked.write_bytes(msgspec.json.encode(job))
        self._events = Events(events)
        self._left = list(job.cases)
        self._case, self._step = job.cases[0], "starting"
        self._spent, self._last = 0.0, time.monotonic()
        caches = {
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
            "TRITON_CACHE_DIR": str(folder / "triton"),
        }
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*command, str(asked), str(events)],
                stdin=subprocess.PIPE,  # its end is the sign that we are gone
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment, **caches},
                start_new_session=True,
            )

    def results(self, limits: Limits, is_stopped: Callable[[], bool]) -> Iterator[Result]:
        """Each result as it comes; the last one may be that the process died."""
        try:
            while self._process.poll() is None:
                yield from self._told()
                if is_stopped():
                    return
                self._keep(limits)
                time.sleep(_POLL)
        except Killed as killed:
            yield from self._told()
            yield from self._died(killed.verdict, str(killed))
            return
        yield from self._told()
        verdict, reason = self._ending()
        yield from self._died(verdict, reason)

    def end(self) -> None:
        """End the process and those it started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # it is gone; macOS says it is not ours
            self._process.kill()
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait()

    def _told(self) -> Iterator[Result]:
        for event in self._events.new():
            if isinstance(event, Done):
                self._left.remove(event.result.case)
                yield event.result
            else:
                self._enter(event.case, event.name)

    def _enter(self, case: Case, step: str) -> None:
        self._tick()
        if case != self._case:
            self._spent = 0.0
        self._case, self._step = case, step

    def _tick(self) -> None:
        now = time.monotonic()
        if self._step != WAITING:
            self._spent += now - self._last
        self._last = now

    def _keep(self, limits: Limits) -> None:
        """End what is beyond its limits."""
        self._tick()
        if self._spent > limits.seconds:
            reason = f"more than {limits.seconds:g} s, the last of them {self._step}"
            self.end()
            raise Killed("timed out", reason)
        if limits.memory is not None and (used := memory_of(self._process.pid)) > limits.memory:
            self.end()
            shown = f"{used / 2**30:.1f} of {limits.memory / 2**30:.1f} GiB"
            raise Killed("out of memory", f"it took {shown} of main memory while {self._step}")

    def _died(self, verdict: Verdict, reason: str) -> Iterator[Result]:
        """The case at hand with this verdict; none is where it died between two."""
        if self._case in self._left:
            yield Result(
                case=self._case,
                verdict=verdict,
                reason=reason,
                size=self._job.size,
                seconds=self._spent,
            )

    def _ending(self) -> tuple[Verdict, str]:
        code = self._process.returncode
        how = f"signal {_signal(-code)}" if code < 0 else f"exit code {code}"
        if code == -signal.SIGKILL:
            how += ", as the system sends where memory is short"
        return "crashed", f"{how}, while {self._step}: {self._last_words()}"

    def _last_words(self) -> str:
        try:
            lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return ""
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "no message")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def memory_of(pid: int) -> int:
    """The bytes of main memory that a process holds for itself; 0 where it is not known."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()
        return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        pass
    command = ["ps", "-o", "rss=", "-p", str(pid)]
    try:
        output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    return int(output) * 1024 if output.strip().isdigit() else 0
