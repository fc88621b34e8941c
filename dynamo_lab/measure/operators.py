"""Operators: how often PyTorch runs each when nothing but its profiler looks on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dynamo_lab.measure.profiler import profiled

if TYPE_CHECKING:
    from collections.abc import Callable


def operators_run(work: Callable[[], object]) -> Counter[str] | None:
    """The operators that one call of `work` runs, those inside others too, as "aten::add".

    None while another profiler runs: there can be only one.
    """
    seen = profiled(work)
    return None if seen is None else Counter(event.name() for event in seen.events())
