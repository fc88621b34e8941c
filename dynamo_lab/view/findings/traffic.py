"""Bytes that the kernels of a recording move in one call, as the roofline counts them."""

from collections.abc import Iterable, Iterator

from dynamo_lab.model.benchmarks import Work
from dynamo_lab.model.fusion.memory import MemoryBuffer, MemoryPlan
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.findings.finding import Facts


def moved(facts: Facts, graphs: Iterable[int]) -> int | None:
    """The bytes that the kernels of some graphs read and write; None where one is not known."""
    wanted = set(graphs)
    kernels = [kernel.id for kernel in facts.recording.kernels if kernel.graph in wanted]
    calls = [work for kernel in kernels for work in facts.works.calls(kernel)]
    known = [work.bytes_read + work.bytes_written for work in calls if isinstance(work, Work)]
    return sum(known) if calls and len(known) == len(calls) else None


def plans_of(recording: Recording, graphs: Iterable[int]) -> Iterator[MemoryPlan]:
    """The memory plans of some graphs."""
    wanted = set(graphs)
    schedules = recording.schedules
    return (one for one in recording.memory_plans if schedules[one.schedule].graph in wanted)


def kernel_calls(recording: Recording, graph: int) -> int:
    """How many kernels a call of a graph starts, by its memory plans."""
    return sum(len(plan.steps) for plan in plans_of(recording, [graph]))


def accesses(recording: Recording, plan: MemoryPlan) -> Iterator[MemoryBuffer]:
    """Each buffer each time that a kernel writes it, or reads what another one wrote."""
    operations = recording.schedules[plan.schedule].operations
    named = {buffer.name: buffer for buffer in plan.buffers}
    for step in plan.steps:
        made = {name for at in step.operations for name in operations[at].buffers}
        read = {name for at in step.operations for name in operations[at].reads} - made
        for name in (*made, *read):
            buffer = named.get(name)
            if buffer is not None and buffer.role not in ("removed", "view"):
                yield buffer
