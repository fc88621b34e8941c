"""Measures of a graph: what lies in memory at its worst moment, and what it computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.model.tiny import StepMeasure, TinyBar
from dynamo_lab.tiny.costs import flops
from dynamo_lab.tiny.order import moments, own_order
from dynamo_lab.tiny.parts import parts_of
from dynamo_lab.tiny.work import bytes_of, counted, work_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dynamo_lab.tiny.graph import StepGraph
    from dynamo_lab.tiny.work import Precision, Work


def measured(step: StepGraph, precision: Precision, has_state: bool) -> StepMeasure:
    """A graph in its own order; the optimizer's state counts before it is in the graph, too."""
    work = work_of(step, precision)
    resident = sum(residents(step, precision, has_state))
    return StepMeasure(
        bytes=own_order(work).peak + resident,
        resident=resident,
        operations=len(work.operations),
        flops=flops(step),
    )


def bar(name: str, step: StepGraph, precision: Precision, has_state: bool) -> TinyBar:
    """What takes the memory at the worst moment of a graph in its own order."""
    work = work_of(step, precision)
    alive = worst(work)[1]
    weights, state = residents(step, precision, has_state)

    def of(kind: str) -> int:
        return sum(work.storages[s].bytes for s in alive if work.storages[s].kind == kind)

    sample, activations, gradients = of("sample"), of("activation"), of("gradient")
    return TinyBar(
        name=name,
        bytes=weights + state + sample + activations + gradients,
        weights=weights,
        state=state,
        sample=sample,
        activations=activations,
        gradients=gradients,
    )


def worst(work: Work) -> tuple[int, frozenset[int]]:
    """The operation during which most is in memory, in a graph's own order, and what it is."""
    found = moments(work, range(len(work.operations)))
    most = max(found, key=lambda moment: _sum(work, moment.alive))
    return most.operation, most.alive


def _sum(work: Work, storages: Iterable[int]) -> int:
    return sum(work.storages[storage].bytes for storage in storages)


def residents(step: StepGraph, precision: Precision, has_state: bool) -> tuple[int, int]:
    """The bytes of the parameters that are updated, or will be, and of the optimizer's state."""
    precision = counted(step, precision)
    changing, parts = {*step.updated, *step.gradients}, parts_of(step)
    weights = 0
    for node, name in step.parameters.items():
        if name in changing:
            size = bytes_of(step.nodes[node].meta["val"], precision, is_bias=is_bias(name))
            weights += parts[node].of(size) if node in parts else size
    of_state = step.momentum or (step.gradients.values() if has_state else ())
    state = sum(bytes_of(step.nodes[node].meta["val"], precision) for node in of_state)
    return weights, state


def frozen(step: StepGraph, precision: Precision) -> int:
    """The bytes of what no step changes: parameters, buffers and constants that are read."""
    precision = counted(step, precision)
    apart = sum(
        part.constants(bytes_of(step.nodes[name].meta["val"], precision))
        for name, part in parts_of(step).items()
    )
    return apart + sum(
        bytes_of(node.meta["val"], precision, is_bias=is_bias(step.parameters.get(node.name, "")))
        for node in step.graph.nodes
        if node.op == "placeholder" and node.users and step.constant(node.name)
    )


def is_bias(parameter: str) -> bool:
    """Whether a parameter is a bias by its name."""
    return parameter.rpartition(".")[2] == "bias"
