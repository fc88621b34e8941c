"""A run of the suite: what is still to do, given to an engine, and results stored as they come."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import closing
from itertools import product
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.errors import SuiteError
from dynamo_lab.model.core.host import processor
from dynamo_lab.suite.jobs import Job
from dynamo_lab.suite.locks import CAN_LOCK
from dynamo_lab.suite.results import (
    Case,
    Precision,
    Result,
    Size,
    Task,
    append,
    incomparable,
    read,
    still_to_do,
)
from dynamo_lab.suite.supervisor import Limits, supervise

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence


_PER_DEVICE = 8
_CORES_EACH = 2  # a process that compiles, and Inductor's own that build its kernels


class Order(Struct, frozen=True, kw_only=True):
    """What to run, and on what. `devices` are numbers of GPUs; a processor has none."""

    models: tuple[str, ...]
    tasks: tuple[Task, ...] = ("inference",)
    precisions: tuple[Precision, ...] = ("float32",)
    device: str = "cpu"
    devices: tuple[str, ...] = ()
    workers: int | None = None
    size: Size = "small"
    limits: Limits = Limits()
    ranks: int = 1

    @property
    def cases(self) -> list[Case]:
        """Every case, a model's together."""
        return [Case(*parts) for parts in product(self.models, self.tasks, self.precisions)]


class Slot(Struct, frozen=True):
    """A place for one process: the device that it shares, and its environment."""

    name: str
    environment: dict[str, str]


class Engine(Protocol):
    """Runs jobs somewhere, several at once.

    `is_here` says that it does so on this machine.
    """

    is_here: bool

    def run(self, jobs: Sequence[Job], order: Order) -> Generator[Result]:
        """Each result as it comes. Closing the iterator ends what runs."""
        ...


def run_suite(
    order: Order,
    path: str,
    engine: Engine,
    *,
    again: bool = False,
    report: Callable[[Result, int, int], None] = lambda *_: None,
) -> None:
    """Run what has no result in the file yet, or all of it `again`, and append what is found.

    Raises:
        SuiteError: the file was begun in another environment, or cannot be written.
    """
    cases = order.cases
    before = read(path, must_exist=False).results
    _refuse(path, _another(order, before, processor() if engine.is_here else ""))
    left = cases if again else still_to_do(cases, before)
    done = len(cases) - len(left)
    with closing(engine.run(jobs_of(left, order), order)) as results:
        for number, result in enumerate(results, done + 1):
            _refuse(path, _stranger(result, before))
            append(path, result)
            report(result, number, len(cases))


def jobs_of(cases: Sequence[Case], order: Order) -> list[Job]:
    """A job for each model, with its cases."""
    return [
        Job(
            model=model,
            cases=tuple(case for case in cases if case.model == model),
            device=order.device,
            slot=order.device,
            size=order.size,
            ranks=order.ranks,
        )
        for model in dict.fromkeys(case.model for case in cases)
    ]


def _refuse(path: str, reason: str) -> None:
    """If there is a reason, do not add to the file."""
    if reason:
        raise SuiteError(
            f"{path!r} was begun elsewhere, it differs in {reason}. Name another file with "
            "--results."
        )


def _another(order: Order, before: Sequence[Result], here: str) -> str:
    """Why results cannot be of this order, as far as it is known before anything ran."""
    for one in before:
        if one.size != order.size:
            return f"size: {one.size} against {order.size}"
        if one.machine.device and one.ranks != order.ranks:
            return f"ranks: {one.ranks} against {order.ranks}"
        if not one.machine.device:  # its process died, and could not report it
            continue
        if not _is_on(one.machine.device, order.device):
            return f"device: {one.machine.device} against {order.device}"
        if here and one.machine.processor != here:
            return f"processor: {one.machine.processor} against {here}"
    return ""


_NAMES = {"cpu": "cpu", "mps": "Apple GPU (MPS)"}
"""Devices that have one name on every machine, as results name it."""


def _is_on(name: str, device: str) -> bool:
    """Whether a device of this name is of this type."""
    return name == _NAMES[device] if device in _NAMES else name not in _NAMES.values()


