"""Accelerators through their device modules, with one that is not there."""

from __future__ import annotations

import inspect

import pytest
import torch

from dynamo_lab.measure.devices import Accelerator, Cpu, device_named, device_of


class Queue:
    """A device module: work is queued, and takes its time once someone waits for it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: list[float | Stamp] = []
        self.log: list[str] = []

    def work(self, milliseconds: float) -> None:
        self.log.append("work")
        self.waiting.append(milliseconds)

    def synchronize(self) -> None:
        self.log.append("wait")
        for item in self.waiting:
            if isinstance(item, Stamp):
                item.at = self.now
            else:
                self.now += item
        self.waiting.clear()

    def Event(self, enable_timing: bool = False) -> Stamp:
        assert enable_timing
        return Stamp(self)


class Stamp:
    """An event in the queue: it has no time until all before it is done."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self.at: float | None = None

    def record(self) -> None:
        self._queue.waiting.append(self)

    def elapsed_time(self, end: Stamp) -> float:
        assert self.at is not None
        assert end.at is not None
        return end.at - self.at


def test_work_is_timed_by_the_device_and_not_by_who_queues_it() -> None:
    queue = Queue()
    queue.work(50.0)  # of someone else, still on its way
    device = Accelerator("mps", queue)
    assert device.seconds(lambda: queue.work(2.0), loops=3) == pytest.approx(6e-3)
    assert queue.log == ["work", "wait", "work", "work", "work", "wait"]


def test_caches_are_flushed_before_the_work_and_with_one_filler() -> None:
    queue = Queue()
    device = Accelerator("meta", queue)
    device.flush()
    device.flush()
    assert queue.log == ["wait", "wait"]


def test_a_device_has_its_own_module() -> None:
    assert device_named("mps").name == "mps"
    assert isinstance(device_named("cpu"), Cpu)
    assert device_of([torch.ones(1), 3, "text"]).name == "cpu"
    assert device_of([torch.ones(1, device="meta")]).name == "cpu"


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_pytorch_has_what_a_device_is_timed_with(name: str) -> None:
    module = torch.get_device_module(name)
    assert callable(module.synchronize)
    assert "elapsed_time" in dir(module.Event)
    assert "enable_timing" in str(inspect.signature(module.Event))
