"""Devices: how work on one is timed, waited for, and made to start with cold caches.

One way for every accelerator: PyTorch's device modules (`torch.cuda`, `torch.mps`, ...), which
share `synchronize` and `Event`. See https://docs.pytorch.org/docs/stable/accelerator.html.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_CACHE_BYTES = 256 << 20
"""Written to flush caches: more than the last level of any processor or GPU at hand."""

_CYCLES = 2_000_000_000
"""Of a GPU in a second, about."""

_AHEAD = 0.0002
"""Seconds that suffice to give a kernel to a GPU."""

_MOST_WRITES = 500
"""In one hold: what waits in a queue is limited."""


class Device(Protocol):
    """Where work runs, and what time is there."""

    name: str
    """As PyTorch names its type: "cpu", "cuda", "mps"."""

    def seconds(self, work: Callable[[], object], loops: int = 1) -> float:
        """The seconds that `loops` calls of `work` take together, until all is done."""
        ...

    def flush(self) -> None:
        """Drive out of the caches what lies there."""
        ...

    def mark(self) -> Any:
        """A point in time, of the work that is given from here on."""
        ...

    def between(self, start: Any, end: Any) -> float:
        """The seconds between two marks, once `wait` was called after them."""
        ...

    def wait(self) -> None:
        """Return when all work that was given is done."""
        ...

    def hold(self, seconds: float) -> None:
        """Keep the device busy about so long, so that work given now waits there in a row.

        Marks around each then tell what the device takes, and not how fast the work is given.
        """
        ...

    def alone(self, work: Callable[[], object]) -> float:
        """The seconds of one call that begins with cold caches."""
        ...


class Cpu:
    """The processor: its work is done when a call returns."""

    name = "cpu"

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._filler: Any = None

    def seconds(self, work: Callable[[], object], loops: int = 1) -> float:
        """By the wall clock."""
        start = self._clock()
        for _ in range(loops):
            work()
        return self._clock() - start

    def flush(self) -> None:
        """Write more than the caches hold."""
        if self._filler is None:
            import torch

            self._filler = torch.empty(_CACHE_BYTES // 4, dtype=torch.int32)
        self._filler.zero_()

    def mark(self) -> float:
        """The wall clock."""
        return self._clock()

    def between(self, start: float, end: float) -> float:
        """By the wall clock."""
        return end - start

    def wait(self) -> None:
        """Nothing to wait for."""

    def hold(self, seconds: float) -> None:
        """Work is done when it is given, so there is no queue to fill."""

    def alone(self, work: Callable[[], object]) -> float:
        """By the wall clock."""
        self.flush()
        return self.seconds(work)


class Accelerator:
    """A GPU: work is queued, so events in the queue tell when it began and ended.

    `module` is PyTorch's module of the device, `torch.cuda` for "cuda".
    """

    def __init__(self, name: str, module: Any = None) -> None:
        import torch

        self.name = name
        self._module = module or torch.get_device_module(name)
        self._filler: Any = None
        self._write = 0.0

    def seconds(self, work: Callable[[], object], loops: int = 1) -> float:
        """Between two events around the calls: gaps in which the device waits count."""
        module = self._module
        start, end = module.Event(enable_timing=True), module.Event(enable_timing=True)
        module.synchronize()
        start.record()
        for _ in range(loops):
            work()
        end.record()
        module.synchronize()
        return start.elapsed_time(end) / 1e3  # it tells milliseconds

    def flush(self) -> None:
        """Write more than the caches hold, and wait for it."""
        self._overwrite()
        self._module.synchronize()

    def _overwrite(self) -> None:
        if self._filler is None:
            import torch

            self._filler = torch.empty(_CACHE_BYTES // 4, dtype=torch.int32, device=self.name)
        self._filler.zero_()

    def mark(self) -> Any:
        """An event in the queue."""
        event = self._module.Event(enable_timing=True)
        event.record()
        return event

    def between(self, start: Any, end: Any) -> float:
        """Between two events."""
        return start.elapsed_time(end) / 1e3

    def wait(self) -> None:
        """Until the queue is empty."""
        self._module.synchronize()

    def hold(self, seconds: float) -> None:
        """By a kernel that only counts cycles, where there is one, else by writing memory."""
        if hasattr(self._module, "_sleep"):
            self._module._sleep(int(seconds * _CYCLES))
            return
        if not self._write:
            self._write = max(self.seconds(self._overwrite, 10) / 10, 1e-6)
        for _ in range(min(int(seconds / self._write), _MOST_WRITES)):
            self._overwrite()

    def alone(self, work: Callable[[], object]) -> float:
        """Between two events, given while the device still writes over its caches."""
        self._module.synchronize()
        self.hold(_AHEAD)
        self._overwrite()
        start = self.mark()
        work()
        end = self.mark()
        self._module.synchronize()
        return self.between(start, end)


def device_of(values: Iterable[Any]) -> Device:
    """The device that the tensors among these values lie on: an accelerator, if one does."""
    import torch

    names = {value.device.type for value in values if isinstance(value, torch.Tensor)}
    return device_named(next(iter(sorted(names - {"cpu", "meta"})), "cpu"))


def device_named(name: str) -> Device:
    """The device of a type that PyTorch knows, such as "cuda"."""
    return Cpu() if name == "cpu" else Accelerator(name)
