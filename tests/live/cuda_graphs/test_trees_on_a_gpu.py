"""The trees and the pools of CUDA graphs as a GPU records them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._inductor import config as inductor
from torch._inductor.cudagraph_trees import get_manager

import dynamo_lab as lab
from dynamo_lab.model.cuda_graphs.trees import CudaTrees
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    with inductor.patch(force_disable_caches=True):
        torch._dynamo.reset()
        yield


def watched(program: Callable[[], None]) -> tuple[CudaTrees, str]:
    """The trees of a program, and what is printed of them."""
    with lab.record() as recorder:
        program()
        torch.cuda.synchronize()
    recording = recorder.recording
    shown = render(build(recording), sections=("lowering",))
    print(shown[shown.find("trees of CUDA graphs") :])
    assert [note.message for note in recording.notes if note.level == "failure"] == []
    [trees] = recording.cuda_trees
    return trees, shown


def made(*shape: int) -> Tensor:
    return torch.randn(*shape, device="cuda")


def replays(fn: Callable[..., Any], calls: int = 6) -> None:
    compiled = torch.compile(fn, mode="reduce-overhead")
    for _ in range(calls):
        torch.compiler.cudagraph_mark_step_begin()
        compiled(made(64, 64))


def test_a_program_is_warmed_up_recorded_and_replayed() -> None:
    trees, shown = watched(lambda: replays(lambda x: (x @ x).relu().sum(-1)))
    [node] = trees.nodes
    assert node.replays >= 3
    assert node.copied == 1
    assert node.copied_bytes == 64 * 64 * 4
    assert trees.marked
    assert trees.functions[node.function].graph is not None
    assert "CUDA graph 0" in shown
    kinds = [step.kind for walk in trees.walks for step in walk.steps]
    assert {"warm-up", "recorded", "replayed"} <= set(kinds)


def test_what_follows_a_break_is_a_child() -> None:
    def program(x: Tensor) -> Tensor:
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos() + 1

    trees, _ = watched(lambda: replays(program))
    parents = {node.parent for node in trees.nodes}
    assert None in parents
    assert any(node.managed for node in trees.nodes if node.parent is not None)


def test_the_pool_is_what_the_allocator_says() -> None:
    kept: list[Tensor] = []

    def program() -> None:
        compiled = torch.compile(lambda x: (x.sin(), x.cos()), mode="reduce-overhead")
        for _ in range(2):
            kept.clear()
            torch.compiler.cudagraph_mark_step_begin()
            kept.extend(compiled(made(256, 256)))

    trees, _ = watched(program)
    manager = get_manager(torch.cuda.current_device())
    assert manager is not None
    pool = manager.cuda_graphs_thread_pool
    segments = [one for one in torch.cuda.memory_snapshot() if one["segment_pool_id"] == pool]
    assert trees.pool is not None
    found = trees.pool.segments
    assert sum(one.bytes for one in found) == sum(one["total_size"] for one in segments)
    assert sum(one.live for one in found) >= sum(one.untyped_storage().nbytes() for one in kept)
    for segment in found:
        assert sum(block.bytes for block in segment.spaces) == segment.bytes
    starts = {one["address"] for one in segments}
    placed = {
        at + one.offset for at in starts for one in trees.pool.lying if one.output is not None
    }
    assert {one.data_ptr() for one in kept} <= placed


def test_training_has_the_backward_after_the_forward() -> None:
    model = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 8)).cuda()

    def program() -> None:
        compiled = torch.compile(model, mode="reduce-overhead")
        for _ in range(6):
            torch.compiler.cudagraph_mark_step_begin()
            model.zero_grad(set_to_none=True)
            compiled(made(16, 32)).sum().backward()

    trees, _ = watched(program)
    modes = {trees.functions[node.function].mode for node in trees.nodes}
    assert modes == {"forward", "backward"}
    backward = [one for one in trees.nodes if trees.functions[one.function].mode == "backward"]
    assert all(one.parent is not None for one in backward)
    assert any(one.managed for one in backward)


def test_a_held_result_has_its_line_and_reading_it_raises() -> None:
    held: list[Tensor] = []

    def program() -> None:
        compiled = torch.compile(lambda x: x.sin() * 2, mode="reduce-overhead")
        for _ in range(3):
            held.append(compiled(made(64)))

    trees, shown = watched(program)
    assert trees.overwritten
    assert all(one.span is not None for one in trees.overwritten)
    assert "reading it then raises" in shown
    with pytest.raises(RuntimeError, match="overwritten by a subsequent run"):
        held[0].sum()


def test_recording_has_as_many_recorded_as_without() -> None:
    def recorded() -> int:
        torch._dynamo.reset()
        replays(lambda x: (x @ x).relu(), calls=5)
        manager = get_manager(torch.cuda.current_device())
        assert manager is not None
        return next(manager.graph_counter)

    plain = recorded()
    with lab.record():
        assert recorded() == plain
