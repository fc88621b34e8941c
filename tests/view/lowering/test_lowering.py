from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.lowering import Buffer, Cause, Why
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.lowering.causes import stored
from dynamo_lab.view.lowering.lowering import LoweringStep, LoweringsView
from dynamo_lab.view.related import related

Make = Callable[[str], Recording]


@pytest.fixture
def found(make: Make) -> LoweringsView:
    return build(make("lowered")).lowering


def step(found: LoweringsView, name: str) -> LoweringStep:
    return next(step for step in found.lowerings[0].steps if step.name == name)


def test_every_operator_is_a_step_with_what_became_of_it(found: LoweringsView) -> None:
    (lowering,) = found.lowerings
    assert [step.outcome for step in lowering.steps] == [
        "input", "extern", "realised", "inlined", "realised", "realised", "fallback", "part",
        "output",
    ]  # fmt: skip
    assert lowering.summary == "7 operators became 6 buffers"
    assert dict(lowering.counts) == {
        "inlined": 1, "realised": 3, "extern": 1, "fallback": 1, "part": 1,
    }  # fmt: skip


def test_an_inlined_operator_names_the_loops_that_compute_it(found: LoweringsView) -> None:
    exp = step(found, "exp")
    assert exp.ended == (2, 3)
    assert exp.sentence == ("A loop that is not stored: it is computed inside `buf2` and `buf3`.")
    assert (exp.rule, exp.place) == ("make_pointwise", "torch/_inductor/lowering.py:719")
    assert (exp.where, exp.entity) == ("line 3", "line:0:3")


def test_no_loop_is_said_to_be_folded_where_lowering_failed(make: Make) -> None:
    recording = make("lowered")
    [lowering] = recording.lowerings
    exp = next(row for row in lowering.nodes if row.outcome == "inlined")
    failed = replace(exp, node=exp.node + 1, outcome="failed", error="RuntimeError: none")
    cut = replace(lowering, nodes=(exp, failed))
    view = build(replace(recording, lowerings=(cut,), buffers=())).lowering
    assert step(view, "exp").sentence == "A loop that was not stored when lowering failed."


def test_a_loop_that_is_stored_afterwards(make: Make) -> None:
    sample = make("lowered")
    (lowering,) = sample.lowerings
    nodes = tuple(
        replace(row, outcome="inlined", buffers=()) if row.node == 2 else row
        for row in lowering.nodes
    )
    late = replace(sample, lowerings=(replace(lowering, nodes=nodes),))
    add = step(build(late).lowering, "add")
    assert add.outcome == "realised"
    assert add.sentence.startswith("Stored only later, when `add` was lowered, as `buf1`. ")


def test_what_is_stored_on_the_way_is_not_stored_later(make: Make) -> None:
    sample = make("lowered")
    (lowering,) = sample.lowerings
    nodes = tuple(
        replace(row, outcome="inlined", buffers=(2,)) if row.node == 3 else row
        for row in lowering.nodes
    )
    made = build(replace(sample, lowerings=(replace(lowering, nodes=nodes),)))
    assert step(made.lowering, "exp").sentence == (
        "It stores `buf2` on the way. A loop that is not stored: it is computed inside `buf3`."
    )


def test_what_is_called_says_why(found: LoweringsView) -> None:
    assert step(found, "mm").sentence.startswith("`buf0`: A library does this")
    assert "leaves this operator to PyTorch's own kernel" in step(found, "linalg_inv_ex").sentence
    assert [(item.kernel, item.times) for item in found.called] == [
        ("extern_kernels.mm", 1),
        ("torch.ops.aten.linalg_inv_ex.default", 1),
    ]


def test_buffers_know_their_readers_and_their_loops(found: LoweringsView) -> None:
    add, total, div = found.buffers[1:4]
    assert add.readers == (2, 3, 4)
    assert add.value == "f32[8, 8]"
    assert add.layout == "contiguous, chosen by Inductor"
    assert div.layout == "contiguous, as required"
    assert total.loops == (("i0", "8"), ("r0", "8"))
    assert total.reduction == "sum"
    assert [line[2] for line in total.body] == [3, 3, 4, 4]


def test_a_dropped_buffer_says_so_and_computes_nothing(found: LoweringsView) -> None:
    assert found.buffers[5].dropped
    assert found.buffers[5].why.endswith("Nothing needs it, so the scheduler removes it.")
    assert found.buffers[4].readers == ()
    assert step(found, "linalg_inv_ex").ended == (4,)


def test_what_the_scheduler_removes_is_not_said_to_be_called(make: Make) -> None:
    recording = make("lowered")
    buffers = tuple(replace(buffer, dropped=True) for buffer in recording.buffers)
    told = [buffer.why for buffer in build(replace(recording, buffers=buffers)).lowering.buffers]
    assert any("would be called. Nothing needs it" in why for why in told)
    assert not any("is called." in why for why in told)


