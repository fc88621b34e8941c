"""Lives: what lies in memory during each operation of a planned step, and from when to when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.model.tiny import TinyOperation, TinyParameter, TinyValue
from dynamo_lab.tiny.graph import writes
from dynamo_lab.tiny.measures import is_bias
from dynamo_lab.tiny.order import moments
from dynamo_lab.tiny.parts import parts_of
from dynamo_lab.tiny.selection import channel_dim
from dynamo_lab.tiny.work import bytes_of, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.model.tiny import Phase
    from dynamo_lab.tiny.arena import Arena
    from dynamo_lab.tiny.graph import Node, StepGraph
    from dynamo_lab.tiny.problem import Problem
    from dynamo_lab.tiny.selection import Selection
    from dynamo_lab.tiny.work import Precision, Work


def operations(
    problem: Problem, step: StepGraph, work: Work, resident: int
) -> Iterator[TinyOperation]:
    """The operations in the graph's own order, with all that lies in memory during each."""
    for moment in moments(work, range(len(work.operations))):
        node = step.nodes[work.operations[moment.operation].name]
        alive = sum(work.storages[storage].bytes for storage in moment.alive)
        yield TinyOperation(
            name=node.name,
            phase=_phase(node),
            bytes=alive + resident,
            node=problem.node_of(node),
        )


def _phase(node: Node) -> Phase:
    if writes(node):
        return "update"
    return "backward" if node.meta.get("is_backward", True) else "forward"


def values(problem: Problem, step: StepGraph, work: Work, place: Arena) -> Iterator[TinyValue]:
    """What the step holds: first what is there all the time, then the arena's by their birth."""
    last = len(work.operations) - 1
    yield from _residents(problem, step, last)
    born: dict[int, int] = {}
    dies: dict[int, int] = {}
    for at, moment in enumerate(moments(work, range(last + 1))):
        for storage in moment.alive:
            born.setdefault(storage, at)
            dies[storage] = at
    for storage in work.kept & dies.keys():
        dies[storage] = last
    samples = _sample_names(step)
    for storage in sorted(born, key=lambda one: (born[one], one)):
        known = work.storages[storage]
        yield TinyValue(
            name=samples.get(known.name, known.name),
            kind=known.kind,
            bytes=known.bytes,
            start=born[storage],
            end=dies[storage],
            offset=place.offsets.get(storage),
            node=problem.node_of(step.nodes[known.name.partition(".")[0]]),
        )


def _sample_names(step: StepGraph) -> dict[str, str]:
    """What the parts of a sample are called: AOTAutograd numbers them among the parameters."""
    *inputs, target = step.inputs
    names = ["input"] if len(inputs) == 1 else [f"input {k + 1}" for k in range(len(inputs))]
    return {**dict(zip(inputs, names, strict=True)), target: "target"}


def _residents(problem: Problem, step: StepGraph, last: int) -> Iterator[TinyValue]:
    precision = counted(step, problem.precision)
    placeholders = {name: node for node, name in problem.joint.parameters.items()}
    parts = parts_of(step)
    for node, name in step.parameters.items():
        if name in step.updated:
            size = bytes_of(step.nodes[node].meta["val"], precision, is_bias=is_bias(name))
            yield TinyValue(
                name=name,
                kind="weight",
                bytes=parts[node].of(size) if node in parts else size,
                start=0,
                end=last,
                node=problem.nodes.get(placeholders.get(name, "")),
            )
    yield from _states(problem, step, precision, last)


def _states(
    problem: Problem, step: StepGraph, precision: Precision, last: int
) -> Iterator[TinyValue]:
    for name in sorted(step.momentum):
        node = step.nodes[name]
        yield TinyValue(
            name=f"momentum of {node.meta['parameter']}",
            kind="state",
            bytes=bytes_of(node.meta["val"], precision),
            start=0,
            end=last,
            node=problem.node_of(node),
        )


def trainable(problem: Problem, selected: Selection) -> Iterator[TinyParameter]:
    """All parameters that could be updated, in the model's order, with what is."""
    placeholders = {name: node for node, name in problem.joint.parameters.items()}
    for name, parameter in problem.model.named_parameters():
        if name not in problem.joint.gradients:
            continue
        chosen = selected.get(name)
        part = 1.0 if chosen is None else len(chosen) / parameter.shape[channel_dim(parameter)]
        yield TinyParameter(
            name=name,
            elements=parameter.numel(),
            channels=problem.choosable.get(name, 0),
            updated=part if name in selected else 0.0,
            node=problem.nodes.get(placeholders.get(name, "")),
        )
