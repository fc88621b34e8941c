"""The wrapper's memory as facts: what each call allocates, reuses and lets go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.fusion import Group
from dynamo_lab.compiler.recorded.schedule import operation_of, works_of
from dynamo_lab.compiler.work import View
from dynamo_lab.model.fusion import memory as facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.capture.kernels.announced import Place
    from dynamo_lab.compiler.fusion import Unit
    from dynamo_lab.compiler.program import Program


def memory(program: Program, place: Place, kernels: Mapping[int, int]) -> facts.MemoryPlan:
    """The memory of one graph; `kernels` has the id of what runs a unit, by its identity."""
    at = operation_of(program)
    position_of = {id(work): number for number, work in enumerate(program.graph.work)}
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
                operations=tuple(sorted(position_of[id(work)] for work in works_of(unit))),
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
    held = {event.buffer for event in program.wrapper.events} | graph.inputs.keys()
    shares = {event.buffer for event in program.wrapper.events if event.kind == "view"}
    return {
        name: "input"
        if name in graph.inputs
        else "view"
        if name in shares
        else "output"
        if name in returned
        else "buffer"
        if name in held
        else "removed"
        for name in graph.buffers
    }


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
        return program.kernels[program.groups.index(unit)].name
    return str(unit.target)
