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


class Accelerator:
    """A GPU: work is queued, so events in the queue tell when it began and ended.

    `module` is PyTorch's module of the device, `torch.cuda` for "cuda".
    """

    def __init__(self, name: str, module: Any = None) -> None:
        import torch

        self.name = name
        self._module = module or torch.get_device_module(name)
        self._filler: Any = None

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
        if self._filler is None:
            import torch

            self._filler = torch.empty(_CACHE_BYTES // 4, dtype=torch.int32, device=self.name)
        self._filler.zero_()
        self._module.synchronize()


def device_of(values: Iterable[Any]) -> Device:
    """The device that the tensors among these values lie on: an accelerator, if one does."""
    import torch

    names = {value.device.type for value in values if isinstance(value, torch.Tensor)}
    return device_named(next(iter(sorted(names - {"cpu", "meta"})), "cpu"))


def device_named(name: str) -> Device:
    """The device of a type that PyTorch knows, such as "cuda"."""
    return Cpu() if name == "cpu" else Accelerator(name)
