"""A planned training step made by hand: what is unknown stays unknown, and nothing needs torch."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.tiny import StepMeasure
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.render.terminal import render
from dynamo_lab.render.terminal.tiny import plan_text
from dynamo_lab.view import build
from dynamo_lab.view.tiny.answer import answers
from dynamo_lab.view.tiny.tiny import told, took
from tests.view.samples.tiny.planned import planned, stepped


def test_parts_follow_from_lives_and_the_peak_is_the_highest() -> None:
    shown = build(planned()).training
    assert shown is not None
    plan = shown.plan
    assert [step.parts for step in plan.steps] == [(32, 0, 0, 64, 0), (32, 0, 0, 0, 0)]
    assert plan.peak == 0
    assert [bar.told for bar in plan.bars] == ["", "10.0 times less"]
    assert [life.entity for life in plan.lives] == ["node:0:0", ""]
    assert [life.offset for life in plan.lives] == [-1, 0]
    assert plan.sentences[0] == "The step needs 96 B, above the limit of 64 B."
    assert "not known: none needs less than 48 B" in plan.sentences[-1]
    assert [one.module for one in plan.parameters] == ["head"]


def test_what_the_arena_adds_to_what_is_alive_is_said_beside_the_last_bar() -> None:
    known = planned().training
    assert known is not None
    assert list(told(known.plan)) == ["", "10.0 times less"]
    wider = structs.replace(known.plan, arena=80)
    assert list(told(wider)) == ["", "10.0 times less, with gaps 112 B"]
    assert "with gaps 112 B" in plan_text(wider)


def test_the_summary_is_of_a_step_and_of_no_compilation() -> None:
    summary = build(planned()).summary
    assert summary.sentence == (
        "A training step planned ahead of time: it needs 96 B, above the limit of 64 B; it updates "
        "50 % of the model's numbers; a full update needs 960 B."
    )
    assert [(count.value, count.label) for count in summary.counts] == [
        ("1", "updated parameter"),
        ("2", "operations"),
    ]


def test_the_answer_comes_first_and_leads_to_where_it_is_shown() -> None:
    recording = stepped()
    view = build(recording)
    assert view.training is not None
    told = {one.name: one.facts for one in view.training.plan.answers}
    assert [(one.text, one.tab) for one in told["limit"]] == [
        ("Not met: 96 B of 64 B, 32 B too many.", "memory")
    ]
    first, *others = told["largest at the peak"]
    assert first.text.endswith("activation of 64 B, 67 % of all")
    assert [one.entity for one in (first, *others)] == ["", "node:0:0"]
    won = [(one.text, one.tab) for one in told["won by passes"]]
    assert won[0][0].startswith("All: 960 B to ")
    assert {tab for _, tab in won} == {"passes"}
    printed, page = render(view, sections=("summary",)), fallback(view, limit=60_000)
    for text in (printed, page):
        assert "Not met: 96 B of 64 B" in text
        assert "won by passes" in text


def test_a_limit_that_is_met_says_what_is_left_and_none_is_no_verdict() -> None:
    known = planned().training
    assert known is not None
    met = list(answers(structs.replace(known.plan, limit=100), ()))
    assert [one.facts[0].text for one in met] == ["Met: 96 B of 100 B, 4 B are left."]
    (none,) = answers(structs.replace(known.plan, limit=None), ())
    assert none.facts[0].text.startswith("None was given for the 96 B")


def test_a_plan_without_operations_is_shown_as_far_as_it_goes() -> None:
    known = planned()
    assert known.training is not None
    bare = structs.replace(known.training.plan, operations=(), values=())
    recording = structs.replace(known, training=structs.replace(known.training, plan=bare))
    assert "full update" in render(build(recording))
    assert "full update" in fallback(build(recording), limit=60_000)


def test_another_recording_has_none() -> None:
    assert build(Recording(title="")).training is None


def test_a_pass_of_a_planned_step_says_what_it_won() -> None:
    view = build(stepped())
    first, second = view.passes.passes
    assert [(cost.name, cost.text) for cost in first.costs] == [
        ("memory at the worst moment", "960 B → 480 B"),
        ("operations", "3"),
        ("products", "64 kFLOP"),
        ("a step in PyTorch on one thread", "unknown → 2.0 ms"),
    ]
    assert [cost.text for cost in second.costs[1:]] == [
        "3 → 2",
        "64 kFLOP → unknown",
        "2.0 ms → unknown",
    ]
    assert second.costs[2].after is None
    (pipeline,) = view.passes.pipelines
    assert pipeline.title == "training step"
    printed = render(view, sections=("passes",))
    assert "memory at the worst moment 960 B → 480 B, operations 3" in printed
    assert "1 added; 960 B → 480 B" in render(view)


def test_a_name_that_a_pass_gives_to_another_node_leads_to_what_that_was_made_of() -> None:
    first, second = build(stepped()).passes.passes
    ends = [
        [(line.sign, line.name, line.entity) for hunk in item.hunks for line in hunk.lines][1:3]
        for item in (first, second)
    ]
    assert ends == [
        [("-", "mm", "node:0:1"), ("+", "made", "node:0:1")],
        [("-", "made", "node:0:1"), ("+", "made", "")],
    ]


def test_passes_of_a_compilation_have_no_costs(make: Any) -> None:
    assert all(item.costs == () for item in build(make("rewritten")).passes.passes)


def test_a_time_that_varies_by_much_is_said_as_a_range() -> None:
    measure = StepMeasure(bytes=1, resident=0, operations=1, flops=1, seconds=(0.001, 0.002, 0.004))
    assert took(measure) == "1.0 ms to 4.0 ms"
