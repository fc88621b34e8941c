"""Peak memory: the most bytes that a call holds beyond what was allocated before it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from dynamo_lab.measure.devices import device_named

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from dynamo_lab.measure.devices import Device


def peak_of(work: Callable[[], object], device: Device | str) -> int | None:
    """The most bytes that one call of `work` holds on a device, its results among them.

    Earlier allocations do not count, nor what libraries allocate outside PyTorch's allocator. Call
    `work` once before, so that what is allocated only the first time exists. What the call frees of
    earlier allocations makes room on a GPU, but not on the CPU, where PyTorch does not report
    it. None where the device tracks no peak, as on Apple's GPUs: `torch.mps` reports what
    is held now. None also for the CPU while another profiler runs, as there can be only one.
    """
    found = device_named(device) if isinstance(device, str) else device
    if found.name == "cpu":
        return _on_cpu(work)
    import torch

    module: Any = torch.get_device_module(found.name)
    if not hasattr(module, "reset_peak_memory_stats"):
        return None
    with found.current():
        return _counted(work, module)


def _counted(work: Callable[[], object], module: Any) -> int:
    """By the device's own count."""
    module.synchronize()
    module.reset_peak_memory_stats()
    before = module.memory_allocated()
    work()
    module.synchronize()
    return max(0, module.max_memory_allocated() - before)


def _on_cpu(work: Callable[[], object]) -> int | None:
    """By adding up what PyTorch's profiler sees allocated and freed, in order."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    autograd: Any = torch.autograd
    if autograd._profiler_enabled():
        return None
    watched = profile(activities=[ProfilerActivity.CPU], profile_memory=True)
    with quiet():
        watched.start()
    try:
        work()
    finally:
        with quiet():
            watched.stop()
    profiler: Any = watched.profiler
    found = [e for e in profiler.kineto_results.events() if e.name() == "[memory]"]
    ordered = sorted(found, key=lambda event: event.start_ns())
    return max(accumulate((event.nbytes() for event in ordered), initial=0))


@contextmanager
def quiet() -> Generator[None, None, None]:
    """Without what the profiler's library prints on stderr when it starts and stops."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no stderr
        yield
        return
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
