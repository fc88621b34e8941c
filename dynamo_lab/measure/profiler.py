"""One call under PyTorch's profiler."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


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
    with _quiet():
        watched.start()
    try:
        work()
    finally:
        with _quiet():
            watched.stop()
    profiler: Any = watched.profiler
    return profiler.kineto_results


@contextmanager
def _quiet() -> Generator[None, None, None]:
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
