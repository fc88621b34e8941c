"""What all plans of one model's step have in common, and the step laid out for a selection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dynamo_lab.capture.autograd.whole import whole_step
from dynamo_lab.tiny.arena import Arena, arena
from dynamo_lab.tiny.graph import StepGraph
from dynamo_lab.tiny.int8.pipeline import trained8
from dynamo_lab.tiny.measures import residents
from dynamo_lab.tiny.order import MOST_STATES, Order
from dynamo_lab.tiny.passes.pipeline import Applied, pruned, trained
from dynamo_lab.tiny.passes.split import split
from dynamo_lab.tiny.work import Precision, Work, work_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    import torch
    from torch import nn

    from dynamo_lab.tiny.int8.pipeline import Int8
    from dynamo_lab.tiny.int8.quantize import Quantized
    from dynamo_lab.tiny.optimizer import Optimizer
    from dynamo_lab.tiny.selection import Selection


@dataclass(frozen=True)
class Laid:
    """A step as it is laid out: its passes, the order that was found, and places in an arena."""

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


@dataclass(frozen=True)
class Prepared:
    """A model's joint graph, and how steps of it are planned whatever they update."""

    joint: StepGraph
    values: Mapping[str, torch.Tensor]
    optimizer: Optimizer
    precision: Precision
    int8: Int8 | None

    def laid_out(self, selected: Selection, most_states: int = MOST_STATES) -> Laid:
        """The step that updates a selection."""
        passes = pruned(self.joint, selected, self.values)
        sparse, quantized = passes[-1].after, None
        if self.int8 is None:
            last, order = trained(sparse, self.optimizer, self.precision, most_states=most_states)
        else:
            last, order, quantized = trained8(
                sparse, selected, self.values, self.optimizer, self.int8, most_states
            )
        graph = last[-1].after
        work = work_of(graph, self.precision)
        return Laid(
            passes=(*passes, *last),
            order=order,
            work=work,
            arena=arena(work, range(len(work.operations))),
            resident=sum(residents(graph, self.precision)),
            quantized=quantized,
        )

    def full(self) -> StepGraph:
        """The step of all parameters, gradients kept to the end."""
        return pruned(self.joint, dict.fromkeys(self.joint.gradients), self.values)[-1].after

    def once_split(self) -> Prepared:
        """The same for many selections: what does not depend on them is done."""
        return replace(self, joint=split(self.joint))


def prepared(
    model: nn.Module,
    example: Sequence[torch.Tensor],
    loss: Callable[..., Any],
    optimizer: Optimizer,
    precision: Precision,
    int8: Int8 | None,
) -> Prepared:
    """A model's step, captured.

    Raises:
        TinyError: it is no single graph, or its loss is no scalar.
    """
    whole = whole_step(model, loss, example)
    joint = StepGraph(
        graph=whole.graph,
        parameters=whole.parameters,
        buffers=whole.buffers,
        inputs=whole.inputs,
        loss=whole.loss,
        gradients=whole.gradients,
    )
    counted: Precision = precision if int8 is None else "int8"
    return Prepared(joint, values_of(model), optimizer, counted, int8)


def values_of(model: nn.Module) -> Mapping[str, torch.Tensor]:
    """The parameters and buffers of a model by name."""
    return {
        **dict(model.named_parameters(remove_duplicate=False)),
        **dict(model.named_buffers(remove_duplicate=False)),
    }
