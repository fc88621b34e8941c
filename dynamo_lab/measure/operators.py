"""Operators: how often PyTorch runs each when nothing but its profiler looks on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dynamo_lab.measure.memory import quiet

if TYPE_CHECKING:
    from collections.abc import Callable


def operators_run(work: Callable[[], object]) -> Counter[str] | None:
    """The operators that one call of `work` runs, those inside others too, as "aten::add".

    None while another profiler runs: there can be only one.
    """
    import torch
    from torch.profiler import ProfilerActivity, profile

    autograd: Any = torch.autograd
    if autograd._profiler_enabled():
        return None
    watched = profile(activities=[ProfilerActivity.CPU])
    with quiet():
        watched.start()
    try:
        work()
    finally:
        with quiet():
            watched.stop()
    profiler: Any = watched.profiler
    return Counter(event.name() for event in profiler.kineto_results.events())
