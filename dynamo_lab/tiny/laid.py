"""A problem laid out for a selection: its passes, an order, and places in an arena."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from dynamo_lab.tiny.arena import Arena, arena
from dynamo_lab.tiny.int8.pipeline import trained8
from dynamo_lab.tiny.measures import residents
from dynamo_lab.tiny.passes.pipeline import Applied, pruned, since, trained
from dynamo_lab.tiny.work import Work, work_of

if TYPE_CHECKING:
    from dynamo_lab.tiny.graph import StepGraph
    from dynamo_lab.tiny.int8.quantize import Quantized
    from dynamo_lab.tiny.order import Order
    from dynamo_lab.tiny.problem import Problem
    from dynamo_lab.tiny.selection import Selection


@dataclass(frozen=True)
class Laid:
    """A step with all that its memory depends on; `resident` bytes lie beside the arena."""

    passes: tuple[Applied, ...]
    order: Order
    work: Work
    arena: Arena
    resident: int
    quantized: Quantized | None

    @property
    def graph(self) -> StepGraph:
        """After the last pass."""
        return self.passes[-1].after

    @property
    def bytes(self) -> int:
        """What the memory limit holds for: the arena, and what is updated with its state."""
        return self.arena.size + self.resident


def laid_out(asked: Problem, selected: Selection) -> Laid:
    """The step that updates a selection."""
    values, int8, states = asked.values, asked.int8, asked.most_states
    passes = pruned(asked.joint, selected, values)
    sparse = passes[-1].after
    quantized: Quantized | None = None
    if int8 is None:
        last, order = trained(sparse, asked.optimizer, asked.precision, most_states=states)
    else:
        last, order, quantized = trained8(sparse, selected, values, asked.optimizer, int8, states)
    graph = last[-1].after
    start = perf_counter()
    work = work_of(graph, asked.precision)
    place = arena(work, range(len(work.operations)))
    placed = since(start, "arena", graph, graph)
    resident = sum(residents(graph, asked.precision, asked.has_state))
    return Laid((*passes, *last, placed), order, work, place, resident, quantized)
