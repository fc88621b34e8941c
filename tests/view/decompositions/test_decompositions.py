from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.errors import OptionError
from dynamo_lab.model.decompositions import Call, Decompositions, Row, Rule, Step, Traced, Way
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.lowering import Autotuning, Candidate
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.decompositions.decompositions import DecompositionsView
from dynamo_lab.view.decompositions.leaves import Leaves
from dynamo_lab.view.decompositions.trees import refuse_unknown_set, walk
from tests.view.samples.table import Table, graph

Make = Callable[[str], Recording]
CORE, INDUCTOR, PRIMS = range(3)


@pytest.fixture
def view(make: Make) -> DecompositionsView:
    return build(make("decomposed")).decompositions


def test_operators_before_and_after_at_each_set(view: DecompositionsView) -> None:
    counts = {row.title: (row.operators, row.kinds) for row in view.counts}
    assert counts == {
        "Dynamo's graphs": (7, 7),
        "ATen, as traced": (4, 3),
        "core ATen": (4, 3),
        "Inductor": (6, 4),
        "prims": (6, 4),
    }


def test_operators_that_grow_come_first(view: DecompositionsView) -> None:
    rows = [(item.operator, item.times, item.became, item.rule) for item in view.operators]
    assert rows == [
        ("aten.gelu.default", 1, (1, 3, 3), 0),
        ("aten.add.Tensor", 2, (2, 2, 2), -1),
        ("aten.sum.default", 1, (1, 1, 1), -1),
    ]


def test_a_call_knows_its_nodes_and_its_line(view: DecompositionsView) -> None:
    gelu, add, _ = view.tops
    assert (gelu.nodes, gelu.where) == (((4, 1),), "model.py, line 6")
    assert (add.nodes, add.times, add.where) == (((4, 2),), 2, "line 1")


def test_a_tree_goes_as_deep_as_the_set(view: DecompositionsView) -> None:
    def told(to: int) -> list[tuple[int, str, str, str]]:
        lines = walk(view.trees, 0, to)
        return [(x.depth, x.name, x.operator, x.rule.name if x.rule else x.end) for x in lines]

    assert told(CORE) == [(0, "", "aten.gelu.default", "in the set")]
    assert told(INDUCTOR) == [
        (0, "", "aten.gelu.default", "gelu"),
        (1, "mul", "aten.mul.Tensor", "in the set"),
        (1, "mul_1", "aten.mul.Tensor", "in the set"),
        (1, "erf", "aten.erf.default", "in the set"),
    ]
    assert told(PRIMS)[2] == (2, "mul", "prims.mul.default", "in the set")
    assert told(PRIMS)[-1] == (1, "erf", "aten.erf.default", "its rule raised (RuntimeError: no)")
    assert len(list(walk(view.trees, 0, PRIMS, deepest=1))) == 4


def test_what_stays_without_a_rule(view: DecompositionsView) -> None:
    rows = [(row.operator, row.times, row.why) for row in view.no_rule]
    assert rows == [
        ("aten.sum.default", 1, "not prims: no rule"),
        ("aten.erf.default", 1, "not prims: its rule raised"),
    ]


def test_extern_kernels_are_those_that_ran_then_those_that_would(make: Make) -> None:
    recording = make("decomposed")
    extern = Kernel(id=2, name="extern_kernels.mm", language="extern", graph=5, wrapper=0, calls=3)
    found = build(replace(recording, kernels=(*recording.kernels, extern))).decompositions.extern
    assert [(row.operator, row.times, row.kernels) for row in found] == [
        ("aten.mm.default", 3, (2,)),
        ("aten.sum.default", 1, ()),
    ]
    assert found[0].why == "a library's kernel: its lowering calls it, and no other was timed"
    assert found[1].why == "no lowering in Inductor; no kernel of it was recorded"


LIBRARY = "a library's kernel"
NOTHING_TIMED = "its lowering calls it, and no other was timed"


