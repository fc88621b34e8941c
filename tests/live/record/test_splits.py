"""Graphs that are captured in vain, and graphs that DDP splits: their names, and its breaks."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch._dynamo.exc import TensorifyScalarRestartAnalysis

import dynamo_lab as lab
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.view import build


@pytest.fixture
def group(tmp_path: Path) -> Generator[None, None, None]:
    """A process group of one rank."""
    if not dist.is_available() or not dist.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    store = (tmp_path / "store").as_uri()
    dist.init_process_group("gloo", rank=0, world_size=1, init_method=store)
    yield
    dist.destroy_process_group()


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(1024, 1024)
        self.second = torch.nn.Linear(1024, 1024)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x).relu()
        return self.second(x).relu()


@pytest.mark.slow
@pytest.mark.usefixtures("group")
def test_a_backward_that_is_compiled_when_it_runs_is_of_its_part() -> None:
    model = torch.nn.parallel.DistributedDataParallel(Net(), bucket_cap_mb=2)
    with lab.record() as recorder:
        compiled: Any = torch.compile(model)
        compiled(torch.randn(2, 1024)).sum().backward()
    recording = recorder.recording
    titles = [graph.title for graph in build(recording).graphs]
    parts = [title for title in titles if "post_grad (backward)" in title]
    assert parts == [f"graph 1 part {number} post_grad (backward)" for number in (2, 1)]
    late = {g.id: g.part for g in recording.graphs if g.is_backward and g.stage == "post_grad"}
    for link in recording.links:
        if link.downstream in late:
            assert recording.graphs[link.upstream].part in (0, late[link.downstream])


@pytest.mark.usefixtures("group")
def test_the_parts_of_ddp_are_numbered_and_its_breaks_are_not_the_readers() -> None:
    model = torch.nn.parallel.DistributedDataParallel(Net(), bucket_cap_mb=2)
    with lab.record() as recorder:
        compiled: Any = torch.compile(model, backend="aot_eager")
        compiled(torch.randn(2, 1024)).sum().backward()
    view = build(recorder.recording)
    titles = [graph.title for graph in view.graphs]
    assert titles[0] == "graph 1"
    assert {"graph 1 part 1 forward", "graph 1 part 2 forward"} <= set(titles)
    assert not any("#" in title for title in titles)
    assert "each time within PyTorch's own code" in view.summary.sentence
    assert all("nothing to change" in item.advice[0] for item in view.breaks)
    assert view.frames[0].name == "DistributedDataParallel"


def test_a_break_that_the_reader_calls_into_pytorch_is_the_readers() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return x + 1

    sentence = build(lab.explore(f, torch.ones(3), backend="eager")).summary.sentence
    assert "PyTorch's own code" not in sentence


def test_a_model_without_a_line_of_the_reader_has_its_own_name() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    with lab.record() as recorder:
        compiled: Any = torch.compile(model, backend="eager")
        compiled(torch.ones(2, 4))
    assert "captured all of `Sequential` as one graph" in build(recorder.recording).summary.sentence


def test_kernels_of_such_a_model_are_at_its_modules() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    with lab.record() as recorder:
        compiled: Any = torch.compile(model)
        compiled(torch.ones(2, 4))
    view = build(recorder.recording)
    assert any("(ReLU)" in kernel.where for kernel in view.kernels.kernels)


def test_what_such_a_model_saves_and_becomes_is_at_its_modules() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
    view = build(lab.explore(model, torch.randn(8, 16)))
    (part,) = view.partitions
    assert part.by == "module"
    assert {cost.where for cost in part.lines} <= {"0 (Linear)", "1 (GELU)"}
    named = [*part.pairs, *view.decompositions.tops, *view.lowering.lowerings[0].steps]
    named += [row for row in part.recomputed if row.module]
    assert any("(GELU)" in row.where for row in named)
    assert not any(".py" in row.where for row in named)
    operations = [one for schedule in view.fusions.schedules for one in schedule.operations]
    assert any("(Linear)" in one.where for one in operations)


def test_a_wrapper_is_not_shown_as_the_code_that_was_compiled() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    recording = lab.explore(model, torch.ones(2, 4), backend="eager")
    view = build(recording)
    main = view.sources[view.main_source]
    assert main.is_wrapper
    assert "No line of your code" in main.notice
    assert "0 (Linear) and 1 (ReLU)" in main.notice
    for text in (str(recording), fallback(view)):
        assert "No line of your code" in text
        assert "return fn(*args" not in text


def test_the_code_of_a_reader_who_calls_such_a_model_is_shown() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())

    def f(x: torch.Tensor) -> torch.Tensor:
        return model(x) + 1

    view = build(lab.explore(f, torch.ones(2, 4), backend="eager"))
    assert not any(source.is_wrapper or source.notice for source in view.sources)


def test_a_graph_that_was_captured_in_vain_is_said_to_be() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    def refuses_once(graph: Any, inputs: Any) -> Any:
        if not refused:
            refused.append(True)
            raise TensorifyScalarRestartAnalysis(restart_reason="once")
        return graph.forward

    refused: list[bool] = []
    recording = lab.explore(f, torch.ones(3), backend=refuses_once)
    assert [graph.stage for graph in recording.graphs] == ["restarted", "dynamo"]
    assert [a.outcome for a in recording.frames[0].attempts] == ["restarted", "compiled"]
    assert len(recording.captured_graphs()) == 1
    view = build(recording)
    assert "restarted" in view.graphs[0].title
    assert "restarted" not in view.graphs[1].title
