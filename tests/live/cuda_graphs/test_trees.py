"""What is recorded of PyTorch's manager of CUDA graphs, whose GPU is stood in for."""

import inspect
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from torch import Tensor
from torch._inductor import config, cudagraph_trees
from torch._inductor.cudagraph_trees import CUDAGraphTreeManager
from torch._inductor.cudagraph_utils import PlaceholderInfo

import dynamo_lab as lab
from dynamo_lab.model.cuda_graphs.trees import CudaTrees
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build

from .stand_in import POOL, Arena, device

pytestmark = pytest.mark.live

Function = Callable[[list[Any]], list[Any]]


@pytest.fixture
def arena() -> Iterator[Arena]:
    with device() as made:
        yield made


def computing(fn: Callable[..., tuple[Tensor, ...]]) -> Function:
    """As Inductor's code is called: it takes its inputs out of the list that they come in."""

    def model(inputs: list[Any]) -> list[Any]:
        values = tuple(inputs)
        inputs.clear()
        return list(fn(*values))

    return model


def graphed(fn: Callable[..., tuple[Tensor, ...]], *inputs: Tensor, **options: Any) -> Function:
    """A function under CUDA graphs, after its warm-up."""
    lines = options.pop("lines", (None,))
    traces = [f'  File "{__file__}", line {line}, in fn\n    y' if line else None for line in lines]
    names = options.pop("names", ())
    return cudagraph_trees.cudagraphify(
        computing(fn),
        list(inputs),
        options.pop("static", ()),
        device_index=0,
        is_backward=False,
        is_inference=True,
        stack_traces=traces,
        placeholders=tuple(PlaceholderInfo(name, None, [], None) for name in names),
        **options,
    )[0]


def step() -> None:
    torch.compiler.cudagraph_mark_step_begin()


def two(x: Tensor) -> tuple[Tensor, ...]:
    return x.sin(), x.cos()


def after(x: Tensor) -> tuple[Tensor, ...]:
    return (x.exp(),)


def only(recording: lab.Recording) -> CudaTrees:
    assert [note.message for note in recording.notes if note.level == "failure"] == []
    [trees] = recording.cuda_trees
    return trees


def watched(program: Callable[[], None]) -> CudaTrees:
    with lab.record() as recorder:
        program()
    return only(recorder.recording)


def chain(*, held_in: int = -1, steps: int = 5) -> None:
    """Two functions one after the other; in one step a result of the first is still held."""
    first = graphed(two, torch.ones(4), lines=(11, 12))
    second = graphed(after, torch.ones(4), lines=(21,))
    for at in range(steps):
        step()
        found = first([torch.ones(4)])
        given = [found[0]]
        kept = found[1] if at == held_in else None
        found.clear()
        del found
        second(given)
        del kept


@pytest.mark.usefixtures("arena")
def test_one_follows_the_other_and_both_are_replayed() -> None:
    trees = watched(chain)
    first, second = trees.nodes
    assert (first.parent, second.parent) == (None, 0)
    assert (first.replays, second.replays) == (4, 4)
    assert (first.copied, first.copied_bytes, first.managed) == (1, 16, 0)
    assert (second.copied, second.managed) == (0, 1)
    kinds = [([one.kind for one in walk.steps], walk.times) for walk in trees.walks]
    assert kinds == [
        (["warm-up"], 1),
        (["warm-up"], 1),
        (["recorded", "recorded"], 1),
        (["replayed", "replayed"], 4),
    ]
    assert trees.marked
    assert trees.generations == 6  # before the first mark, and five marked


@pytest.mark.usefixtures("arena")
def test_a_result_that_is_held_has_the_next_recorded_anew() -> None:
    trees = watched(lambda: chain(held_in=3))
    first, second, again = trees.nodes
    assert (first.parent, second.parent, again.parent) == (None, 0, 0)
    [refusal] = again.refusals
    assert (refusal.node, refusal.reason) == (1, "ExpectedDeadIndicesBeforeGraphMismatch")
    held = [trees.returned[at] for at in refusal.outputs]
    assert (0, 1) in [(one.node, one.at) for one in held]


