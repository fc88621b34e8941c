"""Passes of real compilations: all that PyTorch times are there, and their diffs compose."""

import math
import random
from typing import Any

import pytest
import torch
import torch._dynamo.utils
import torch._inductor.config as inductor
from torch import fx, nn
from torch._inductor import compile_fx
from torch.fx import Graph

import dynamo_lab as lab
from dynamo_lab.capture.passes.snapshots import Family, differences
from dynamo_lab.errors import OptionError
from dynamo_lab.model.passes import Match, NodeText, Pass, apply, left, state_of
from dynamo_lab.model.recording import Recording
from tests.live.explored import Explorations, Explored, each
from tests.live.programs import PROGRAMS


def compose(recording: Recording) -> int:
    """Apply all diffs in order; each graph that was recorded as a result is what comes out."""
    compared = 0
    for pipeline in recording.pipelines:
        made = left(recording, pipeline)
        if pipeline.became:
            assert made == state_of(recording.graphs, pipeline.became), pipeline
            compared += 1
    return compared


def passes_named(recording: Recording, name: str) -> list[Pass]:
    return [p for p in recording.passes if name in (p.name, p.function)]


def matches(recording: Recording, name: str) -> list[Match]:
    """The matches of patterns whose names begin so."""
    return [
        match
        for item in recording.passes
        for match in item.matches
        if recording.patterns[match.pattern].name.startswith(name)
    ]


def targets(nodes: tuple[NodeText, ...]) -> set[str]:
    return {node.target for node in nodes}


def added(item: Pass) -> set[str]:
    return {placed.node.target for change in item.changes for placed in change.added}


# What a look at a graph finds


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


# Whole programs


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


# What each kind of optimization did


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return ((q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1])).softmax(-1) @ v


@pytest.mark.parametrize("training", [False, True])
def test_attention_by_hand_is_found(training: bool) -> None:
    inputs = [torch.randn(2, 4, 16, 32, requires_grad=training) for _ in range(3)]
    recording = lab.explore(attention, *inputs, grad=training)
    (match,) = matches(recording, "_sfdp_pattern")
    pattern = recording.patterns[match.pattern]
    assert pattern.kind == "replacement"
    assert "def _sfdp_pattern" in pattern.source
    assert "scaled_dot_product_attention" in pattern.replacement
    assert pattern.place.startswith("torch/_inductor/fx_passes/fuse_attention.py:")
    assert {node.name for node in match.before} >= set(match.gone) != set()
    assert any("scaled_dot_product" in target for target in targets(match.after))
    assert compose(recording) == (3 if training else 2)
    joint = [g for g in recording.graphs if g.stage == "joint"]
    assert len(joint) == int(training), "a graph traced for a pattern is none of the reader's"


class Towers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.towers = nn.ModuleList(nn.Linear(16, 16) for _ in range(5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([tower(x) for tower in self.towers], -1)


@pytest.mark.parametrize(
    ("options", "product"),
    [
        ({"pre_grad_fusion_options": {"batch_linear": {}}}, "torch.baddbmm"),
        (
            {"post_grad_fusion_options": {"batch_linear_post_grad": {"require_fbgemm": False}}},
            "aten.bmm",
        ),
    ],
)
def test_linear_layers_side_by_side_become_one(options: dict[str, Any], product: str) -> None:
    with inductor.patch(options):
        recording = lab.explore(Towers(), torch.randn(4, 16), grad=False)
    fusions = [
        match
        for item in recording.passes
        for match in item.matches
        if recording.patterns[match.pattern].kind == "fusion"
    ]
    (match,) = fusions
    assert len(match.before) == len(match.gone) == 5
    assert product in targets(match.after)
    assert compose(recording) == 2


def test_a_split_that_is_put_together_again_goes() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        parts = torch.split(x, 4, dim=1)
        return torch.cat(list(parts), dim=1) + 1

    options = {"normalization_pass": {}, "split_cat_pass": {}}
    with inductor.patch(pre_grad_fusion_options=options):
        recording = lab.explore(f, torch.randn(4, 16), grad=False)
    (normalized,) = passes_named(recording, "normalization_pass")
    (simplified,) = passes_named(recording, "split_cat_pass")
    assert normalized.matches
    assert {name for change in simplified.changes for name in change.removed} & {"cat", "cat_1"}
    assert compose(recording) == 2


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 16, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.norm(self.first(x)).relu())


def test_freezing_lays_out_convolutions_and_folds_constants() -> None:
    with inductor.patch(freezing=True):
        recording = lab.explore(Convolutions().eval(), torch.randn(2, 3, 16, 16), grad=False)
    (layout,) = passes_named(recording, "convert_conv_weights_to_channels_last")
    made = [p.node for change in layout.changes for p in change.added]
    assert any("torch.channels_last" in node.arguments for node in made)
    folded = passes_named(recording, "constant_fold")
    assert any(node.op == "get_attr" for p in folded for c in p.changes for node in c.changed)
    assert matches(recording, "folded_op"), "the normalization goes into the convolution"
    phases = [p.phase for p in recording.pipelines]
    assert phases == ["pre_grad", "joint", "layout", "freezing", "post_grad"]
    assert compose(recording) == 2


def test_an_operator_writes_in_place_where_nobody_reads_on() -> None:
    def f(x: torch.Tensor, at: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        return torch.index_put(x.sin(), (at,), new) + 1

    recording = lab.explore(
        f, torch.randn(8, 8), torch.tensor([1, 2]), torch.randn(2, 8), grad=False
    )
    (item,) = passes_named(recording, "reinplace_inplaceable_ops")
    (node,) = (node for change in item.changes for node in change.changed)
    assert node.target == "aten.index_put_.default"


def test_constants_of_one_value_are_folded() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * torch.ones(8, 8) + torch.zeros(8, 8) + 1

    recording = lab.explore(f, torch.randn(8, 8), grad=False)
    (item,) = passes_named(recording, "constant_fold_uniform_value")
    assert {"mul", "add"} <= {name for change in item.changes for name in change.removed}


def test_what_was_found_and_left_alone_is_counted() -> None:
    recording = lab.explore(lambda x: x.view(4, 16).sin(), torch.randn(8, 8), grad=False)
    alone = {
        recording.patterns[pattern].name: times
        for item in recording.passes
        for pattern, times in item.left_alone.items()
    }
    assert alone == {"pointless_view": 1}


# The reader's own


def twice(graph: Graph) -> None:
    """Adds what it finds to itself."""
    for node in list(graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default)):
        with graph.inserting_after(node):
            made = graph.call_function(torch.ops.aten.add.Tensor, (node, node))
            made.meta.update(node.meta)
        for user in [user for user in node.users if user is not made]:
            user.replace_input_with(node, made)


def leave(graph: Graph) -> None:
    pass


def sine(x: torch.Tensor) -> torch.Tensor:
    return x.sin() * 3


def test_a_pass_of_ones_own_runs_and_stands_under_its_name() -> None:
    before = inductor.post_grad_custom_post_pass, inductor.pre_grad_custom_pass
    x = torch.randn(4, requires_grad=True)
    with lab.passes(post_grad=twice, pre_grad=leave, joint=leave):
        recording = lab.explore(sine, x, grad=True)
        torch.testing.assert_close(torch.compile(sine)(x), 2 * sine(x))
    assert (inductor.post_grad_custom_post_pass, inductor.pre_grad_custom_pass) == before
    forward, backward = passes_named(recording, "twice")
    assert recording.pipelines[backward.pipeline].is_backward
    assert (forward.description, added(forward)) == (
        "Adds what it finds to itself.",
        {"aten.add.Tensor"},
    )
    assert forward.span is not None
    assert recording.spans[forward.span].line == twice.__code__.co_firstlineno
    assert {(p.name, p.function) for p in (forward, backward)} == {("twice", "twice")}
    assert forward.hook.startswith("post_grad_custom_post_pass")
    phases = [recording.pipelines[p.pipeline].phase for p in passes_named(recording, "leave")]
    assert phases == ["pre_grad", "joint"]
    assert compose(recording) == 3


def test_a_pass_that_was_edited_is_not_taken_from_a_cache() -> None:
    x = torch.randn(4)
    for factor in (2, 3):

        def scale(graph: Graph, by: int = factor) -> None:
            for node in graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor):
                node.args = (node.args[0], by)

        torch._dynamo.reset()
        with lab.passes(post_grad=scale):
            torch.testing.assert_close(torch.compile(sine)(x), x.sin() * factor)


