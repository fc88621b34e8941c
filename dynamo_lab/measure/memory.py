"""Peak memory: the most bytes that a call holds beyond what was allocated before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.profiler import profiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
    seen = profiled(work, memory=True)
    if seen is None:
        return None
    return _peak(allocations(seen.experimental_event_tree()))


class Allocation(NamedTuple):
    """Memory that was allocated or freed, and in which operator: its event and its name."""

    at: int
    """Nanoseconds."""
    address: int
    size: int
    """In bytes, below 0 where they are freed."""
    event: int = 0
    operator: str = ""


def allocations(events: Iterable[Any]) -> list[Allocation]:
    """What was allocated and freed during these events, in order."""
    found: list[Allocation] = []
    pending = [(event, 0, "") for event in events]
    while pending:
        event, parent, operator = pending.pop()
        if event.name == "[memory]":
            fields = event.extra_fields
            facts = event.start_time_ns, fields.ptr, fields.alloc_size
            found.append(Allocation(*facts, parent, operator))
        named = operator or (event.name if event.name.startswith("aten::") else "")
        pending += [(child, event.id, named) for child in event.children]
    return sorted(found, key=lambda one: one.at)


def _peak(allocations: Iterable[Allocation]) -> int:
    """The most bytes held at a time of what was allocated here.

    What an earlier profile saw allocated is reported when it is freed in this one, other memory is
    not: neither counts, so that the result does not depend on what was measured before.
    """
    held: dict[int, int] = {}
    total = most = 0
    for one in allocations:
        if one.size > 0:
            held[one.address] = one.size
            total += one.size
        else:
            total -= held.pop(one.address, 0)
        most = max(most, total)
    return most
