"""Partitions as sentences and rows."""

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.autograd import (
    InputMutation,
    OutputAlias,
    Recomputed,
    SavedValue,
    kept_bytes,
)
from dynamo_lab.view import build
from dynamo_lab.view.autograd import reasons
from dynamo_lab.view.autograd.autograd import PartitionView
from dynamo_lab.view.core.names import plain_input
from dynamo_lab.view.findings.findings import found_of
from tests.view.samples import cut
from tests.view.samples.table import Table, graph


@pytest.fixture
def part() -> PartitionView:
    return build(cut()).partitions[0]


def value(**facts: Any) -> SavedValue:
    known = SavedValue(
        name="v", forward_node=0, backward_node=0, role="activation", bytes=8, storage=0
    )
    return replace(known, **facts)


def test_what_is_kept_is_told_in_numbers(part: PartitionView) -> None:
    told = " ".join(part.sentences)
    assert "saves 2 values for the backward, 256 B, besides 1 parameter or input" in told
    assert "1 operator, and 1 that costs nothing, run again" in told
    assert "1 kB, 768 B more" in told
    assert "budget was 0.8" in told
    assert "1 of them has a dynamic size: its bytes are of this run" in told


def test_a_copy_in_another_layout_is_saved_either_way() -> None:
    """PyTorch counts what is read before Inductor copies an input for the backward."""
    recording = cut()
    (known,) = recording.partitions
    copy = value(role="input", storage=9, bytes=64, copied=True)
    part = replace(known, saved=(*known.saved, copy))
    view = build(replace(recording, partitions=(part,))).partitions[0]
    assert view.unpartitioned_bytes == 1024 + 64
    assert "1.1 kB, 768 B more" in " ".join(view.sentences)


def test_kept_values_come_largest_first_and_living_ones_last(part: PartitionView) -> None:
    assert [row.name for row in part.saved] == ["mm", "view", "self.lin.weight"]
    kept, symbolic, parameter = part.saved
    assert (kept.bytes, kept.size, kept.price, kept.where) == (256, "256 B", "310 B", "line 2")
    assert "not among the operators that are cheap" in kept.why
    assert (symbolic.size, symbolic.why) == ("", "a reason of a later release")
    assert parameter.bytes == 0
    assert [cost.where for cost in part.lines] == ["line 2"]


def test_a_view_of_another_saved_value_counts_at_its_line_without_bytes() -> None:
    """`sum_1`, of line 3, is in the memory of `mm`, of line 2; `again` in that of a parameter."""
    recording = cut()
    part = recording.partitions[0]
    seen = value(name="sum_1", forward_node=4, bytes=256, storage=1)
    of_weight = value(name="again", forward_node=0, bytes=256, storage=0)
    found = replace(recording, partitions=(replace(part, saved=(*part.saved, seen, of_weight)),))
    rows = build(found).partitions[0].lines
    assert [(row.where, row.count, row.bytes, row.size) for row in rows] == [
        ("line 2", 1, 256, "256 B"),
        ("line 3", 1, 0, "shared"),
    ]


def test_mutations_and_views_name_the_inputs(part: PartitionView) -> None:
    written, seen = part.handled
    assert "writes to `x` in place" in written
    assert "Output 1 is a view of `self.lin.weight`" in seen


def _cache(copied_from: int | None, *, in_part: bool) -> Table:
    """A graph of two inputs that writes to the first: to a part of it, or all of it, or both."""
    made = Table()
    cache, new = made.input("primals_1"), made.input("primals_2")
    part = made.node("slice_1", "aten.slice.Tensor", cache)
    if in_part:
        made.node("copy__default", "aten.copy_.default", part, new)
    if copied_from is not None:
        made.node("copy_", "aten.copy_.default", cache, *([copied_from] if copied_from else []))
    made.output(new)
    return made


@pytest.mark.parametrize(
    ("generated", "told"),
    [
        ([_cache(None, in_part=True)], "and so does the generated code"),
        ([_cache(0, in_part=True)], "and so does the generated code"),  # a copy into itself
        ([_cache(2, in_part=False)], "ends with one copy into it"),
        ([_cache(None, in_part=True)] * 2, "ends with one copy into it"),  # whose is not known
        ([], "ends with one copy into it"),
    ],
)
def test_a_copy_that_inductor_took_out_again_is_not_told_as_one(
    generated: list[Table], told: str
) -> None:
    recording = cut()
    part = replace(recording.partitions[0], forward=4, saved=(), recomputed=())
    made = [_cache(2, in_part=False), *generated]
    stages = zip(range(4, 7), made, ("forward", "post_grad", "post_grad"), strict=False)
    graphs = (*recording.graphs[:4], *(graph(at, one, stage) for at, one, stage in stages))
    view = build(replace(recording, graphs=graphs, partitions=(part,))).partitions[0]
    assert told in view.handled[0]