@pytest.mark.usefixtures("arena")
def test_a_parameter_that_moved_is_named() -> None:
    def program() -> None:
        first, other = torch.ones(4), torch.ones(4)
        add = graphed(
            lambda x, w: (x + w,), torch.ones(4), first, static=(1,), names=("x", "weight")
        )
        for weight in (first, first, other, first, other):
            step()
            add([torch.ones(4), weight])

    trees = watched(program)
    first, again = trees.nodes
    assert (first.fixed, first.copied) == (1, 1)
    [refusal] = again.refusals
    assert (refusal.node, refusal.reason) == (0, "StaticInputIdxMismatch")
    assert refusal.inputs == ("weight",)
    assert (first.replays, again.replays) == (2, 1)


@pytest.mark.usefixtures("arena")
def test_a_write_to_an_input_runs_without() -> None:
    def program() -> None:
        write = graphed(
            lambda x: (x.add_(1).sin(),), torch.ones(4), mutated_input_idxs=(0,), names=("x",)
        )
        for _ in range(3):
            step()
            write([torch.ones(4)])

    trees = watched(program)
    assert trees.nodes == ()
    assert {one.kind for walk in trees.walks for one in walk.steps} == {"written"}
    assert trees.functions[0].written == 1


_LIMIT = inspect.getsource(CUDAGraphTreeManager.exceed_rerecord_limit)


@pytest.mark.skipif("inline_inbuilt_nn_modules" in _LIMIT, reason="torch 2.11 has no such limit")
@pytest.mark.usefixtures("arena")
def test_one_that_is_recorded_anew_too_often_is_given_up() -> None:
    with config.patch({"triton.cudagraph_unexpected_rerecord_limit": 0}):
        trees = watched(lambda: chain(held_in=3))
    assert len(trees.nodes) == 2
    assert "limit" in {one.kind for walk in trees.walks for one in walk.steps}


def test_blocks_of_the_pool_are_those_of_outputs(arena: Arena) -> None:
    def program() -> None:
        fn = graphed(two, torch.ones(4), lines=(11, 12))
        step()
        kept.extend(fn([torch.ones(4)]))

    kept: list[Tensor] = []
    trees = watched(program)
    pool = trees.pool
    assert pool is not None
    assert pool.name == str(POOL)
    [segment] = pool.segments  # neither of another pool, nor of another device
    assert [block.state for block in segment.spaces].count("live") == 2
    assert segment.live == trees.nodes[0].live == 1024
    assert sum(block.bytes for block in segment.spaces) == segment.bytes == trees.nodes[0].reserved
    outputs = [one for one in pool.lying if one.output is not None]
    assert [arena.address + one.offset for one in outputs] == sorted(one.data_ptr() for one in kept)
    assert {one.input for one in pool.lying} == {None, 0}


@pytest.mark.usefixtures("arena")
def test_what_was_held_when_its_memory_was_taken_and_read_then() -> None:
    """With the text that PyTorch has it raise when it is read, in each release's words."""
    said: list[str] = []

    def program() -> None:
        fn = graphed(two, torch.ones(4), lines=(11, None))
        step()
        kept = fn([torch.ones(4)])[0]
        step()
        with mock.patch.object(
            torch._C, "_set_storage_access_error_msg", lambda _, text: said.append(text)
        ):
            fn([torch.ones(4)])
        del kept
        raise RuntimeError(*said)

    watch = lab.record()
    with pytest.raises(RuntimeError, match="overwritten"), watch as recorder:
        program()
    recording = recorder.recording
    [one] = only(recording).overwritten
    assert (one.node, one.at, one.times) == (0, 0, 1)
    assert one.span is not None
    span = recording.spans[one.span]
    assert (Path(recording.sources[span.source].path).name, span.line) == ("test_trees.py", 11)
    found = build(recording).findings.found
    [told] = [one for one in found if one.rule == "cuda-graph-overwritten"]
    assert "reads a result of a CUDA graph, made at" in told.sentence
    assert "line 11" in told.sentence
    assert told.code == "kept = compiled(x).clone()"  # it marks its steps already


