"""The passes of a plan in its recording: their diffs compose, and lead to the user's lines."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.errors import OptionError
from dynamo_lab.model.passes import apply, begun
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build
from tests.tiny.models import convolutions

pytestmark = pytest.mark.live

WAYS: dict[str, dict[str, Any]] = {
    "float32": {"update": {"point.weight": 0.5, "head.*": "all"}},
    "int8": {"update": "all", "dtype": "int8"},
}


@pytest.fixture(scope="module", params=WAYS, ids=str)
def plan(request: pytest.FixtureRequest) -> Any:
    model, sample = convolutions()
    return lab.tiny(model, sample, memory=None, **WAYS[request.param])


def test_the_diffs_lead_from_the_joint_graph_to_the_planned_one(plan: Any) -> None:
    recording = plan.recording
    (pipeline,) = recording.pipelines
    state: Any = begun(recording, pipeline)
    for item, ran in zip(recording.passes, plan.passes, strict=True):
        state = apply(state, item.changes)
        assert [node.name for node in state[""]] == [node.name for node in ran.after.graph.nodes]
        assert item.name == ran.name
        assert item.seconds > 0
    placed = {text.name: text.value for text in state[""] if " at " in text.value}
    offsets = {one.offset for one in plan.facts.values if one.offset is not None}
    assert offsets
    assert len(placed) >= len(offsets)


def test_lines_of_a_diff_are_nodes_of_the_joint_graph(plan: Any) -> None:
    view = build(plan.recording)
    index = {node.name: at for at, node in enumerate(plan.problem.joint.graph.nodes)}
    linked = 0
    for item, ran in zip(view.passes.passes, plan.passes, strict=True):
        for line in (line for hunk in item.hunks for line in hunk.lines):
            side = ran.before if line.sign == "-" else ran.after
            made_of = side.nodes[line.name].meta.get("joint", "") if line.op != "output" else ""
            if made_of:
                assert line.entity == f"node:0:{index[made_of]}"
                linked += 1
    assert linked > 50


def test_each_pass_says_what_it_won(plan: Any) -> None:
    view = build(plan.recording)
    passes = {item.name: item for item in view.passes.passes}
    memory, operations, products = passes["prune"].costs
    told = next(one for one in plan.facts.passes if one.name == "prune")
    assert (memory.before, memory.after) == (told.before.bytes, told.after.bytes)
    assert (operations.before, operations.after) == (
        told.before.operations,
        told.after.operations,
    )
    assert products.before == told.before.flops
    assert passes["arena"].costs[0].after == plan.facts.bytes
    assert "at 0" in " ".join(line.value for h in passes["arena"].hunks for line in h.lines)
    printed, page = render(view, sections=("passes",)), fallback(view, limit=500_000)
    for text in (printed, page):
        assert f"{memory.name} {memory.text}" in text
    assert memory.name.endswith("in int8") == (plan.facts.dtype == "int8")


def test_a_step_is_timed_before_and_after_each_pass_and_the_model_stays(plan: Any) -> None:
    _, sample = convolutions()
    before = {name: value.clone() for name, value in plan.model.named_parameters()}
    timed = plan.timed(*sample, rounds=1)
    for ran, one in zip(timed.passes, timed.facts.passes, strict=True):
        assert (one.after.seconds is None) == ran.after.is_integer
        assert (one.before.seconds is None) == ran.before.is_integer
    assert all(torch.equal(value, plan.model.get_parameter(k)) for k, value in before.items())
    (cost,) = build(timed.recording).passes.passes[0].costs[3:]
    assert cost.name == "a step in PyTorch on one thread"
    assert "step, one thread" in str(timed)
    assert "step, one thread" not in str(plan)
    with pytest.raises(OptionError, match="takes 2 tensors"):
        plan.timed(sample[0])
    with pytest.raises(OptionError, match="measures nothing"):
        plan.timed(*sample, rounds=0)
