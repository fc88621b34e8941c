"""Whether schedules and memory plans refer only to what exists."""

from collections.abc import Iterator

from dynamo_lab.model.core.references import outside
from dynamo_lab.model.fusion import Schedule
from dynamo_lab.model.memory import MemoryPlan
from dynamo_lab.model.recording import Recording


def problems(recording: Recording) -> Iterator[str]:
    """Each cross-reference that does not hold, as a phrase that names its place."""
    for position, schedule in enumerate(recording.schedules):
        yield from _schedule(f"schedules[{position}]", schedule, recording)
    for position, plan in enumerate(recording.memory_plans):
        yield from _plan(f"memory_plans[{position}]", plan, recording)


def _schedule(place: str, schedule: Schedule, recording: Recording) -> Iterator[str]:
    operations, groups = len(schedule.operations), len(schedule.groups)
    graph = schedule.graph
    yield from outside(f"{place}.graph", (graph,), len(recording.graphs), "graphs")
    nodes = len(recording.graphs[graph].nodes) if 0 <= graph < len(recording.graphs) else 0
    for item in schedule.operations:
        yield from outside(f"{place}.operations.nodes", item.nodes, nodes, f"nodes of {graph}")
        for field in (item.after, item.weak):
            yield from outside(f"{place}.operations.after", field, operations, "operations")
    if [group.operations for group in schedule.groups[:operations]] != [
        (index,) for index in range(operations)
    ]:
        yield f"{place}.groups does not begin with each operation by itself"
    for group in schedule.groups:
        yield from outside(f"{place}.groups", group.operations, operations, "operations")
    yield from outside(f"{place}.start", schedule.start, groups, "groups")
    placed = tuple(item.group for item in schedule.final)
    yield from outside(f"{place}.final", placed, groups, "groups")
    kernels = [item.kernel for item in schedule.final if item.kernel is not None]
    yield from outside(f"{place}.final.kernel", kernels, len(recording.kernels), "kernels")
    yield from _verdicts(f"{place}.verdicts", schedule)


def _verdicts(place: str, schedule: Schedule) -> Iterator[str]:
    table, groups = schedule.verdicts, len(schedule.groups)
    if len(table.pairs) != len(table.ruling):
        yield f"{place}.ruling has {len(table.ruling)} rows for {len(table.pairs)} pairs"
    yield from outside(place, (end for pair in table.pairs for end in pair), groups, "groups")
    yield from outside(f"{place}.ruling", table.ruling, len(table.rulings), "rulings")
    into = (ruling.into for ruling in table.rulings if ruling.into is not None)
    yield from outside(f"{place}.into", into, groups, "groups")
    rounds = (end for ruling in table.rulings for end in (ruling.first_round, ruling.round))
    yield from outside(f"{place}.round", rounds, len(schedule.rounds) + 1, "rounds")


def _plan(place: str, plan: MemoryPlan, recording: Recording) -> Iterator[str]:
    known = recording.schedules
    yield from outside(f"{place}.schedule", (plan.schedule,), len(known), "schedules")
    sound = 0 <= plan.schedule < len(known)
    operations = len(known[plan.schedule].operations) if sound else 0
    makers = (item.operation for item in plan.buffers if item.operation is not None)
    yield from outside(f"{place}.buffers", makers, operations, "operations")
    for step in plan.steps:
        yield from outside(f"{place}.steps", step.operations, operations, "operations")
        kernel = () if step.kernel is None else (step.kernel,)
        yield from outside(f"{place}.steps.kernel", kernel, len(recording.kernels), "kernels")
    for event in plan.events:
        ends = (event.buffer,) if event.source is None else (event.buffer, event.source)
        yield from outside(f"{place}.events", ends, len(plan.buffers), "buffers")
        yield from outside(f"{place}.events.step", (event.step,), len(plan.steps) + 1, "steps")
