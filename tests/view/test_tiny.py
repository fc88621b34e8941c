"""A planned training step made by hand: what is unknown stays unknown, and nothing needs torch."""

from __future__ import annotations

from msgspec import structs

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build
from tests.view.samples.tiny.planned import planned


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


def test_the_summary_is_of_a_step_and_of_no_compilation() -> None:
    summary = build(planned()).summary
    assert summary.sentence == (
        "A training step planned ahead of time: it needs 96 B of at most 64 B, and updates 50 % of "
        "the model's numbers; a full update needs 960 B."
    )
    assert [(count.value, count.label) for count in summary.counts] == [
        ("1", "updated parameter"),
        ("2", "operations"),
    ]


def test_a_plan_without_operations_is_shown_as_far_as_it_goes() -> None:
    known = planned()
    assert known.training is not None
    bare = structs.replace(known.training.plan, operations=(), values=())
    recording = structs.replace(known, training=structs.replace(known.training, plan=bare))
    assert "full update" in render(build(recording))
    assert "full update" in fallback(build(recording), limit=60_000)


def test_another_recording_has_none() -> None:
    assert build(Recording(title="")).training is None
