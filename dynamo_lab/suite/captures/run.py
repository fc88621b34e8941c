"""A run over the corpus: a process for each program, with its limits; it resumes from its file."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from importlib.metadata import version
from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.suite.captures import facts
from dynamo_lab.suite.captures.facts import Captured, Outcome, Way
from dynamo_lab.suite.corpus.corpus import entries_of, family_of, imports_of
from dynamo_lab.suite.lines import append_line
from dynamo_lab.suite.supervisor import Limits, memory_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

_ALONE = {"CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
"""The environment of the processes: programs are on the CPU, where Dynamo would still ask each GPU
for the state of its random numbers, and nothing is downloaded."""

_IMPORTED = "dynamo_lab.suite.captures.warm"
"""What each process begins with, after what its programs import: PyTorch, warm."""

_POLL = 0.05  # seconds


def run(
    programs: Sequence[str],
    path: str,
    limits: Limits,
    workers: int,
    *,
    again: bool,
    report: Callable[[Captured, int, int], None],
    seed: int | None = None,
) -> None:
    """Try each program that the file has no facts of; facts are appended as they come.

    The families are mixed, so that a run that is stopped leaves some of each. `report` is called
    with each fact, its number and how many there are to come in all. `seed` is that of the random
    sample that the programs are, if they are one.

    Raises:
        SuiteError: the file cannot be read or written.
    """
    known = () if again else facts.read(path, must_exist=False)
    todo = facts.still_to_do(programs, known)
    Random(0).shuffle(todo)
    processes = _processes(imports_of(todo))
    stopped = threading.Event()
    with _environment(_ALONE), ThreadPoolExecutor(workers) as pool:
        _wait_for_the_first(processes)
        running = [pool.submit(examine, name, limits, processes, stopped) for name in todo]
        try:
            for number, done in enumerate(as_completed(running), 1):
                fact = done.result()
                fact = structs.replace(fact, of=len(entries_of(fact.family)), seed=seed)
                append_line(path, fact)
                report(fact, number, len(todo))
        finally:
            stopped.set()  # else an interrupt would wait for what runs
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _environment(values: dict[str, str]) -> Generator[None]:
    """Processes that start in the block have these values."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _wait_for_the_first(processes: Any) -> None:
    """Return when a process could begin: the time until then is no program's."""
    first = processes.Process(target=time.perf_counter)
    first.start()
    first.join()


def _processes(imports: list[str]) -> Any:
    """Processes that begin with PyTorch imported, where the system can fork such ones."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*imports, _IMPORTED])
    return context


def examine(name: str, limits: Limits, processes: Any, stopped: threading.Event) -> Captured:
    """What becomes of one program, whatever ends its process; so far, where it is `stopped`."""
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=_judge, args=(name, theirs), daemon=True)
    started = time.monotonic()
    process.start()
    theirs.close()
    heard = _Heard()
    try:
        ended = _listen(ours, process, limits, heard, stopped)
    finally:
        process.kill()
        process.join()
    if ended and heard.at is not None:
        heard.outcomes[heard.at] = ended
    return Captured(
        program=name,
        family=family_of(name),
        outcomes=heard.outcomes,
        graphs=heard.graphs,
        breaks=heard.breaks,
        seconds=round(time.monotonic() - started, 2),
        software=f"torch {version('torch').partition('+')[0]}",
    )


def _judge(name: str, line: Any) -> None:
    from dynamo_lab.suite.captures.judge import judge

    judge(name, line)


class _Heard:
    """What a process told so far, and the way that it is at."""

    def __init__(self) -> None:
        self.at: Way | None = "eager"
        self.outcomes: dict[Way, Outcome] = {}
        self.graphs: int | None = None
        self.breaks: dict[str, int] = {}

    def hear(self, message: Any) -> None:
        """Take a message of the process."""
        if not hasattr(message, "outcome"):
            self.at = message.way
            return
        self.at = None
        self.outcomes[message.way] = message.outcome
        if message.way == "dynamo":
            self.graphs, self.breaks = message.graphs, message.breaks


def _listen(
    line: Any, process: Any, limits: Limits, heard: _Heard, stopped: threading.Event
) -> Outcome | None:
    """Hear the process to its end: None, or how it was ended before."""
    until = time.monotonic() + limits.seconds
    while not stopped.is_set():
        try:
            while line.poll(_POLL):
                heard.hear(line.recv())
        except (EOFError, OSError):
            break
        if time.monotonic() > until:
            return Outcome("timed out", f"more than {limits.seconds:g} s")
        if limits.memory is not None and memory_of(process.pid) > limits.memory:
            return Outcome("out of memory", f"more than {limits.memory / 2**30:.1f} GiB")
    if stopped.is_set():
        return None
    process.join()
    return Outcome("crashed", f"exit code {process.exitcode}") if process.exitcode else None