def test_operators_of_the_loops_are_counted(found: LoweringsView) -> None:
    counts = {item.name: (item.count, item.buffers) for item in found.operators}
    assert counts["load"] == (4, 3)
    assert counts["exp"] == (2, 2)
    assert found.operators[0].text == "reads an element of a buffer"


def test_a_buffer_stands_between_its_nodes_and_its_kernel(make: Make) -> None:
    view = build(make("lowered"))
    assert related(view, "buffer:2") == {"buffer:2", "node:1:3", "node:1:4", "line:0:3", "kernel:1"}
    assert "buffer:3" in related(view, "node:1:3")


def test_a_kernel_finds_the_buffers_of_bodies_in_its_graph(make: Make) -> None:
    sample = make("lowered")
    body = replace(sample.graphs[1], id=2, parent=1)
    within = replace(sample.buffers[0], id=6, graph=2, name="true_graph_0_buf0")
    kernel = replace(sample.kernels[1], buffers=("true_graph_0_buf0",))
    made = replace(
        sample,
        graphs=(*sample.graphs, body),
        buffers=(*sample.buffers, within),
        kernels=(sample.kernels[0], kernel),
    )
    assert "kernel:1" in related(build(made), "buffer:6")


def test_nothing_lowered_has_a_reason(make: Make) -> None:
    assert "Nothing" not in build(make("skipped")).lowering.empty
    assert build(make("skipped")).lowering.empty.startswith("No graph was captured")


BUFFER = Buffer(id=0, name="buf0", graph=0, kind="pointwise", form="Pointwise")


@pytest.mark.parametrize(
    ("why", "wanted"),
    [
        (
            Why(cause="heavy reuse", by="exp", users=2),
            "2 operators read it, and `exp` is expensive",
        ),
        (Why(cause="reads reuse", users=3, count=5, limit=4), "3 operators read it, and its loop"),
        (
            Why(cause="large reuse", by="expand", users=16, count=60, limit=50),
            "`expand` reads each element 16 times, and its loop does 60 operations: beyond 50",
        ),
        (Why(cause="many reads", count=13, limit=12), "Its loop reads 13 buffers: beyond 12"),
        (Why(cause="large", count=101, limit=100), "Its loop does 101 operations: beyond 100"),
        (Why(cause="read again", by="mm", users=2), "2 operators read it, among them `mm`"),
        (Why(cause="needed"), "`conv` reads it from memory"),
        (Why(cause="strides"), "`conv` needs it in memory with certain strides"),
        (Why(cause="copy"), "A copy, because `conv` needs different strides"),
        (Why(cause="mutated", by="arg0_1"), "`arg0_1` is about to be changed in place"),
        (Why(cause="rule", by="var_mean_sum_"), "The lowering rule of `conv` requires it, in `var"),
        (Why(cause="scan"), "Inductor stores the results of scans and sorts"),
        (Why(cause="joined"), "It is part of a larger buffer"),
        (Why(cause="in place"), "It is written in place over existing memory"),
    ],
)
def test_reasons_are_sentences_with_their_numbers(why: Why, wanted: str) -> None:
    text = stored(replace(BUFFER, why=why), "conv", "Inductor")
    assert text.startswith(wanted)
    assert text.endswith(".")


def test_strides_that_a_reader_needs_are_no_copy() -> None:
    own = replace(BUFFER, during=3, nodes=(3,))
    for cause in ("copy", "strides"):
        text = stored(replace(own, why=Why(cause=cause)), "mul", "Inductor")
        assert text == "An operator that reads `mul` needs it in memory with certain strides."
    of_a_rule = replace(own, why=Why(cause="copy", by="convolution"))
    assert stored(of_a_rule, "conv", "Inductor").startswith("A copy, because `conv`")


@pytest.mark.parametrize(
    ("form", "kernel", "wanted"),
    [
        ("ExternKernelOut", "extern_kernels.mm", "A library does this"),
        ("WhileLoop", "", "The wrapper runs this: its bodies are lowered as separate graphs"),
        ("AssertScalar", "", "The wrapper does this"),
    ],
)
def test_who_does_what_is_no_loop(form: str, kernel: str, wanted: str) -> None:
    assert stored(
        replace(BUFFER, kind="extern", form=form, kernel=kernel), "", "Inductor"
    ).startswith(wanted)


def test_fallbacks_differ_in_their_reasons() -> None:
    causes: tuple[Cause, ...] = ("unsupported", "unknown", "listed", "asked", "rule")
    made = (replace(BUFFER, kind="fallback", why=Why(cause=cause)) for cause in causes)
    assert len({stored(buffer, "", "Inductor") for buffer in made}) == len(causes)


def test_sentences_name_the_compiler() -> None:
    loop = replace(BUFFER, why=Why(cause="reduction"))
    left = replace(BUFFER, kind="fallback", why=Why(cause="refusal", by="no rule"))
    assert stored(loop, "", "lab").startswith("lab stores reductions")
    assert stored(left, "", "lab").startswith("lab left it to PyTorch's own kernel: no rule.")
