"""One call under PyTorch's profiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.model.core.streams import quiet_stderr

if TYPE_CHECKING:
    from collections.abc import Callable


def profiled(work: Callable[[], object], *, memory: bool = False) -> Any:
    """What the CPU's profiler saw of one call of `work`, as its library gives it.

    None while another profiler runs: there can be only one.
    """
    import torch
    from torch.profiler import ProfilerActivity, profile

    autograd: Any = torch.autograd
    if autograd._profiler_enabled():
        return None
    watched = profile(activities=[ProfilerActivity.CPU], profile_memory=memory)
    with quiet_stderr():
        watched.start()
    try:
        work()
    finally:
        with quiet_stderr():
            watched.stop()
    profiler: Any = watched.profiler
    return profiler.kineto_results
