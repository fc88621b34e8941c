"""Accelerators through their device modules, with one that is not there."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import torch

from dynamo_lab.errors import OptionError
from dynamo_lab.measure.devices import Accelerator, Cpu, device_named, device_of
from dynamo_lab.measure.memory import peak_of

if TYPE_CHECKING:
    from collections.abc import Generator


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


class Gpus(Queue):
    """Several GPUs, one of which is in use: each call tells which."""

    def __init__(self) -> None:
        super().__init__()
        self.index = 0
        self.used: list[tuple[str, int]] = []

    @contextmanager
    def device(self, index: int) -> Generator[None]:
        before, self.index = self.index, index
        yield
        self.index = before

    def synchronize(self) -> None:
        self.used.append(("wait", self.index))
        super().synchronize()

    def Event(self, enable_timing: bool = False) -> Stamp:
        self.used.append(("event", self.index))
        return super().Event(enable_timing)

    def _sleep(self, cycles: int) -> None:
        self.used.append(("hold", self.index))

    def reset_peak_memory_stats(self) -> None:
        self.used.append(("reset", self.index))

    def memory_allocated(self) -> int:
        return 0

    def max_memory_allocated(self) -> int:
        return 100 * self.index


def test_all_is_of_the_gpu_that_is_measured_and_not_of_the_one_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpus = Gpus()
    device = Accelerator("meta", gpus, 1)
    device.seconds(lambda: gpus.used.append(("work", gpus.index)))
    device.flush()
    device.mark()
    device.wait()
    device.hold(1.0)
    device.alone(lambda: gpus.used.append(("work", gpus.index)))

    def named(_: str) -> Gpus:
        return gpus

    monkeypatch.setattr(torch, "get_device_module", named)
    assert peak_of(lambda: None, device) == 100
    assert {kind for kind, _ in gpus.used} == {"wait", "event", "hold", "work", "reset"}
    assert {index for _, index in gpus.used} == {1}
    assert gpus.index == 0


class OnGpu(torch.Tensor):
    """A tensor that says it lies on a GPU."""

    @property
    def device(self) -> torch.device:  # pyright: ignore[reportIncompatibleVariableOverride]
        return torch.device("cuda", int(self.numel()))


def test_a_device_is_the_gpu_that_the_tensors_lie_on() -> None:
    one, two = (torch.ones(number).as_subclass(OnGpu) for number in (1, 2))
    device = device_of([one, torch.ones(1), one])
    assert (device.name, device.place) == ("cuda", "cuda:1")
    with pytest.raises(OptionError, match=r"several GPUs \(cuda:1, cuda:2\).* use one"):
        device_of([one, two])
    assert (device_named("cuda").place, device_named("cuda:3").place) == ("cuda", "cuda:3")


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
