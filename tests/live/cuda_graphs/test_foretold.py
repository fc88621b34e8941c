"""CUDA graphs as PyTorch would decide them, on a machine without a GPU."""

import inspect
from typing import Any

import pytest
import torch
import torch._inductor.config as inductor
from torch._inductor import compile_fx

import dynamo_lab as lab
from dynamo_lab.capture.lowering.hooks import MOVED_REFUSED
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


def written_in_parts(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    chosen = x[x > 0].exp().sum()
    y.add_(1)
    return chosen + x.cos()


def given_other_memory(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = y.sin()
    x.data = z
    return z.cos()


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


def test_a_write_keeps_out_the_part_that_takes_the_input_alone() -> None:
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        recording = lowered(written_in_parts, torch.randn(64), torch.randn(64))
    found = only(recording)
    recorded = [part for part in found.pieces if part.is_recorded]
    assert [bool(part.mutated) for part in recorded] == [True, False]
    assert recorded[0].mutated == found.mutated
    shown = build(recording).lowering.lowerings[0].cuda_graphs
    assert shown is not None
    assert shown.use == "in parts"
    assert sum(part.is_recorded for part in shown.parts) == 1
    assert "the next call may pass another tensor" in shown.parts[0].reason
    assert shown.after < shown.before


@pytest.mark.skipif(not MOVED_REFUSED.exists, reason="this PyTorch does not ask for it")
def test_an_input_that_is_given_other_memory_keeps_the_whole_graph_out() -> None:
    recording = lowered(given_other_memory, torch.randn(4), torch.randn(4))
    assert only(recording).skipped.startswith("input storage mutation")
    shown = build(recording).lowering.lowerings[0].cuda_graphs
    assert shown is not None
    assert "given other memory" in shown.sentence
    assert [part.is_recorded for part in shown.parts] == [False]


def test_what_stays_in_place_and_what_each_call_copies() -> None:
    model = torch.nn.Linear(4, 4)
    # in newer releases a batch that is saved for the backward is no longer taken to stay in place
    is_told = "is_static_input" in inspect.getsource(compile_fx)
    recording = lowered(model, torch.randn(2, 4), grad=True)
    for found in recording.cuda_graphs:
        graph = recording.graphs[found.graph]
        nodes = graph.nodes
        [part] = found.pieces
        inputs = [at for at in range(len(nodes)) if nodes[at].op == "placeholder"]
        assert sorted((*found.fixed, *part.copied)) == inputs
        # the batch, of 2 by 4 numbers, or the gradient of the result; not weights nor what is saved
        moving = 2 if graph.is_backward and is_told else 1
        assert [nodes[at].value.shape for at in part.copied] == [("2", "4")] * moving
    sentence = build(recording).lowering.lowerings[0].cuda_graphs.sentence  # type: ignore[union-attr]
    assert "first copies 1 input (32 B)" in sentence


def test_the_cpp_wrapper_records_none() -> None:
    recording = lowered(product, torch.randn(4, 4), options={"cpp_wrapper": True})
    assert recording.failure is None
    assert "cpp-wrapper" in only(recording).skipped


@pytest.mark.skipif(not hasattr(torch._dynamo, "override_cudagraphs"), reason="not in 2.11")
@pytest.mark.parametrize(("forward", "backward"), [(False, None), (None, False), (True, None)])
def test_the_program_may_override_what_it_asks_for(
    forward: bool | None, backward: bool | None
) -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        with torch._dynamo.override_cudagraphs(fwd=forward, bwd=backward):
            return x.sin().exp()

    x = torch.randn(4, requires_grad=True)
    recording = lowered(fn, x, grad=True, mode=None if forward else MODE)
    assert recording.failure is None
    asked = [one.asked for one in recording.cuda_graphs]
    assert asked == [forward is not False, forward is not False and backward is not False]


def test_a_branch_keeps_the_whole_graph_out() -> None:
    found = only(lowered(branched, torch.randn(4)))
    assert found.skipped == "control flow operator: torch.cond"
    assert found.node is not None


def test_sizes_that_change_are_recorded_anew() -> None:
    recording = lowered(product, torch.randn(6, 6), dynamic=True)
    [size] = only(recording).sizes
    shown = " ".join(render(build(recording), sections=("lowering",)).split())
    assert f"Each new value of {size} is recorded anew." in shown


def test_a_backward_is_decided_too() -> None:
    model = torch.nn.Linear(4, 4)
    recording = lowered(model, torch.randn(2, 4), grad=True)
    assert [recording.graphs[one.graph].is_backward for one in recording.cuda_graphs] == [
        False,
        True,
    ]


def test_there_are_none_on_a_cpu() -> None:
    assert lab.lower(product, torch.randn(4, 4), mode=MODE).cuda_graphs == ()