def _why(recording: Recording, kernel: Kernel, *timed: Autotuning) -> str:
    kernels = (*recording.kernels, kernel)
    found = build(replace(recording, kernels=kernels, autotunings=timed)).decompositions
    [row] = [row for row in found.extern if row.kernels == (kernel.id,)]
    return row.why


@pytest.mark.parametrize(
    ("timed", "why"),
    [
        ({}, f"{LIBRARY}: {NOTHING_TIMED}"),
        ({1: 2}, f"{LIBRARY}: 1 of 2 calls chosen among 2 candidates"),
        ({0: 2, 1: 2}, f"{LIBRARY}, chosen among 2 candidates"),
        ({0: 5, 1: 2}, f"{LIBRARY}, chosen among 2 to 5 candidates"),
    ],
)
def test_a_library_kernel_was_chosen_only_where_candidates_were_timed(
    make: Make, timed: dict[int, int], why: str
) -> None:
    """Two products of one graph are one kernel that is called twice; each is tuned by itself."""
    mm = Kernel(
        id=2,
        name="extern_kernels.mm",
        language="extern",
        graph=5,
        wrapper=0,
        nodes=(0, 1),
        calls=2,
    )
    assert _why(make("decomposed"), mm, *(_tuned(*one) for one in timed.items())) == why


def _tuned(node: int, count: int) -> Autotuning:
    candidates = tuple(Candidate(name=f"mm_{at}", is_template=at > 0) for at in range(count))
    return Autotuning(operator="mm", graph=5, node=node, candidates=candidates, chosen=0)


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("torch.ops.aten.cumsum.default", "PyTorch's own kernel"),
        ("torch.ops.mkl._mkl_linear.default", LIBRARY),
        ("torch.ops.mkldnn._linear_pointwise", LIBRARY),
        ("torch.ops.mylib.foo.default", "an existing kernel"),
    ],
)
def test_a_kernel_is_pytorchs_own_only_where_it_is_known_to_be(
    make: Make, name: str, whose: str
) -> None:
    """`cumsum` has a lowering, which found nothing to write; oneDNN's products can be tuned."""
    one = Kernel(id=2, name=name, language="extern", graph=5, wrapper=0, nodes=(1,))
    assert _why(make("decomposed"), one) == f"{whose}: {NOTHING_TIMED}"
    assert _why(make("decomposed"), one, _tuned(1, 2)) == f"{whose}, chosen among 2 candidates"


def test_what_inductor_never_saw_is_no_extern_kernel(make: Make) -> None:
    """A graph that was lowered without `sum`: it became something else before."""
    recording = make("decomposed")
    table = Table()
    table.output(table.input("x"))
    after = [g.id for g in recording.graphs if g.stage == "post_grad"]
    lowered = [graph(g.id, table, g.stage) if g.id in after else g for g in recording.graphs]
    found = build(replace(recording, graphs=tuple(lowered), kernels=()))
    assert after
    assert found.decompositions.extern == ()


def test_a_recording_without_them_says_why(make: Make) -> None:
    assert "No graph was captured" in build(make("skipped")).decompositions.empty
    assert "`lab.decompose`" in build(make("branch_and_print")).decompositions.empty


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(OptionError, match="There is no set of operators 'xla'"):
        refuse_unknown_set("xla")


def test_trees_that_double_at_each_level_are_counted_not_walked() -> None:
    depth = 3000
    calls = tuple(
        Call(operator="aten.add.Tensor", arguments="", ways=(Way(step=i),) * 3)
        for i in range(depth)
    )
    end = Call(operator="prims.add.default", arguments="", ways=(Way(end="set"),) * 3)
    steps = tuple(
        Step(call=i, rule=0, rows=(Row(call=i + 1, name="a", arguments=""),) * 2)
        for i in range(depth)
    )
    rule = Rule(kind="registered", name="add")
    facts = Decompositions(
        traced=(Traced(call=0),), calls=(*calls, end), steps=steps, rules=(rule,)
    )
    leaves = Leaves(facts)
    assert leaves.of(0, PRIMS) == 10**9
    assert leaves.operators(PRIMS)["prims.add.default"] == 10**9