def test_a_parameter_that_moved_has_the_programs_name() -> None:
    """The inputs of a compiled layer are its weight, its bias and `x`, by names of PyTorch's."""
    with lab.record() as recorder:
        torch.compile(torch.nn.Linear(4, 4))(torch.ones(1, 4))
        with device():
            given, other = torch.ones(4), torch.ones(4)
            add = graphed(
                lambda x, w, b: (x + w + b,),
                *(given,) * 3,
                static=(0, 1),
                names=("primals_1", "primals_2", "primals_3"),
                compile_id="0/0",
            )
            for moved in (given, given, other):
                step()
                add([moved, moved, torch.ones(4)])
    [trees] = build(recorder.recording).lowering.cuda_trees
    assert "`weight` and `bias`, which should stay in place" in trees.nodes[1].why


@pytest.mark.usefixtures("arena")
def test_it_is_tied_to_the_graph_that_was_lowered() -> None:
    with lab.record() as recorder:
        torch.compile(lambda x: x.sin() + 1)(torch.ones(4))
        fn = graphed(after, torch.ones(4), compile_id="0/0")
        step()
        fn([torch.ones(4)])
    recording = recorder.recording
    [function] = only(recording).functions
    assert function.graph is not None
    graph = recording.graphs[function.graph]
    assert (graph.stage, graph.is_backward, graph.compile_id) == ("post_grad", False, "0/0")
    shown = " ".join(render(build(recording), sections=("lowering",)).split())
    assert "CUDA graph 0 inference of graph 1, not replayed" in shown


def test_recording_changes_nothing_of_what_is_recorded(arena: Arena) -> None:
    """As many CUDA graphs as without, and nothing of ours holds a result."""

    def recordings(program: Callable[[], None]) -> int:
        before = cudagraph_trees.get_manager(0)
        assert before is not None
        first = next(before.graph_counter)
        program()
        return next(before.graph_counter) - first - 1

    def program() -> None:
        chain(held_in=3)

    plain = recordings(program)
    with lab.record(fresh=False) as recorder:
        assert recordings(program) == plain == 3
    assert len(only(recorder.recording).nodes) == 3

    refs: list[Any] = []
    with lab.record(fresh=False):
        fn = graphed(after, torch.ones(4))
        step()
        refs += [weakref.ref(one) for one in fn([torch.ones(4)])]
        assert [ref() for ref in refs] == [None]
    manager = weakref.ref(cudagraph_trees.get_manager(0))
    cudagraph_trees.reset_cudagraph_trees()
    del fn
    assert manager() is None


@pytest.mark.usefixtures("arena")
def test_one_from_before_the_recording_comes_with_its_path() -> None:
    first = graphed(two, torch.ones(4), lines=(11, 12))
    second = graphed(after, torch.ones(4))

    def both() -> None:
        step()
        found = first([torch.ones(4)])
        given = [found[0]]
        del found
        second(given)

    both()
    with lab.record(fresh=False) as recorder:
        both()
    trees = only(recorder.recording)
    assert [(one.parent, one.replays, one.generation) for one in trees.nodes] == [
        (None, 1, None),
        (0, 1, None),
    ]
    assert trees.pool is None


@pytest.mark.usefixtures("arena")
def test_it_is_saved_and_loaded(tmp_path: Path) -> None:
    with lab.record() as recorder:
        chain(held_in=3)
    recorder.recording.save(tmp_path / "run.json.gz")
    assert lab.load(tmp_path / "run.json.gz").cuda_trees == recorder.recording.cuda_trees


def test_the_manager_is_known_where_the_program_imports_it_first() -> None:
    """It imports Inductor on its way, at which a recording begins to watch: in the middle of it."""
    program = (
        "import torch, dynamo_lab as lab\n"
        "from dynamo_lab.capture.cuda_graphs import hooks\n"
        "with lab.record():\n"
        "    torch.compiler.cudagraph_mark_step_begin()\n"
        "    torch.compile(lambda x: x + 1)(torch.ones(2))\n"
        "assert hooks.RECORD.exists\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
