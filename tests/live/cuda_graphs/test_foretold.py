"""CUDA graphs as PyTorch would decide them, on a machine without a GPU."""

from typing import Any

import pytest
import torch
import torch._inductor.config as inductor

import dynamo_lab as lab
from dynamo_lab.model.lowering import CudaGraphs
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build

pytestmark = pytest.mark.live

MODE = "reduce-overhead"


def lowered(fn: Any, *args: Any, mode: str | None = MODE, **options: Any) -> lab.Recording:
    return lab.lower(fn, *args, mode=mode, target="cuda:sm_90", **options)


def only(recording: lab.Recording) -> CudaGraphs:
    [found] = recording.cuda_graphs
    return found


def product(x: torch.Tensor) -> torch.Tensor:
    return (x @ x).relu().sum()


def written(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = x.sin()
    x.add_(y)
    return z


def branched(x: torch.Tensor) -> Any:
    return torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - 1, (x.sin(),))


def test_one_graph_replays_all() -> None:
    recording = lowered(product, torch.randn(4, 4))
    found = only(recording)
    assert found.asked
    assert [part.is_recorded for part in found.pieces] == [True]
    assert (found.skipped, found.mutated, found.sizes) == ("", (), ())
    shown = build(recording).lowering.lowerings[0].cuda_graphs
    assert shown is not None
    assert (shown.use, shown.after) == ("used", 1)
    assert shown.before == sum(len(plan.steps) for plan in recording.memory_plans) > 1
    assert f"starts 1 CUDA graph in place of {shown.before} kernels" in shown.sentence
    assert "CUDA graphs: used" in render(build(recording), sections=("lowering",))


def test_the_code_is_that_of_the_program_without_them() -> None:
    asked, plain = (lowered(product, torch.randn(4, 4), mode=mode) for mode in (MODE, None))
    assert [one.code for one in asked.kernels] == [one.code for one in plain.kernels]
    assert not only(plain).asked
    assert inductor.triton.cudagraphs is False


def test_the_line_that_writes_to_an_input() -> None:
    recording = lowered(written, torch.randn(4), torch.randn(4))
    found = only(recording)
    table = recording.graphs[found.graph].nodes
    assert [table[at].target for at in found.mutated] == ["aten.copy_.default"]
    shown = build(recording).lowering.lowerings[0].cuda_graphs
    assert shown is not None
    assert shown.use == "not used"
    assert shown.before == shown.after > 0
    assert shown.where


def test_an_input_that_stays_in_place_may_be_written_to() -> None:
    x = torch.randn(4)
    torch._dynamo.mark_static_address(x)
    assert only(lowered(written, x, torch.randn(4))).mutated == ()


def test_a_branch_keeps_the_whole_graph_out() -> None:
    found = only(lowered(branched, torch.randn(4)))
    assert found.skipped == "control flow operator: torch.cond"
    assert found.node is not None


def test_sizes_that_change_are_recorded_anew() -> None:
    recording = lowered(product, torch.randn(6, 6), dynamic=True)
    [size] = only(recording).sizes
    assert f"Each new value of {size} is recorded anew." in render(
        build(recording), sections=("lowering",)
    ).replace("\n", " ")


def test_a_backward_is_decided_too() -> None:
    model = torch.nn.Linear(4, 4)
    recording = lowered(model, torch.randn(2, 4), grad=True)
    assert [recording.graphs[one.graph].is_backward for one in recording.cuda_graphs] == [
        False,
        True,
    ]


def test_there_are_none_on_a_cpu() -> None:
    assert lab.lower(product, torch.randn(4, 4), mode=MODE).cuda_graphs == ()