def test_a_pass_that_fails_is_named_and_what_came_before_stays() -> None:
    def breaks(graph: Graph) -> None:
        raise ValueError("no such node")

    with lab.passes(post_grad=breaks):
        recording = lab.explore(sine, torch.randn(4))
    assert recording.failure is not None
    assert "post_grad pass `breaks` raised ValueError: no such node" in recording.failure.message
    (failed,) = passes_named(recording, "breaks")
    assert "no such node" in failed.error
    assert passes_named(recording, "remove_noop_ops")
    assert recording.pipelines[-1].error


def strand(graph: Graph) -> None:
    """Reads a node of another graph."""
    stray = Graph().placeholder("stray")
    next(iter(graph.find_nodes(op="output"))).args = ((stray,),)


def disorder(graph: Graph) -> None:
    """Puts what is read first last, which Inductor sorts out by itself."""
    first = next(node for node in graph.nodes if node.op == "call_function")
    next(iter(graph.find_nodes(op="output"))).prepend(first)


@pytest.mark.parametrize("phase", ["post_grad", "joint"])
def test_a_pass_that_breaks_the_graph_is_named(phase: str) -> None:
    passes: dict[str, Any] = {phase: [strand]}
    with lab.passes(**passes):
        recording = lab.explore(sine, torch.randn(4))
    assert recording.failure is not None
    assert f"{phase} pass `strand` left a graph that cannot run" in recording.failure.message
    (failed,) = passes_named(recording, "strand")
    assert "left a graph that cannot run" in failed.error


@pytest.mark.parametrize("phase", ["pre_grad", "joint", "post_grad"])
def test_order_alone_is_no_fault(phase: str) -> None:
    passes: dict[str, Any] = {phase: disorder}
    x = torch.randn(4)
    with lab.passes(**passes):
        recording = lab.explore(sine, x)
        torch.testing.assert_close(torch.compile(sine)(x), sine(x))
    assert recording.failure is None
    assert not recording.notes


@pytest.mark.parametrize("wrong", [{}, {"post_grad": "reinplace"}, {"joint": [3]}])
def test_what_is_no_pass_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="pass a function"), lab.passes(**wrong):
        pytest.fail("the block ran")


def test_a_pass_that_is_switched_off_says_so() -> None:
    with inductor.patch(disabled_passes="remove_noop_ops"):
        recording = lab.explore(sine, torch.randn(4), grad=False)
    found = passes_named(recording, "remove_noop_ops")
    assert found
    assert all(item.disabled and not item.timer for item in found)


def test_a_probe_that_fails_leaves_the_compilation_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(family: Family) -> Any:
        raise RuntimeError("cannot look")

    monkeypatch.setattr(Family, "look", fails)
    x = torch.randn(4)
    with lab.record() as recorder:
        torch.testing.assert_close(torch.compile(sine)(x), sine(x))
    notes = [note for note in recorder.recording.notes if note.level == "failure"]
    assert notes
    assert recorder.recording.kernels
