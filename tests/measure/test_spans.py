from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from dynamo_lab.measure.devices import Accelerator
from dynamo_lab.measure.spans import Spans, mean


class Queue:
    """A device module whose work takes the seconds it is given for, one piece after the other."""

    def __init__(self) -> None:
        self.host = self.done = 0.0
        self.events = 0

    def Event(self, enable_timing: bool) -> Event:
        assert enable_timing
        return Event(self)

    def synchronize(self) -> None:
        self.host = self.done = max(self.host, self.done)

    def give(self, seconds: float, giving: float = 0.0) -> None:
        self.host += giving
        self.done = max(self.host, self.done) + seconds

    def _sleep(self, cycles: int) -> None:
        self.give(cycles / 2e9)


class Event:
    def __init__(self, queue: Queue) -> None:
        self._queue, self.at = queue, 0.0

    def record(self) -> None:
        self.at = max(self._queue.host, self._queue.done)

    def elapsed_time(self, end: Event) -> float:
        return (end.at - self.at) * 1e3


class Gpu(Accelerator):
    """Writes over its caches in a thousandth of a second."""

    def __init__(self, module: Any, queue: Queue) -> None:
        super().__init__("cuda", module)
        self.queue, self.written = queue, 0

    def _overwrite(self) -> None:
        self.written += 1
        self.queue.give(1e-3)


def test_work_that_is_shorter_than_giving_it_is_timed_as_the_device_sees_it() -> None:
    queue = Queue()
    spans = Spans(Gpu(queue, queue))
    for _ in range(1000):
        assert spans.time("kernel", lambda: queue.give(1e-6, giving=2e-5), (), {}) is None
    assert abs(spans.seconds()["kernel"] - 1e-3) < 1e-9


def test_work_alone_does_not_count_the_flush_nor_giving_it() -> None:
    queue = Queue()
    gpu = Gpu(queue, queue)
    assert abs(gpu.alone(lambda: queue.give(5e-6, giving=3e-5)) - 5e-6) < 1e-9
    assert gpu.written == 1


def test_a_device_without_a_sleep_is_held_by_writes() -> None:
    queue = Queue()
    gpu = Gpu(SimpleNamespace(Event=queue.Event, synchronize=queue.synchronize), queue)
    gpu.hold(0.02)
    before = queue.done
    gpu.hold(0.02)
    assert abs(queue.done - before - 0.02) < 1.1e-3


def test_the_mean_of_calls_counts_a_name_that_one_lacks_as_nothing() -> None:
    assert mean([{"a": 1.0, "b": 3.0}, {"a": 3.0}]) == {"a": 2.0, "b": 1.5}
