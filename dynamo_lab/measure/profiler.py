"""One call under PyTorch's profiler: what it does on the CPU, and what it starts on a GPU."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from dynamo_lab.model.benchmarks import Launches
from dynamo_lab.model.core.streams import quiet_stderr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dynamo_lab.measure.devices import Device

_STARTED = {
    "graphs": re.compile(r"(cuda|cu|hip)GraphLaunch"),
    "kernels": re.compile(r"(cuda|cu|hip)(Module|Ext|ExtModule)?Launch(Cooperative)?Kernel"),
    "copies": re.compile(r"(cuda|cu|hip)Mem(cpy|set)"),
}
"""How the calls of the driver and of its runtime begin that start something on a GPU."""


def launches_of(work: Callable[[], object], device: Device) -> Launches | None:
    """What one call starts on a GPU; None where that is not counted.

    PyTorch's profiler counts on NVIDIA and AMD GPUs, while no other one runs. From then on calls of
    the driver may be slower: time before.
    """
    if device.name != "cuda":
        return None

    def whole() -> None:
        work()
        device.wait()

    found = profiled(whole, gpu=True)
    return None if found is None else counted(event.name() for event in found.events())


def counted(names: Iterable[str]) -> Launches | None:
    """The launches among the names of a profile's events; None where there are none at all.

    A GPU that is not watched looks the same as one that is given nothing to do.
    """
    kinds = (kind for name in names for kind, begins in _STARTED.items() if begins.match(name))
    found = Counter(kinds)
    return Launches(**found) if found else None


def profiled(work: Callable[[], object], *, memory: bool = False, gpu: bool = False) -> Any:
    """What PyTorch's profiler saw of one call of `work`, as its library gives it.

    Of a `gpu` it also sees the calls of the driver. None while another profiler runs: there can be
    only one.
    """
    import torch
    from torch.profiler import ProfilerActivity, profile

    autograd: Any = torch.autograd
    if autograd._profiler_enabled():
        return None
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if gpu else [])]
    watched = profile(activities=activities, profile_memory=memory)
    with quiet_stderr():
        watched.start()
    try:
        work()
    finally:
        with quiet_stderr():
            watched.stop()
    profiler: Any = watched.profiler
    return profiler.kineto_results
