"""The memory of one call of a variant: its course where the profiler sees it, else its peak."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dynamo_lab.capture.core.callers import callers_of
from dynamo_lab.measure.memory import peak_of
from dynamo_lab.measure.memory_course import course_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.measure.devices import Device
    from dynamo_lab.model.benchmarks import MemoryCourse


def weigh(
    call: Callable[[], object], device: Device, *, with_lines: bool
) -> tuple[MemoryCourse | None, int | None]:
    """The course and the peak of a call; on a GPU only the peak.

    With lines, it is called once more: only for eager PyTorch, as a compiled function would be
    compiled again.
    """
    if device.name != "cpu":
        return None, peak_of(call, device)
    course = course_of(call, partial(callers_of, call)) if with_lines else course_of(call)
    return course, course.peak if course else None
