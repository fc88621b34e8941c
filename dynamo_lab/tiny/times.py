"""How long a step takes in PyTorch before and after each pass."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import fx

from dynamo_lab.measure.devices import Cpu
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.measure.statistics import spread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dynamo_lab.tiny.graph import StepGraph

_STILL = 0.0
"""The learning rate while it is measured: no weight grows, however many rounds there are."""


def step_seconds(
    steps: Sequence[StepGraph],
    values: Mapping[str, torch.Tensor],
    sample: Sequence[torch.Tensor],
    rounds: int,
) -> list[tuple[float, float, float] | None]:
    """By graph a step's time in seconds: lower quartile, median, upper quartile of the rounds.

    PyTorch calls the nodes one after the other, on one thread; the graphs take turns. A graph of
    integers has no time: PyTorch only simulates it.

    Args:
        steps: The graphs; one that is there twice is measured once.
        values: The model's parameters and buffers, which stay as they are.
        sample: The model's inputs and the target.
        rounds: How often each is measured.
    """
    ways: dict[str, Callable[[], object]] = {
        str(id(step)): partial(_called, _module(step), _arguments(step, values, sample))
        for step in steps
        if not step.is_integer
    }
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        found = take_turns(ways, Cpu(), Plan(rounds=rounds))
    finally:
        torch.set_num_threads(threads)
    return [None if step.is_integer else _spread(found[str(id(step))].seconds) for step in steps]


def _spread(seconds: Sequence[float]) -> tuple[float, float, float] | None:
    """None if it was interrupted before the first round was over."""
    if not seconds:
        return None
    found = spread(seconds)
    return found.low, found.median, found.high


@torch.no_grad()
def _called(module: fx.GraphModule, arguments: Sequence[Any]) -> Any:
    return module(*arguments)


def _module(step: StepGraph) -> fx.GraphModule:
    """The graph as code, which lets go of each value after its last use."""
    return fx.GraphModule({}, step.copied().graph)


def _arguments(
    step: StepGraph, values: Mapping[str, torch.Tensor], sample: Sequence[torch.Tensor]
) -> list[Any]:
    named = {**step.parameters, **step.buffers}
    known: dict[str, Any] = {node: values[name].detach().clone() for node, name in named.items()}
    known |= {**step.constants, **dict(zip(step.inputs, sample, strict=True)), "lr": _STILL}
    known |= {
        name: torch.zeros_like(step.nodes[name].meta["val"], device="cpu") for name in step.momentum
    }
    return [known[node.name] for node in step.graph.nodes if node.op == "placeholder"]
