"""The peak of a graph's memory as planned, and what it would be without some buffers."""

from collections.abc import Collection
from typing import NamedTuple

from msgspec import structs

from dynamo_lab.model.fusion.memory import MemoryBuffer, MemoryPlan
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.fusion import memory

_OUTSIDE = ("input", "donated")


class Peak(NamedTuple):
    """The most bytes that a graph holds, and the buffers that hold them, the largest first."""

    bytes: int
    holders: tuple[MemoryBuffer, ...]


def peak_of(recording: Recording, plan: MemoryPlan) -> Peak:
    """The peak of a plan, inputs left out: they live anyway.

    It is no more than what is planned: what a library's function takes as it runs nobody knows.
    """
    view = memory.build(plan, recording, 0)
    named = {buffer.name: buffer for buffer in plan.buffers}
    lives = [life for life in view.lives if life.start <= view.peak <= life.end and life.bytes]
    held = [life for life in lives if life.role not in (*_OUTSIDE, "view")]
    held.sort(key=lambda life: -life.bytes)
    return Peak(view.peak_bytes, tuple(named[life.name] for life in held))


def peak_without(recording: Recording, plan: MemoryPlan, names: Collection[str]) -> int:
    """The peak of the same plan if some buffers took no memory, by going through it again."""
    buffers = tuple(
        structs.replace(one, bytes=0) if one.name in names else one for one in plan.buffers
    )
    changed = structs.replace(plan, buffers=buffers)
    return memory.build(changed, recording, 0).peak_bytes


def is_known(plan: MemoryPlan) -> bool:
    """Whether the size of every buffer is known, and none is in a pool that is not recorded."""
    return not plan.is_pooled and all(b.bytes is not None or not b.dtype for b in plan.buffers)


def exchanged(plan: MemoryPlan, *, saved: Collection[str] = ()) -> int:
    """The bytes that a graph reads from outside and returns, without those that it saves."""
    around = (b for b in plan.buffers if b.role in (*_OUTSIDE, "output") and b.name not in saved)
    return sum(buffer.bytes or 0 for buffer in around)
