"""Passes as a list to step through: what each did, in the reader's words and as a diff."""

from collections.abc import Callable
from typing import get_args

from dynamo_lab.model.passes import Pass, Pattern, PatternKind
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.passes.descriptions import pass_sentence, pattern_sentence
from dynamo_lab.view.passes.passes import PassView

Make = Callable[[str], Recording]


def shown(item: PassView) -> list[str]:
    return [f"{line.sign}{line.name}" for hunk in item.hunks for line in hunk.lines]


def test_a_diff_shows_what_went_before_what_came(make: Make) -> None:
    passes = build(make("rewritten")).passes.passes
    assert shown(passes[0]) == [" w", " b", "-clone", "-mm", "+mm", " add", " output"]
    assert [hunk.skipped for hunk in passes[0].hunks] == [1]
    assert shown(passes[5]) == [" x", " w", "-mm", "-add", "+addmm", "-output", "+output"]


def test_a_node_that_moves_is_shown_where_it_was_and_where_it_is(make: Make) -> None:
    moved = build(make("rewritten")).passes.passes[3]
    assert shown(moved) == ["+b", " x", " w", "-b", " mm", " add"]
    assert [line.note for line in moved.hunks[0].lines if line.name == "b"] == ["moved", "moved"]


def test_nodes_lead_to_recorded_graphs_before_and_after(make: Make) -> None:
    passes = build(make("rewritten")).passes.passes
    entities = {line.name: line.entity for line in passes[5].hunks[0].lines if line.sign != " "}
    assert entities["mm"] == "node:1:4", "gone, so only in the graph before"
    assert entities["addmm"] == "node:2:3"


def test_lines_know_the_match_that_took_or_made_them(make: Make) -> None:
    item = build(make("rewritten")).passes.passes[5]
    matched = {line.name for line in item.hunks[0].lines if line.match == 0}
    assert matched == {"mm", "add", "addmm"}
    assert [line.sign + line.name for line in item.matches[0].lines] == ["-mm", "-add", "+addmm"]


def test_each_state_of_a_pass_has_its_words(make: Make) -> None:
    passes = build(make("rewritten")).passes.passes
    assert [item.state for item in passes] == [
        "did", "idle", "off", "did", "idle", "did", "idle", "failed",
    ]  # fmt: skip
    assert [item.summary for item in passes[:4]] == [
        "1 removed, 1 changed", "nothing", "disabled", "1 moved",
    ]  # fmt: skip
    assert passes[7].summary == "ValueError: no such node"
    assert passes[4].alone == ("`own` was found in 2 places and left as is.",)
    assert passes[5].depth == 1


def test_a_readers_own_pass_stands_under_its_own_name(make: Make) -> None:
    own = build(make("rewritten")).passes.passes[6]
    assert (own.title, own.own, own.entity) == ("double", True, "line:0:1")
    assert own.sentence == "Looks for something to double."


def test_pipelines_say_where_they_begin_and_end(make: Make) -> None:
    first, second = build(make("rewritten")).passes.pipelines
    assert (first.title, first.before, first.after) == ("graph 1 joint", "graph 1 forward", "")
    assert second.before == "the result of the joint passes"
    assert (second.after, second.graph, second.became) == ("graph 1 post_grad", 1, 2)
    assert (first.ran, first.did, second.did) == (3, 1, 1)
    assert second.summary.endswith("1 rewrite, 1 change between passes, 1 failed")


def test_the_counts_of_the_pipelines_make_up_the_list(make: Make) -> None:
    view = build(make("rewritten")).passes
    counted = sum(one.did + one.between + one.failed for one in view.pipelines)
    assert counted == sum(item.did for item in view.passes) == 4


def test_a_name_that_two_phases_share_means_another_thing_in_each() -> None:
    item = Pass(id=0, pipeline=0, name="pass_pattern_0", timed=True)
    assert "attention" in pass_sentence(item, "joint")
    assert "attention" not in pass_sentence(item, "post_grad")


def test_an_unknown_pass_is_told_in_its_own_words() -> None:
    item = Pass(id=0, pipeline=0, name="new_in_3_0", description="Does what is new.")
    assert pass_sentence(item, "joint") == "Does what is new."


def test_every_kind_of_pattern_has_a_sentence() -> None:
    for kind in get_args(PatternKind):
        assert pattern_sentence(Pattern(name="mine", kind=kind)).endswith(".")
