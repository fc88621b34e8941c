"""The wrapper's memory as facts: what each call allocates, reuses and lets go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.groups import Group
from dynamo_lab.compiler.recorded.schedule import operation_of, positions, works_of
from dynamo_lab.compiler.work import View
from dynamo_lab.model.fusion import memory as facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.capture.kernels.announced import Place
    from dynamo_lab.compiler.groups import Unit
    from dynamo_lab.compiler.program import Program


def memory(program: Program, place: Place, kernels: Mapping[int, int]) -> facts.MemoryPlan:
    """The memory of one graph; `kernels` has the id of what runs a unit, by its identity."""
    at = operation_of(program)
    works = positions(program)
    graph, names = program.graph, list(program.graph.buffers)
    position = {name: index for index, name in enumerate(names)}
    roles = _roles(program)
    return facts.MemoryPlan(
        schedule=place.schedule,
        buffers=tuple(_buffer(program, name, roles[name], at.get(name)) for name in names),
        steps=tuple(
            facts.MemoryStep(
                name=_name(program, unit),
                kernel=kernels.get(id(unit)),
                operations=tuple(sorted(works[id(work)] for work in works_of(unit))),
            )
            for unit in program.schedule.units
        ),
        events=tuple(
            facts.MemoryEvent(
                event.at, event.kind, position[event.buffer], position.get(event.source)
            )
            for event in program.wrapper.events
            if event.buffer not in graph.inputs
        ),
    )


def _roles(program: Program) -> dict[str, facts.BufferRole]:
    graph = program.graph
    returned = {out.buffer for out in graph.outputs if isinstance(out, View)}
    held = {event.buffer for event in program.wrapper.events}
    shares = {event.buffer for event in program.wrapper.events if event.kind == "view"}
    found: dict[str, facts.BufferRole] = dict.fromkeys(graph.buffers, "removed")
    # a later role counts
    found |= dict.fromkeys(held, "buffer")
    found |= dict.fromkeys(returned, "output")
    found |= dict.fromkeys(shares, "view")
    found |= dict.fromkeys(graph.inputs, "input")
    return found


def _buffer(
    program: Program, name: str, role: facts.BufferRole, operation: int | None
) -> facts.MemoryBuffer:
    buffer = program.graph.buffers[name]
    return facts.MemoryBuffer(
        name=name,
        role=role,
        bytes=ix.hint(ix.product(buffer.size)) * buffer.dtype.itemsize,
        dtype=str(buffer.dtype).removeprefix("torch."),
        shape=tuple(map(str, buffer.size)),
        operation=operation,
    )


def _name(program: Program, unit: Unit) -> str:
    if isinstance(unit, Group):
        return program.wrapper.kernels[id(unit)].name
    return str(unit.target)
