"""A planned training step made by hand: what is unknown stays unknown, and nothing needs torch."""

from __future__ import annotations

from msgspec import structs

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.tiny import (
    TinyBar,
    TinyOperation,
    TinyParameter,
    TinyPlan,
    TinyValue,
    Training,
)
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build
from tests.view.samples.table import Table, graph


def training() -> Recording:
    table = Table()
    weight = table.input("weight")
    product = table.node("mm", "aten.mm.default", weight, module="head")
    table.output(product)
    bar = TinyBar(
        name="sparse", bytes=96, weights=32, state=0, sample=0, activations=64, gradients=0
    )
    plan = TinyPlan(
        precision="float32",
        passes=(),
        bars=(structs.replace(bar, name="full update", bytes=960, gradients=864), bar),
        limit=64,
        arena=64,
        alive=64,
        order_bound=48,
        resident=32,
        frozen=0,
        parameters=16,
        updated=8,
        updated_tensors=1,
        peak_at="mm",
        operations=(
            TinyOperation(name="mm", phase="forward", bytes=96, node=product),
            TinyOperation(name="sgd_", phase="update", bytes=32),
        ),
        values=(
            TinyValue(name="head.weight", kind="weight", bytes=32, start=0, end=1, node=weight),
            TinyValue(name="mm", kind="activation", bytes=64, start=0, end=0, offset=0),
        ),
        trainable=(TinyParameter(name="head.weight", elements=16, channels=4, updated=0.5),),
    )
    joint = structs.replace(graph(0, table, "joint"), frame=None)
    return Recording(title="step", graphs=(joint,), training=Training(graph=0, plan=plan))


def test_parts_follow_from_lives_and_the_peak_is_the_highest() -> None:
    shown = build(training()).training
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
    summary = build(training()).summary
    assert summary.sentence == (
        "A training step planned ahead of time: it needs 96 B of at most 64 B, and updates 50 % of "
        "the model's numbers; a full update needs 960 B."
    )
    assert [(count.value, count.label) for count in summary.counts] == [
        ("1", "updated parameter"),
        ("2", "operations"),
    ]


def test_a_plan_without_operations_is_shown_as_far_as_it_goes() -> None:
    known = training()
    assert known.training is not None
    bare = structs.replace(known.training.plan, operations=(), values=())
    recording = structs.replace(known, training=structs.replace(known.training, plan=bare))
    assert "full update" in render(build(recording))
    assert "full update" in fallback(build(recording), limit=60_000)


def test_another_recording_has_none() -> None:
    assert build(Recording(title="")).training is None
