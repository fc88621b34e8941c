"""Rules that fired in a run, trees down to each set, and one operator by itself."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.errors import DecompositionError, OptionError
from dynamo_lab.model.decompositions import TARGETS, Target
from dynamo_lab.view import build
from dynamo_lab.view.decompositions.trees import walk

pytestmark = pytest.mark.live
F = torch.nn.functional
INDUCTOR = TARGETS.index("inductor")


def normalised(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.gelu(F.layer_norm(x, [16], w)) @ w


def recorded(**options: Any) -> lab.Recording:
    x = torch.randn(4, 16, requires_grad=True)
    return lab.explore(normalised, x, torch.randn(16), **options)


@pytest.fixture(scope="module")
def run() -> lab.Recording:
    return recorded(grad=True)


def leaves(recording: lab.Recording, call: int) -> Counter[str]:
    lines = list(walk(build(recording).decompositions.trees, call, INDUCTOR))
    return Counter(line.operator for line in lines if line.rule is None)


@pytest.mark.slow
def test_what_fired_in_the_run_is_what_the_trees_say(run: lab.Recording) -> None:
    assert not run.notes
    facts = run.decompositions
    strings = [graph.nodes.strings for graph in run.graphs]
    compared = 0
    for traced in facts.traced:
        assert traced.graph is not None
        table = run.graphs[traced.graph].nodes
        made = Counter(strings[traced.graph][table.target[node]] for node in traced.nodes)
        del made["_operator.getitem"], made["operator.getitem"]
        if traced.rule is not None and made:
            compared += 1
            assert not made - leaves(run, traced.call), facts.calls[traced.call].operator
    assert compared >= 3


def test_each_call_goes_on_towards_each_set(run: lab.Recording) -> None:
    calls = run.decompositions.calls
    for traced in run.decompositions.traced:
        call = calls[traced.call]
        assert not call.problem
        assert all(way.step is not None or way.end for way in call.ways)
        assert call.value


def test_rules_have_a_place_and_a_text(run: lab.Recording) -> None:
    rules = [
        run.decompositions.rules[t.rule] for t in run.decompositions.traced if t.rule is not None
    ]
    norm = next(rule for rule in rules if rule.name == "_native_layer_norm")
    assert norm.kind == "registered"
    assert norm.file == "torch/_inductor/decomposition.py"
    assert "def _native_layer_norm" in norm.text


def test_it_survives_a_file(run: lab.Recording, tmp_path: Path) -> None:
    run.save(tmp_path / "run.json.gz")
    assert lab.load(tmp_path / "run.json.gz").decompositions == run.decompositions


@pytest.mark.parametrize("backend", ["aot_eager", "eager"])
def test_other_backends(backend: str) -> None:
    run = recorded(backend=backend)
    facts = run.decompositions
    assert not run.notes
    assert bool(facts.traced) == (backend == "aot_eager")
    assert all(traced.rule is None for traced in facts.traced)


def test_sizes_that_may_vary_are_taken_as_they_were() -> None:
    run = recorded(dynamic=True, backend="aot_eager")
    assert not run.notes
    operators = {run.decompositions.calls[t.call].operator for t in run.decompositions.traced}
    assert "aten.gelu.default" in operators
    assert all(call.ways for call in run.decompositions.calls)


@pytest.mark.slow
def test_bodies_of_operators_and_random_ones() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = F.dropout(x, 0.5, training=True)
        return torch.cond(y.sum() > 0, torch.sin, torch.cos, (y,))

    run = lab.explore(program, torch.randn(8))
    assert not run.notes
    assert not run.failure
    names = {run.decompositions.calls[t.call].operator for t in run.decompositions.traced}
    assert {"aten.sin.default", "aten.cos.default"} <= names


@pytest.mark.parametrize("to", TARGETS)
def test_decompose_runs_like_eager(to: Target) -> None:
    x, w, b = torch.randn(4, 16), torch.randn(16), torch.randn(16)
    arguments = (x, [16], w, b, 1e-5)
    op = torch.ops.aten.native_layer_norm.default
    made = lab.decompose(op, *arguments, to=to)
    torch.testing.assert_close(tuple(made.run(*arguments)), tuple(op(*arguments)))
    assert sum(made.counts.values()) == len(made.leaves)
    assert "aten.native_layer_norm.default(f32[4, 16], [16]" in str(made)
    if to == "prims":
        assert all(name.startswith("prims.") for name in made.leaves)
    if to == "core_aten":
        assert made.leaves == ("aten.native_layer_norm.default",)


def test_ways_to_name_an_operator() -> None:
    x = torch.randn(3, 4)
    named = [
        lab.decompose(op, x, to="prims").leaves
        for op in (torch.ops.aten.silu, "aten.silu", "silu", "torch.ops.aten.silu.default", F.silu)
    ]
    assert len(set(named)) == 1
    assert lab.decompose("aten.add", x, 2, to="prims").operator == "aten.add.Tensor"


def test_random_numbers_are_not_detached() -> None:
    made = lab.decompose("aten.native_dropout", torch.ones(8), 0.5, True)
    assert made.leaves == ("aten.rand.default", "aten.gt.Scalar", *["aten.mul.Tensor"] * 2)
    out, kept = made.run(torch.ones(8))
    assert torch.equal(out, kept * 2.0)
    assert lab.decompose("aten.detach", torch.ones(2), to="prims").leaves == (
        "prims.view_of.default",
    )


def test_an_operator_of_ones_own_is_not_said_to_be_in_cpp() -> None:
    library = torch.library.Library("dynamo_lab_tests", "FRAGMENT")
    library.define("twofold(Tensor x) -> Tensor")
    library.impl("twofold", lambda x: x * 2, "CompositeImplicitAutograd")
    made = lab.decompose("dynamo_lab_tests.twofold", torch.ones(2))
    assert made.leaves == ("aten.mul.Tensor",)
    assert "by dynamo_lab_tests.twofold.default" in str(made)
    assert "in C++" not in str(made)
    linear = lab.decompose("aten.linear", torch.ones(1, 2), torch.ones(3, 2), to="prims")
    assert "by aten.linear.default  in C++" in str(linear)


def test_a_tensor_passed_twice_is_one() -> None:
    made = lab.decompose("aten.mul.Tensor", *[torch.tensor([3.0])] * 2, to="prims")
    assert made.run(*[torch.tensor([3.0])] * 2).item() == 9.0


def test_a_device_need_not_be_there() -> None:
    with torch._subclasses.FakeTensorMode():
        x = torch.empty(2, 3, device="cuda")
    assert "f32[2, 3] cuda:0" in str(lab.decompose("aten.logical_not", x, to="prims"))
    assert lab.decompose("aten.silu", torch.empty(5, device="meta"), to="prims").leaves


@pytest.mark.parametrize(
    ("op", "arguments", "sentence"),
    [
        ("aten.nope", (), "There is no operator"),
        (3, (), "is not an operator"),
        ("aten.add", (), "No overload of `aten.add` takes these arguments"),
        (torch.ops.higher_order.cond, (), "holds whole graphs"),
        ("aten.nonzero", (torch.ones(3),), "depends on the numbers in its arguments"),
        ("aten.relu", (torch.eye(3).to_sparse(),), "pass dense tensors"),
    ],
)
def test_what_cannot_be_taken_apart_says_why(op: Any, arguments: Any, sentence: str) -> None:
    with pytest.raises(DecompositionError, match=sentence):
        lab.decompose(op, *arguments)


def test_an_unknown_set_is_refused_before_anything_else() -> None:
    with pytest.raises(OptionError, match='pass one of "core_aten", "inductor", "prims"'):
        lab.decompose("aten.relu", torch.ones(1), to="xla")  # pyright: ignore[reportArgumentType]


def test_the_atlas_counts_what_is_installed() -> None:
    found = lab.atlas()
    levels = {level.title: level for level in found.levels}
    order = ["all namespaces", "ATen", "ATen, functional", "not composite"]
    counts = [levels[title].overloads for title in order]
    assert counts == sorted(counts, reverse=True)
    assert levels["core ATen"].overloads < levels["not composite"].overloads
    assert all(level.operators > 50 for level in found.levels)
    assert sum(entry.core for entry in found.operators) == levels["core ATen"].overloads
    assert sum(entry.overloads for entry in found.operators) == levels["ATen"].overloads
    [gelu] = [
        overload
        for overload in found["aten.gelu"].overloads
        if overload.name == "aten.gelu.default"
    ]
    assert gelu.rules["core_aten"] is None
    assert gelu.rules["prims"] is not None
    assert gelu.rules["prims"].name == "gelu"
    assert "core" in gelu.tags
    [sine] = found["prims.sin"].overloads
    assert sine.ends == {"core_aten": "no rule", "inductor": "set", "prims": "set"}
    assert "prims      in the set" in str(found["prims.sin"])
    names = [overload.name for overload in found["aten.sin"].overloads]
    assert names == ["aten.sin.default", "aten.sin.out"]  # not those of TorchScript
    with pytest.raises(DecompositionError, match="There is no operator"):
        found["aten.nope"]


def test_a_refusal_is_one_sentence_without_pytorch_s_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(DecompositionError, match="cannot be traced on these arguments"):
        lab.decompose("aten.mm", torch.zeros(8), torch.zeros(8))
    assert not caplog.records
