"""What is computed with a number that may change is of the line that computes it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

import dynamo_lab as lab
from dynamo_lab.model.graphs import Node
from dynamo_lab.view import build
from dynamo_lab.view.core.places import Places
from tests.live.lines import line_of


def scaled(x: Tensor, scale: float) -> Tensor:
    y = x.sin()
    z = y * scale  # first
    w = z + scale * 2  # second
    return (w**2).sum()


def of_its_size(x: Tensor, scale: float) -> Tensor:
    y = x.cos()
    z = y / (x.shape[0] * scale)  # first
    return z.exp().sum()


def compared(x: Tensor, limit: float) -> Tensor:
    y = x.cos()
    return torch.where(y > limit, y, 0.0).sum()  # first


class Scaling(torch.nn.Module):
    """Scales what a layer makes."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(16, 16)

    def forward(self, x: Tensor, scale: float) -> Tensor:
        """One number for all."""
        return self.inner(x).relu() * scale


MADE = re.compile(r"(mul|add|div|gt|convert_element_type)_(tensor|default)(_\d+)?$")
"""PyTorch names what it makes after the whole operator; what is traced after its first part."""


def made_of_numbers(recording: lab.Recording) -> Iterator[Node]:
    """The operators that AOTAutograd put in a graph to compute with a tensor of a number."""
    for graph in recording.graphs:
        if graph.stage in ("forward", "backward", "post_grad"):
            for node in graph.nodes:
                if node.op == "call_function" and MADE.match(node.name):
                    yield node


def lowered(fn: Callable[..., Any], *, grad: bool = False) -> lab.Recording:
    x = torch.randn(8, 16, requires_grad=grad)
    return lab.lower(fn, x, 2.5, dynamic=True, grad=grad)


@pytest.mark.parametrize("fn", [scaled, of_its_size, compared])
@pytest.mark.parametrize("grad", [False, True])
def test_each_operator_is_of_the_line_that_computes_it(fn: Callable[..., Any], grad: bool) -> None:
    recording = lowered(fn, grad=grad)
    places = Places(recording)
    made = list(made_of_numbers(recording))
    assert made  # else this PyTorch makes no tensors of numbers
    lines = {places.own_line(node.stack) for node in made}
    second = {line_of(fn, "# second")} if fn is scaled else set[int]()
    assert {line and line[1] for line in lines} == {line_of(fn, "# first")} | second


def test_kernels_and_what_is_run_again_name_those_lines() -> None:
    view = build(lowered(scaled, grad=True))
    forward, backward = view.kernels.kernels
    first, last = line_of(scaled, "y = x"), line_of(scaled, "return")
    assert forward.where == backward.where == f"lines {first}-{last}"
    [part] = view.partitions
    assert part.recomputed
    assert {row.name for row in part.recomputed if not row.where} <= {"full_default"}  # a constant


def test_a_saved_input_of_a_dynamic_size_is_no_copy() -> None:
    [part] = build(lowered(scaled, grad=True)).partitions
    assert {row.name: row.role for row in part.saved if row.role != "symbol"} == {
        "x": "input",
        "scale": "input",
    }
    assert not any(row.bytes for row in part.saved)


def test_they_are_of_their_module() -> None:
    class Twice(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scaling = Scaling()

        def forward(self, x: Tensor, scale: float) -> Tensor:
            return self.scaling(x, scale).sin()

    assert {node.module for node in made_of_numbers(lowered(Twice()))} == {"scaling"}
