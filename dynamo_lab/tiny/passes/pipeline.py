"""The passes in their order, each kept with the graph before and after it."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from dynamo_lab.tiny.order import MOST_STATES, Order, best_order
from dynamo_lab.tiny.passes.fold import fold
from dynamo_lab.tiny.passes.masks import masks
from dynamo_lab.tiny.passes.order import ordered
from dynamo_lab.tiny.passes.prune import prune, slice_channels
from dynamo_lab.tiny.passes.split import split
from dynamo_lab.tiny.passes.update import update
from dynamo_lab.tiny.work import work_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from dynamo_lab.tiny.graph import StepGraph
    from dynamo_lab.tiny.optimizer import Optimizer
    from dynamo_lab.tiny.selection import Selection
    from dynamo_lab.tiny.work import Precision

SENTENCES: Mapping[str, str] = {
    "split": "a node for each gradient, without the tensors it takes for their size alone",
    "prune": "gradients that are not wanted go, with all that only they needed",
    "slice": "of a weight gradient's activation only the chosen channels are kept",
    "masks": "a bit an element is kept for the backward of a ReLU",
    "fold": "what is the same in every step is computed once",
    "quantize": "int8 values and int32 sums; a weight changes as its gradient is summed up",
    "fuse": "a wide activation between convolutions is there a channel or a few rows at a time",
    "update": "a parameter changes as soon as its gradient is complete",
    "order": "the order of operations that needs the least memory",
    "arena": "a place for each value in one block of memory",
}


@dataclass(frozen=True)
class Applied:
    """A pass that ran: its name, the graphs before and after it, and how long it took."""

    name: str
    before: StepGraph
    after: StepGraph
    seconds: float

    @property
    def sentence(self) -> str:
        """What it does."""
        return SENTENCES[self.name]


def pruned(
    step: StepGraph, selected: Selection, values: Mapping[str, torch.Tensor]
) -> list[Applied]:
    """The passes up to the graph that makes the wanted gradients and keeps no more than it must."""
    sliced = any(channels is not None for channels in selected.values())
    todo: list[tuple[str, Callable[[StepGraph], StepGraph]]] = [
        ("split", split),
        ("prune", lambda before: prune(before, selected)),
        *([("slice", lambda before: slice_channels(before, selected))] if sliced else []),
        ("masks", masks),
        ("fold", lambda before: fold(before, values)),
    ]
    return applied(step, todo)


def applied(
    step: StepGraph, todo: Sequence[tuple[str, Callable[[StepGraph], StepGraph]]]
) -> list[Applied]:
    """Passes one after the other."""
    found: list[Applied] = []
    for name, run in todo:
        start = perf_counter()
        found.append(since(start, name, step, run(step)))
        step = found[-1].after
    return found


def since(start: float, name: str, before: StepGraph, after: StepGraph) -> Applied:
    """A pass that began at a moment of `perf_counter` and is done now."""
    return Applied(name, before, after, perf_counter() - start)


def trained(
    step: StepGraph,
    optimizer: Optimizer,
    precision: Precision,
    most_states: int = MOST_STATES,
) -> tuple[list[Applied], Order]:
    """The passes that put the updates in and order the operations, and the order found."""
    (first,) = applied(step, [("update", lambda before: update(before, optimizer))])
    start = perf_counter()
    work = work_of(first.after, precision)
    order = best_order(work, most_states)
    last = ordered(first.after, work, order.operations)
    return [first, since(start, "order", first.after, last)], order
