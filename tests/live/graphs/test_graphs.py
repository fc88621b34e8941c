"""What the graph view makes of real graphs: transforms, bodies, layouts, searches, drawings."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.func import functional_call, grad, jvp, vmap
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

import dynamo_lab
from dynamo_lab.view import build
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.graphs import graphs
from dynamo_lab.view.graphs.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.api.recording import Recording


def explored(fn: Callable[..., Any], *args: Any) -> Recording:
    return dynamo_lab.explore(fn, *args, backend="aot_eager")


def boxes(recording: Recording) -> dict[str, str]:
    """The boxes of the captured graph, by their paths, with what is said of each."""
    return {box.path: box.type for box in graphs.build(recording)[0].modules if box.path}


def doubled(x: torch.Tensor) -> torch.Tensor:
    return (x * 2).sin().sum()


def per_row(x: torch.Tensor) -> torch.Tensor:
    return vmap(doubled)(x)


def gradient(x: torch.Tensor) -> torch.Tensor:
    return grad(doubled)(x)


def per_row_gradient(x: torch.Tensor) -> torch.Tensor:
    return vmap(grad(doubled))(x)


def tangent(x: torch.Tensor) -> torch.Tensor:
    return jvp(doubled, (x,), (torch.ones_like(x),))[1]


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (per_row, {"vmap": "torch.func, over 4"}),
        (gradient, {"grad": "torch.func"}),
        (per_row_gradient, {"vmap": "torch.func, over 4", "vmap.grad": "torch.func"}),
        (tangent, {"jvp": "torch.func"}),
    ],
)
def test_transforms_are_boxes(
    program: Callable[[torch.Tensor], torch.Tensor], found: dict[str, str]
) -> None:
    recording = explored(program, torch.randn(4, 5))
    assert boxes(recording) == found
    inner = list(found)[-1]
    for query in (f"module:{inner} op:mul", "module:torch.func* op:mul"):
        assert [node.graph for node in recording.find(query)] == [0], query


def test_a_functional_call_keeps_the_operators_of_its_module() -> None:
    linear = torch.nn.Linear(5, 5)
    weights: dict[str, torch.Tensor] = dict(linear.named_parameters())

    def program(x: torch.Tensor) -> torch.Tensor:
        return functional_call(linear, weights, (x,))

    assert explored(program, torch.randn(4, 5)).find("op:linear stage:dynamo")


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return grads[0] * x.cos()


def test_a_function_of_autograd_has_its_bodies_in_the_drawing() -> None:
    recording = explored(lambda x: Sine.apply(x) + 1, torch.randn(4, requires_grad=True))
    views = graphs.build(recording)
    bodies = [graph for graph in views if graph.parent == 0]
    assert bodies
    assert {graph.parent_node for graph in bodies} == set(views[0].subgraphs)
    assert {node.graph for node in recording.find("op:sin stage:dynamo")} <= {b.id for b in bodies}
    assert "autograd_function_apply" in recording.to_dot(0)


def test_what_is_traced_in_place_of_its_call_comes_from_the_body() -> None:
    """Also where a body calls an operator that is around it as well, under the same name."""

    def block(x: torch.Tensor) -> torch.Tensor:
        return x.sin().tanh()

    def program(x: torch.Tensor) -> torch.Tensor:
        return checkpoint(block, checkpoint(block, x, use_reentrant=False), use_reentrant=False)

    recording = explored(lambda x: program(x).sin(), torch.randn(4, requires_grad=True))
    joint = next(graph for graph in recording.graphs if graph.stage == "joint")
    found = {
        joint.nodes.name[down]: (table.upstream, recording.graphs[table.upstream].nodes.name[up])
        for table in recording.links
        if table.downstream == joint.id and table.reason in ("traced from", "rewritten for")
        for up, down in table.pairs
        if not joint.nodes.name[down].startswith("detach")
    }
    outer, first, second = (graph.id for graph in recording.graphs if graph.stage == "dynamo")
    assert found == {
        "sin": (first, "sin"),
        "tanh": (first, "tanh"),
        "sin_1": (second, "sin"),
        "tanh_1": (second, "tanh"),
        "sin_2": (outer, "sin"),
    }


def test_what_is_traced_out_of_a_body_comes_from_that_body() -> None:
    """AOTAutograd takes checkpointed bodies apart: their nodes stand beside what reads them."""
    first, second = torch.nn.Linear(5, 5), torch.nn.Linear(5, 5)

    def program(x: torch.Tensor) -> torch.Tensor:
        x = checkpoint(first, x, use_reentrant=False)
        return checkpoint(second, x, use_reentrant=False).sinc()

    recording = explored(program, torch.randn(4, 5, requires_grad=True))
    ancestry = Ancestry(build(recording).links)
    bodies = [(one.graph, one.index) for one in recording.find("op:linear stage:dynamo")]
    products = recording.find("op:addmm stage:joint") + recording.find("op:mm stage:joint")
    made = [list(ancestry.above([(one.graph, one.index)]))[1:] for one in products]
    first_way_back, second_way_back = [bodies[1]] * 2, [bodies[0]] * 2
    assert [key for one in made for key in one] == [*bodies, *first_way_back, *second_way_back]


def test_a_search_reaches_the_backward_and_its_modules() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(5, 5), torch.nn.ReLU())
    with dynamo_lab.record() as recorder:
        torch.compile(model, backend="aot_eager")(torch.randn(4, 5)).sum().backward()
    recording = recorder.recording
    assert recording.find("op:mm stage:backward dtype:f32 shape:5x5")
    first = recording.find("op:linear stage:dynamo")[0]
    assert [n.name for n in recording.find(f"module:{first.module}", graph=0)].count(first.name)
    graph = recording.graphs[0]
    assert "linear" in graph.to_dot(around=first.name)


def test_a_layout_that_is_not_row_by_row_is_named() -> None:
    convolution = torch.nn.Conv2d(3, 8, 3)
    images = torch.randn(2, 3, 8, 8).contiguous(memory_format=torch.channels_last)
    views = graphs.build(explored(convolution, images))
    forward = next(graph for graph in views if graph.stage == "forward")
    assert "channels last" in forward.layouts


def test_operators_of_training_have_kinds() -> None:
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2)
    )
    with dynamo_lab.record() as recorder:
        torch.compile(model, backend="aot_eager")(torch.randn(2, 3, 8, 8)).sum().backward()
    called = {
        node.target
        for graph in recorder.recording.graphs
        for node in graph.nodes
        if node.op.startswith("call_")
    }
    assert [target for target in called if kind_of(target) == "other"] == []


class Products(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(32, 48)
        self.convolution = torch.nn.Conv2d(3, 8, 3)
        self.back = torch.nn.ConvTranspose2d(8, 3, 3)

    def forward(self, image: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        attended = torch.nn.functional.scaled_dot_product_attention(x, x, x)
        made = self.back(self.convolution(image))
        return (
            (self.linear(attended) @ self.linear.weight).sum() + made.sum() + (x[0] @ x[1].mT).sum()
        )


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [False, True])
def test_operations_of_the_products_are_those_of_pytorch(dynamic: bool) -> None:
    """At every stage; the joint graph has those of the backward too."""
    model = Products()
    args = torch.randn(2, 3, 16, 16), torch.randn(2, 4, 24, 32, requires_grad=True)
    recording = dynamo_lab.lower(model, *args, target="cpu", grad=True, dynamic=dynamic)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        result = model(*args)
        forward = counter.get_total_flops()
        result.backward()
    # the fused attention computes the scores once more, for its gradients
    backward = counter.get_total_flops() - forward + 2 * (2 * 4 * 24 * 24 * 32)
    for graph in graphs.build(recording):
        own = backward if graph.is_backward else forward
        assert graph.flops == (forward + backward if graph.stage == "joint" else own)
        assert re.search(r" in (\d+) of \1 products,", graph.arithmetic)
        assert graph.arithmetic.endswith("at the sizes of this run") is dynamic


def helped(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.relu(a) * b.sigmoid()


def expressive(x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(x) + torch.sigmoid(x) * 2
    several = torch.where(
        y > 0,
        y.exp(),
        "ä" and y.cos(),
    )
    return helped(several, x) - helped(x, several)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code objects tell no columns")
def test_captured_nodes_are_tied_to_the_call_or_operator_that_asked_for_them() -> None:
    """The text of each, from the recording alone, is what was written for the operator."""
    recording = explored(expressive, torch.ones(4))
    view = build(recording).expressions
    texts = [[view.shown[one].text for one in stack] for stack in view.stacks]
    graph = next(graph for graph in recording.graphs if graph.stage == "dynamo")
    columns = dict(view.nodes)[graph.id]
    asked = {
        (node.target, *texts[at])
        for node, at in zip(graph.nodes, columns, strict=True)
        if node.op.startswith("call_")
    }
    where = 'torch.where( y > 0, y.exp(), "ä" and y.cos(), )'
    first, second = "helped(several, x)", "helped(x, several)"
    assert asked == {
        ("torch.relu", "torch.relu(x)"),
        ("torch.sigmoid", "torch.sigmoid(x)"),
        ("operator.mul", "torch.sigmoid(x) * 2"),
        ("operator.add", "torch.relu(x) + torch.sigmoid(x) * 2"),
        ("operator.gt", "y > 0"),
        ("exp", "y.exp()"),
        ("cos", "y.cos()"),
        ("torch.where", where),
        *(("torch.relu", call, "torch.relu(a)") for call in (first, second)),
        *(("sigmoid", call, "b.sigmoid()") for call in (first, second)),
        *(("operator.mul", call, "torch.relu(a) * b.sigmoid()") for call in (first, second)),
        ("operator.sub", f"{first} - {second}"),
    }
    way = recording.journey(f"{Path(__file__).name}:{line_of('y = torch.relu(x) +')}: sigmoid")
    assert [stop.text for stop in way.stations[1].stops] == ["sigmoid"]


def line_of(text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)
