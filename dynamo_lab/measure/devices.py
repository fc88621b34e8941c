"""Devices: how work on one is timed, waited for, and made to start with cold caches.

One way for every accelerator: PyTorch's device modules (`torch.cuda`, `torch.mps`, ...), which
share `synchronize` and `Event`. See https://docs.pytorch.org/docs/stable/accelerator.html.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

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

    place: str
    """Where its tensors lie: "cuda:1", or its type where that says it."""

    def current(self) -> AbstractContextManager[object]:
        """While it lasts, it is the one of its type that PyTorch uses by default."""
        ...

    def seconds(self, work: Callable[[], object], loops: int = 1) -> float:
        """The seconds that `loops` calls of `work` take together, until all are done."""
        ...

    def flush(self) -> None:
        """Flush the caches."""
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
        """Keep the device busy for about that long, so that work submitted now queues up there.

        Marks around each then measure the device, not how fast the work is submitted.
        """
        ...

    def alone(self, work: Callable[[], object]) -> float:
        """The seconds of one call that begins with cold caches."""
        ...


class Cpu:
    """The processor: its work is done when a call returns."""

    name = place = "cpu"

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._filler: Any = None

    def current(self) -> AbstractContextManager[object]:
        """There is one."""
        return nullcontext()

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
    """A GPU: work is queued, so events in the queue say when it began and ended.

    `module` is PyTorch's module of the device, `torch.cuda` for "cuda". Without an `index` it is
    the GPU that is in use when it is asked.
    """

    def __init__(self, name: str, module: Any = None, index: int | None = None) -> None:
        import torch

        self.name = name
        self.place = name if index is None else f"{name}:{index}"
        self._module = module or torch.get_device_module(name)
        self._index = index
        self._filler: Any = None
        self._write = 0.0

    def current(self) -> AbstractContextManager[object]:
        """By PyTorch's own `torch.cuda.device`; what has one GPU only, as "mps", has none."""
        if self._index is None or not hasattr(self._module, "device"):
            return nullcontext()
        return self._module.device(self._index)

    def seconds(self, work: Callable[[], object], loops: int = 1) -> float:
        """Between two events around the calls: gaps in which the device waits count."""
        module = self._module
        with self.current():
            start, end = module.Event(enable_timing=True), module.Event(enable_timing=True)
            module.synchronize()
            start.record()
            for _ in range(loops):
                work()
            end.record()
            module.synchronize()
        return start.elapsed_time(end) / 1e3  # in milliseconds

    def flush(self) -> None:
        """Write more than the caches hold, and wait for it."""
        with self.current():
            self._overwrite()
            self._module.synchronize()

    def _overwrite(self) -> None:
        if self._filler is None:
            import torch

            self._filler = torch.empty(_CACHE_BYTES // 4, dtype=torch.int32, device=self.place)
        self._filler.zero_()

    def mark(self) -> Any:
        """An event in the queue."""
        with self.current():
            event = self._module.Event(enable_timing=True)
            event.record()
        return event

    def between(self, start: Any, end: Any) -> float:
        """Between two events."""
        return start.elapsed_time(end) / 1e3

    def wait(self) -> None:
        """Until the queue is empty."""
        with self.current():
            self._module.synchronize()

    def hold(self, seconds: float) -> None:
        """By a kernel that only counts cycles, where there is one, else by writing memory."""
        with self.current():
            self._hold(seconds)

    def _hold(self, seconds: float) -> None:
        if hasattr(self._module, "_sleep"):
            self._module._sleep(int(seconds * _CYCLES))
            return
        if not self._write:
            self._write = max(self.seconds(self._overwrite, 10) / 10, 1e-6)
        for _ in range(min(int(seconds / self._write), _MOST_WRITES)):
            self._overwrite()

    def alone(self, work: Callable[[], object]) -> float:
        """Between two events, given while the device still writes over its caches."""
        with self.current():
            self._module.synchronize()
            self._hold(_AHEAD)
            self._overwrite()
            start = self.mark()
            work()
            end = self.mark()
            self._module.synchronize()
        return self.between(start, end)


def device_of(values: Iterable[Any]) -> Device:
    """The device that the tensors among these values lie on: an accelerator, if one does.

    Raises:
        OptionError: they lie on several.
    """
    import torch

    found = {value.device for value in values if isinstance(value, torch.Tensor)}
    places = sorted(str(device) for device in found if device.type not in ("cpu", "meta"))
    if len(places) > 1:
        raise OptionError(
            f"The program's tensors lie on several GPUs ({', '.join(places)}), and time is "
            "measured on one: use one."
        )
    return device_named(places[0] if places else "cpu")


def device_named(name: str) -> Device:
    """The device that PyTorch names so, such as "cuda", or "cuda:1" for one of several."""
    kind, _, index = name.partition(":")
    return Cpu() if kind == "cpu" else Accelerator(kind, index=int(index) if index else None)