def _stranger(result: Result, before: Sequence[Result]) -> str:
    """Why a result does not belong to those before it."""
    known = [one for one in before if one.machine.torch]
    if not known or not result.machine.torch:
        return ""
    ours, theirs = result.machine.torch, known[0].machine.torch
    if ours != theirs:
        return f"torch: {theirs} against {ours}"
    return incomparable(known[:1], [result])


class LocalEngine:
    """Processes of this machine, one a slot."""

    is_here = True

    def run(self, jobs: Sequence[Job], order: Order) -> Generator[Result]:
        """Each result as it comes."""
        waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        for job in jobs:
            waiting.put(job)
        found: queue.SimpleQueue[Result | BaseException | None] = queue.SimpleQueue()
        stopped = threading.Event()

        def work(slot: Slot) -> None:
            try:
                while not stopped.is_set():
                    job = _with_slot(waiting.get_nowait(), slot)
                    for result in supervise(
                        job, order.limits, slot.environment, is_stopped=stopped.is_set
                    ):
                        found.put(result)
            except queue.Empty:
                found.put(None)
            except BaseException as error:
                found.put(error)

        threads = [threading.Thread(target=work, args=[slot]) for slot in slots(order)]
        try:
            for thread in threads:
                thread.start()
            yield from _until_all_end(found, len(threads))
        finally:
            stopped.set()
            for thread in threads:
                thread.join()


def _until_all_end(
    found: queue.SimpleQueue[Result | BaseException | None], count: int
) -> Generator[Result]:
    while count:
        item = found.get()
        if isinstance(item, BaseException):
            raise item
        if item is None:
            count -= 1
        else:
            yield item


def _with_slot(job: Job, slot: Slot) -> Job:
    return replace(job, slot=slot.name)


def slots(order: Order, cores: int | None = None) -> list[Slot]:
    """The places for processes, over the devices in turns.

    On a processor there is one by default, for what compiles there disturbs what is timed. On a
    GPU several compile at once, and time one after the other.

    Raises:
        SuiteError: several processes cannot take turns on this system, or there is not a GPU for
            each rank.
    """
    cores = cores or _cores()
    if order.ranks > 1:
        return [_slot_of_ranks(order, cores)]
    devices = order.devices or ("0",)
    each = (
        1
        if order.device == "cpu"
        else max(1, min(_PER_DEVICE, cores // _CORES_EACH // len(devices)))
    )
    workers = order.workers or each * len(devices)
    if workers > len(devices) and not CAN_LOCK:
        raise SuiteError("Processes cannot take turns on this system: pass --workers 1.")
    share = max(1, cores // workers)
    return [_slot(order.device, devices[at % len(devices)], share) for at in range(workers)]


def _slot_of_ranks(order: Order, cores: int) -> Slot:
    """The one place for jobs of several ranks: with a GPU for each."""
    slot = _slot("cpu", "0", max(1, cores // order.ranks))
    if order.device != "cuda":
        return slot
    devices = order.devices or tuple(map(str, range(order.ranks)))
    if len(devices) < order.ranks:
        raise SuiteError(f"{order.ranks} ranks need as many devices: pass more with --devices.")
    visible = ",".join(visible_device(number) for number in devices[: order.ranks])
    return Slot(f"cuda-{visible}", {**slot.environment, "CUDA_VISIBLE_DEVICES": visible})


def _slot(device: str, number: str, share: int) -> Slot:
    environment = {
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "TORCHINDUCTOR_COMPILE_THREADS": str(share),
    }
    if device == "cpu":
        return Slot("cpu", environment)
    environment["OMP_NUM_THREADS"] = str(share)
    if device != "cuda":
        return Slot(device, environment)
    visible = visible_device(number)
    return Slot(f"cuda-{visible}", {**environment, "CUDA_VISIBLE_DEVICES": visible})


def visible_device(number: str) -> str:
    """What the system calls the GPU of this number among those that we may see.

    Raises:
        SuiteError: we see no such GPU.
    """
    seen = [one.strip() for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one]
    if not seen:
        return number
    if not number.isdigit() or int(number) >= len(seen):
        raise SuiteError(f"There is no device {number}: pass 0 to {len(seen) - 1}.")
    return seen[int(number)]


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
