"""The memory of a planned step: what lives when and where it comes from, and other updates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec import structs

import dynamo_lab as lab
from dynamo_lab.api.handle import answer
from dynamo_lab.api.tiny.plan import SHARES
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build
from dynamo_lab.view.view import View
from tests.tiny.models import convolutions

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.api.tiny.plan import Plan
    from dynamo_lab.model.tiny import TinyPlan

pytestmark = pytest.mark.live

UPDATE = {"head.*": "all", "point.weight": 0.5}


@pytest.fixture(scope="module")
def plan() -> Plan:
    model, sample = convolutions()
    momentum = {"lr": 0.1, "momentum": 0.9}
    return lab.tiny(model, sample, update=UPDATE, optimizer=momentum, memory="6 kB")


def alive(facts: TinyPlan, at: int) -> int:
    return sum(value.bytes for value in facts.values if value.start <= at <= value.end)


def test_lives_add_up_to_what_is_alive_during_each_operation(plan: Plan) -> None:
    facts = plan.facts
    assert [alive(facts, at) for at in range(len(facts.operations))] == [
        operation.bytes for operation in facts.operations
    ]
    peak = max(operation.bytes for operation in facts.operations)
    assert peak == facts.bars[-1].bytes == facts.alive + facts.resident
    assert {operation.phase for operation in facts.operations} == {"forward", "backward", "update"}


def test_values_that_live_together_have_places_of_their_own(plan: Plan) -> None:
    placed = [value for value in plan.facts.values if value.offset is not None]
    for k, one in enumerate(placed):
        for other in placed[k + 1 :]:
            if one.start <= other.end and other.start <= one.end:
                assert one.offset is not None
                assert other.offset is not None
                first, second = sorted((one, other), key=lambda value: value.offset or 0)
                assert (first.offset or 0) + first.bytes <= (second.offset or 0), (one, other)
    assert max((v.offset or 0) + v.bytes for v in placed) <= plan.facts.arena


def test_each_kind_is_there_and_knows_its_line_and_module(plan: Plan) -> None:
    shown = build(plan.recording).training
    assert shown is not None
    lives = {life.name: life for life in shown.plan.lives}
    assert lives["input"].kind == "sample"
    assert lives["momentum of head.weight"].kind == "state"
    weight, gradient = lives["point.weight"], lives["conv_weight_grad_1"]
    assert (weight.kind, gradient.kind) == ("weight", "gradient")
    assert weight.place.startswith("point, ")
    assert gradient.place == weight.place
    node = plan.recording.graphs[0].nodes[int(gradient.entity.split(":")[2])]
    assert node.target == "aten.convolution_backward.default"
    spans = [plan.recording.spans[s] for s in plan.recording.stacks[node.stack or 0]]
    line = plan.recording.sources[spans[-1].source].line(spans[-1].line)
    assert line is not None
    assert "self.point(inner)" in line


def test_the_state_counts_before_the_update_is_in_the_graph(plan: Plan) -> None:
    full, sparse, reordered = plan.facts.bars
    assert full.state == full.weights  # a number for each that is updated
    assert sparse.state == reordered.state > 0
    assert sparse.bytes >= reordered.bytes


def test_another_update_is_what_a_new_plan_would_be(plan: Plan) -> None:
    model, sample = convolutions()
    fresh = lab.tiny(
        model, sample, update="bias", optimizer={"lr": 0.1, "momentum": 0.9}, memory="6 kB"
    )
    again = plan.replanned("bias")
    assert again.facts == fresh.facts
    assert plan.replanned(UPDATE).facts == plan.facts
    above = plan.replanned("all").facts
    assert above.limit is not None
    assert above.bytes > above.limit  # said, not refused


def test_a_view_is_answered_while_the_model_lives(plan: Plan, tmp_path: Path) -> None:
    found = answer(plan.recording, "replan", {"update": {"point.weight": 0.25}})
    wanted = build(plan.replanned({"point.weight": 0.25}).recording)
    assert wanted.training is not None
    shown = msgspec.convert(found["answer"], View)
    assert shown.training is not None
    assert shown.training == wanted.training
    assert shown.training.plan.headline == shown.summary.sentence
    assert shown.training.plan.counts == shown.summary.counts
    last = shown.passes.passes[-1]  # the passes are that plan's, too
    assert [cost.after for cost in last.costs] == [
        cost.after for cost in wanted.passes.passes[-1].costs
    ]
    assert last.costs[0].after == shown.training.plan.bytes != plan.facts.bytes
    assert "selects no parameter" in answer(plan.recording, "replan", {"update": {}})["error"]
    assert "nearest name" in answer(plan.recording, "replan", {"update": {"no": 1.0}})["error"]
    plan.recording.save(tmp_path / "plan.json")
    loaded = lab.load(tmp_path / "plan.json")
    assert "lives no more" in answer(loaded, "replan", {"update": {"head.*": "all"}})["error"]
    assert build(loaded).training == build(plan.recording).training


def test_a_page_has_plans_of_other_updates(plan: Plan, tmp_path: Path) -> None:
    choices = tuple(plan.choices())
    assert {choice.layers for choice in choices} == {0, 1, 2, 3, 4}
    assert {choice.share for choice in choices if choice.layers == 2} == set(SHARES)
    by_choice = {(choice.layers, choice.share): choice.plan.bytes for choice in choices}
    assert by_choice[4, 1.0] > by_choice[4, 0.25]
    assert by_choice[4, 1.0] > by_choice[1, 1.0]
    training = plan.recording.training
    assert training is not None
    known = structs.replace(plan.recording, training=structs.replace(training, choices=choices))
    shown = build(known).training
    assert shown is not None
    assert [choice.plan.bytes for choice in shown.choices] == list(by_choice.values())
    plan.to_html(tmp_path / "plan.html")
    assert "sparse, reordered" in (tmp_path / "plan.html").read_text("utf-8")


def test_a_terminal_shows_bars_operations_and_lives(plan: Plan) -> None:
    brief = str(plan.recording)
    for words in ("full update", "limit", "Alive at step", "point, ", "updated parameters"):
        assert words in brief
    whole = render(build(plan.recording), sections=["memory"])
    for value in plan.facts.values:
        assert value.name in whole
    bundle = plan._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert "memory during each operation" in bundle["text/html"]
    assert "<script" not in bundle["text/html"]


def test_the_gradient_of_a_loss_is_no_activation_whatever_it_reads() -> None:
    model, (x, _) = convolutions()
    plan = lab.tiny(
        model,
        (x, x.new_zeros(2, 4)),
        loss=lambda out, y: (out - y).square().mean(),
        update="head.*",
        memory=None,
    )
    after = next(at for at, one in enumerate(plan.facts.operations) if one.phase != "forward")
    kinds = {value.kind for value in plan.facts.values if value.start >= after}
    assert kinds == {"gradient"}
    assert [one.phase for one in plan.facts.operations[:after]] == ["forward"] * after