def test_memory_that_values_share_counts_once_and_living_memory_not_at_all() -> None:
    shared = (value(bytes=8), value(bytes=6), value(storage=1, bytes=4))
    assert kept_bytes(shared) == 12
    assert kept_bytes((*shared, value(role="input", bytes=8))) == 4  # it shares the input's memory
    assert kept_bytes((value(role="input", bytes=8, copied=True),)) == 8
    assert kept_bytes((value(bytes=None),)) == 0


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"reason": "cannot recompute"}, "heuristic"),
        ({"weight": 3.0}, "cheapest place to cut"),
        ({}, "the backward reads it"),
        ({"role": "output", "weight": 3.0}, "also an output of the forward; the cheapest"),
        ({"role": "parameter", "copied": True}, "copy of the parameter in another memory layout"),
        ({"donated": True}, "donated, so the backward may overwrite it: the backward reads it"),
        ({"donated": False}, "the backward reads it"),
        ({"role": "symbol"}, "size that is known only at run time"),
        ({"reason": "cannot recompute: random op"}, "other numbers"),
        ({"reason": "cannot recompute: reduction op"}, "less than a quarter of what `mm` reads"),
    ],
)
def test_why_a_value_is_kept(facts: dict[str, Any], words: str) -> None:
    assert words in reasons.why_saved(value(**facts), "mm")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("must recompute: marked by checkpoint policy", "torch.utils.checkpoint"),
        ("cannot save: non-tensor output", "several results"),
        ("cannot save: a reason of a later release", "a reason of a later release"),
        ("", "cheap to run"),
    ],
)
def test_why_an_operator_runs_again(reason: str, words: str) -> None:
    item = Recomputed(name="n", forward_node=0, backward_node=0, bytes=1, reason=reason)
    assert words in reasons.computed_again(item)
    if not reason.startswith("must"):
        assert "computes nothing" in reasons.computed_again(replace(item, is_free=True))


def test_what_the_backward_reads_itself_is_told_from_what_it_computes_others_from() -> None:
    recording = cut()
    saved = tuple(replace(v, reason="", weight=3.0) for v in recording.partitions[0].saved)
    part = replace(recording.partitions[0], saved=saved)

    def why(part: Any) -> str:
        [view] = build(replace(recording, partitions=(part,))).partitions
        return next(row.why for row in view.saved if row.name == "mm")

    assert "the cheapest place to cut" in why(part)  # through the view, for what is run again
    read = tuple(item for item in part.recomputed if item.is_free)
    assert "the backward reads it itself" in why(replace(part, recomputed=read))


def test_a_forward_that_keeps_nothing_of_its_own_says_what_is_read() -> None:
    part = replace(cut().partitions[0], saved=(value(role="parameter"), value(role="symbol")))
    told = next(reasons.sentences(part))
    assert told == (
        "The forward saves nothing new for the backward, "
        "which reads 1 parameter or input that exists already."
    )


def test_every_kind_of_write_and_view_has_a_sentence() -> None:
    for change in ("data", "metadata", "storage"):
        for in_graph in (True, False):
            item = InputMutation(input=1, change=change, in_graph=in_graph)
            assert " an input" in reasons.mutation(item, "")
    assert "copies it back" in reasons.mutation(
        InputMutation(input=0, change="data", in_graph=False), "x"
    )
    assert "shares memory (of_a_later_release)" in reasons.alias(
        OutputAlias(output=0, kind="of_a_later_release"), ""
    )


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("l_x_", "x"),
        ("l_self_dict_modules_bn_buffers_running_mean_", "self.bn.running_mean"),
        ("l_self_modules_h_modules_0_modules_ln_parameters_weight_", "self.h.0.ln.weight"),
        ("g_lin_parameters_bias_", "lin.bias"),
        ("s0", "s0"),
    ],
)
def test_inputs_as_one_writes_them(name: str, plain: str) -> None:
    assert plain_input(name) == plain


def test_donated_values_are_told_with_what_they_rule_out() -> None:
    part = cut().partitions[0]
    given = tuple(replace(one, donated=one.name == "mm") for one in part.saved)
    view = build(replace(cut(), partitions=(replace(part, saved=given),))).partitions[0]
    assert (view.saved[0].name, view.saved[0].donated) == ("mm", True)
    [told] = [text for text in view.sentences if "donated" in text]
    assert told.startswith("1 of them is donated, 256 B: the backward may overwrite it.")
    assert "retain_graph" in told


def test_where_donations_are_unknown_nothing_is_said_of_them(part: PartitionView) -> None:
    assert {row.donated for row in part.saved} == {None}
    assert "donated" not in " ".join(part.sentences)


def test_a_name_of_aotautograds_own_is_not_told_as_the_programs() -> None:
    """Of two inputs in one memory, one of which is written to, it makes one, `primals_1`."""
    recording = cut()
    captured = Table()
    for name in ("l_a_", "l_b_", "l_w_"):
        captured.input(name)
    several = replace(recording, graphs=(graph(0, captured), *recording.graphs[1:]))
    told = build(several).partitions[0].handled
    assert told[0].startswith("The program writes to an input in place")
    assert "is a view of an input" in told[1]
    assert "primals" not in "".join(told)


def test_what_a_checkpoint_keeps_is_no_budgets_choice() -> None:
    def told(**facts: Any) -> list[str]:
        recording = cut()
        part = recording.partitions[0]
        large = value(bytes=4 << 20, held=4 << 20, forward_node=2, **facts)
        changed = replace(part, saved=(large,), budget=1.0)
        found = found_of(replace(recording, partitions=(changed,)))
        return [one.finding.rule for one in found if one.finding.rule == "saved-activations"]

    assert told() == ["saved-activations"]
    assert told(reason="cannot recompute: marked MUST_SAVE") == []
