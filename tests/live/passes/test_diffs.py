"""Passes of real compilations: all that PyTorch times are there, and their diffs compose."""

import random
from typing import Any

import pytest
import torch
import torch._dynamo.utils
from torch import fx, nn
from torch._inductor import compile_fx
from torch.fx import Graph

import dynamo_lab as lab
from dynamo_lab.capture.passes.snapshots import Family, differences
from dynamo_lab.model.passes import NodeText, apply, left
from tests.live.explored import Explorations, Explored, each
from tests.live.passes.recorded import compose
from tests.live.programs import PROGRAMS


def random_graph(seed: int) -> fx.GraphModule:
    graph = Graph()
    nodes = [graph.placeholder("x")]
    choose = random.Random(seed)
    for _ in range(12):
        nodes.append(graph.call_function(torch.add, (choose.choice(nodes), choose.choice(nodes))))
    graph.output((nodes[-1],))
    return fx.GraphModule(nn.Module(), graph)


def disturb(graph: Graph, choose: random.Random) -> None:
    nodes = [n for n in graph.nodes if n.op == "call_function"]
    one, other = choose.choice(nodes), choose.choice(nodes)
    match choose.randrange(4):
        case 0:
            with graph.inserting_before(one):
                graph.call_function(torch.mul, (one.args[0], choose.random()))
        case 1:
            one.prepend(other)  # the order alone counts here, not what can be run
        case 2:
            one.args = (other, choose.random())
        case _:
            one.replace_all_uses_with(nodes[0])
            if not one.users:
                graph.erase_node(one)


@pytest.mark.parametrize("seed", range(20))
def test_what_changed_between_looks_makes_the_one_of_the_other(seed: int) -> None:
    module, choose = random_graph(seed), random.Random(seed)
    family = Family(module)
    state = family.texts()
    for _ in range(10):
        for _ in range(choose.randrange(6)):
            disturb(module.graph, choose)
        before = state
        state = apply(state, family.look())
        assert state == family.texts()
        assert apply(before, differences(before, state)) == state
        assert family.look() == ()


def test_a_node_by_another_name_is_another_node() -> None:
    module = random_graph(0)
    family = Family(module)
    state = family.texts()
    node = next(n for n in module.graph.nodes if n.op == "call_function")
    node.name = "renamed"
    assert apply(state, family.look()) == family.texts()


SLOW = {"gpt2", "reformer", "longformer"}
NOTHING_TO_COMPILE = {"lstm"}


@pytest.fixture(scope="module", params=each(sorted(set(PROGRAMS) - SLOW - NOTHING_TO_COMPILE)))
def program(request: pytest.FixtureRequest, explored: Explorations) -> Explored:
    return explored(request.param)


def test_every_pass_that_pytorch_times_is_there(program: Explored) -> None:
    recording, timed = program.recording, program.timers
    assert timed, "PyTorch timed none, so nothing was compared"
    assert {item.timer for item in recording.passes if item.timer} == timed
    counted = sum(timing.name.startswith("pass.") for timing in recording.timings)
    assert sum(bool(item.timer) for item in recording.passes) == counted


def test_diffs_compose_to_the_recorded_graphs(program: Explored) -> None:
    recording = program.recording
    lowered = [g for g in recording.graphs if g.stage in ("pre_grad", "post_grad")]
    assert compose(recording) == len([g for g in lowered if g.parent is None])
    assert not [note for note in recording.notes if note.level == "failure"]


@pytest.mark.slow
def test_passes_before_the_partition_compose_too(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[dict[str, tuple[NodeText, ...]]] = []
    original = compile_fx._recursive_joint_graph_passes

    def watched(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        ends.append(Family(result).texts())
        return result

    monkeypatch.setattr(compile_fx, "_recursive_joint_graph_passes", watched)
    fn, args, options = PROGRAMS["training_step"]()
    recording = lab.explore(fn, *args, **options)
    made = [left(recording, p) for p in recording.pipelines if p.phase == "joint"]
    assert made == ends
    assert any(p.is_backward for p in recording.pipelines)


def test_each_pipeline_begins_with_a_recorded_graph(program: Explored) -> None:
    recording = program.recording
    assert all(p.graphs or p.follows is not None for p in recording.pipelines)
