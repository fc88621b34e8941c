"""What is planned: a model's joint graph and how it is to be trained, before what is updated."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dynamo_lab.tiny.measures import bar
from dynamo_lab.tiny.order import MOST_STATES
from dynamo_lab.tiny.passes.pipeline import pruned
from dynamo_lab.tiny.passes.prune import choosable
from dynamo_lab.tiny.passes.split import split

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch
    from torch import nn

    from dynamo_lab.model.tiny import TinyBar
    from dynamo_lab.tiny.graph import StepGraph
    from dynamo_lab.tiny.int8.pipeline import Int8
    from dynamo_lab.tiny.optimizer import Optimizer
    from dynamo_lab.tiny.work import Precision


@dataclass(frozen=True)
class Problem:
    """A step to plan: `joint` is its graph as AOTAutograd made it, `limit` in bytes or None."""

    model: nn.Module
    joint: StepGraph
    optimizer: Optimizer
    limit: int | None
    channels: str
    precision: Precision
    int8: Int8 | None = None
    most_states: int = field(default=MOST_STATES, compare=False)

    @cached_property
    def full(self) -> TinyBar:
        """The memory of a full update, which keeps all gradients to the end."""
        every = dict.fromkeys(self.joint.gradients)
        step = pruned(self.joint, every, self.values)[-1].after
        return bar("full update", step, self.precision, self.has_state)

    @property
    def has_state(self) -> bool:
        """Whether the optimizer keeps a number for each that is updated."""
        return bool(self.optimizer.momentum)

    @property
    def values(self) -> Mapping[str, torch.Tensor]:
        """The parameters and buffers as they are now."""
        return values_of(self.model)

    @cached_property
    def nodes(self) -> Mapping[str, int]:
        """The nodes of the joint graph by name, as their numbers in it."""
        return {node.name: at for at, node in enumerate(self.joint.graph.nodes)}

    @cached_property
    def choosable(self) -> Mapping[str, int]:
        """By parameter how many input channels can be chosen of it, where they can."""
        return choosable(split(self.joint))

    def node_of(self, node: Any) -> int | None:
        """The number of the joint graph's node that another was made of."""
        return self.nodes.get(node.meta.get("joint", node.name))


def values_of(model: nn.Module) -> Mapping[str, torch.Tensor]:
    """The parameters and buffers of a model by name."""
    return {
        **dict(model.named_parameters(remove_duplicate=False)),
        **dict(model.named_buffers(remove_duplicate=False)),
    }
