"""A recording of many graphs looks at no more of them for each new one."""

from typing import Any

import pytest
import torch
from torch import fx

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.model.graphs import Graph, Stage

STAGES: tuple[Stage, ...] = ("dynamo", "pre_grad", "forward", "backward", "post_grad")


class Counted(list[Graph]):
    """Graphs that count how many of them are looked at."""

    looks = 0

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        self.looks += len(found) if isinstance(index, slice) else 1
        return found

    def __iter__(self) -> Any:
        for one in super().__iter__():
            self.looks += 1
            yield one

    def __reversed__(self) -> Any:
        for one in super().__reversed__():
            self.looks += 1
            yield one


class Numbered(Compilations):
    """Compilations of the numbers that a test gives."""

    number = 0

    def current_id(self) -> str:
        """The number now."""
        return f"{self.number}/0"


def looks(graphs: int, program: torch.nn.Module) -> int:
    """How often recorded graphs are looked at, of so many compilations of a training step."""
    recorder, compilations = Recorder("many"), Numbered()
    recorder.graphs = counted = Counted()
    probes = GraphProbes(recorder, compilations)
    alive: list[fx.GraphModule] = []
    for number in range(graphs):
        compilations.number = number
        for stage in STAGES:
            module = fx.symbolic_trace(program)
            alive.append(module)
            probes.record(module, stage)
        backward = fx.symbolic_trace(program)
        alive.append(backward)
        probes.record(backward, "post_grad", is_backward=True)
    return counted.looks


class Plain(torch.nn.Module):
    """One operator."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """It."""
        return x.sin()


class WithABody(torch.nn.Module):
    """A module that is a graph itself, as the body of a higher-order operator is."""

    def __init__(self) -> None:
        super().__init__()
        self.body = fx.symbolic_trace(Plain())

    def forward(self, x: torch.Tensor) -> Any:
        """The body as a value."""
        return self.body, x.cos()


@pytest.mark.parametrize("program", [Plain(), WithABody()])
def test_twice_the_graphs_are_twice_the_looks(program: torch.nn.Module) -> None:
    few, many = looks(20, program), looks(40, program)
    assert few > 0
    assert many == 2 * few
