"""A program that is lowered again from its view: how the switches stand, what came of it."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.api.handle import answer
from dynamo_lab.api.recording import Recording, run
from dynamo_lab.errors import DynamoLabError, LoweringError, OptionError
from dynamo_lab.live.switches import SwitchState, ask
from dynamo_lab.model.core import codec
from dynamo_lab.view.compare.side_by_side import together


def two_reductions(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = torch.relu(x) + 1
    return h.softmax(-1) * 2, h.sum(0).sin()


@pytest.fixture(scope="module")
def own() -> Recording:
    return lab.lower(two_reductions, torch.ones(16, 32), target="cuda:sm_90")


def switch(recording: Recording, name: str, target: str = "", **chosen: Any) -> SwitchState:
    found = ask(recording, recording.session, target, chosen)
    return {one.name: one for one in found.switches}[name]


def test_the_switches_stand_as_the_settings_do(own: Recording) -> None:
    from torch._inductor import config

    assert switch(own, "max_fusion_size").value == config.max_fusion_size
    with config.patch(max_fusion_size=7):
        found = switch(own, "max_fusion_size")
    assert (found.value, found.values[0], found.is_count) == (7, 7, True)


def test_they_stand_as_was_chosen(own: Recording) -> None:
    assert switch(own, "max_fusion_size", max_fusion_size=2).value == 2
    again = own.relower(max_fusion_size=2)
    assert switch(again, "max_fusion_size").value == 2
    tuned = switch(own, "mode", mode="max-autotune")
    assert tuned.value == "max-autotune"
    assert switch(own, "dynamic").value is None


def test_only_those_that_matter_for_the_target_are_offered(own: Recording) -> None:
    gpu, cpu = ask(own, own.session, "", {}), ask(own, own.session, "cpu", {})
    assert (gpu.target, cpu.target) == ("cuda:sm_90", "cpu")
    names = [{one.name for one in panel.switches} for panel in (gpu, cpu)]
    assert "combo_kernels" in names[0] - names[1]
    assert "vector_bits" in names[1] - names[0]
    assert ("cuda:sm_90", "cuda:sm_90 (NVIDIA H100)") in gpu.targets


def test_what_cannot_be_asked_is_a_sentence(own: Recording) -> None:
    loaded = codec.decode(codec.encode(own), Recording)
    asked = {"target": "", "switches": {}}
    assert "There is no program to lower again" in answer(loaded, "switches", asked)["error"]
    with pytest.raises(OptionError, match="There is no switch"):
        ask(own, own.session, "", {"fuse": 1})
    with pytest.raises(OptionError, match="There is no target"):
        ask(own, own.session, "tpu", {})


def test_a_run_makes_a_recording_under_a_label_that_says_how(own: Recording) -> None:
    asked = {"target": "cuda:sm_80", "switches": {"max_fusion_size": 1}}
    label, outcome, made = run(own, "relower", asked)
    assert (label, outcome) == ("cuda:sm_80 max_fusion_size=1", {"failure": ""})
    assert made.target == "cuda:sm_80"
    assert len(made.kernels) > len(own.kernels)


def test_a_run_leaves_no_trace_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    total = torch.zeros(4)

    def counts(x: torch.Tensor) -> torch.Tensor:
        print("counting")
        total.add_(x)
        return total * 2

    made = lab.lower(counts, torch.ones(4))
    assert capsys.readouterr().out == "counting\n"
    before = total.clone()
    run(made, "relower", {"target": "", "switches": {}})
    assert capsys.readouterr().out == ""
    assert torch.equal(total, before)


def test_what_cannot_be_run_is_a_sentence(own: Recording) -> None:
    loaded = codec.decode(codec.encode(own), Recording)
    with pytest.raises(LoweringError, match="There is no program to lower again"):
        run(loaded, "relower", {"target": "", "switches": {}})
    for what, asked in (("dance", {}), ("relower", {"target": 3}), ("try_fix", {"break": "0"})):
        with pytest.raises(DynamoLabError, match="cannot do"):
            run(own, what, asked)


def test_each_kernel_has_its_counterpart(own: Recording) -> None:
    apart = own.relower(max_fusion_size=1)
    cpu = own.relower(target="cpu")
    for pair in together({"own": own, "apart": apart, "cpu": cpu}).pairs:
        assert all((work.a and work.b) or work.inside for work in pair.works)
        assert any(len(work.a) != len(work.b) for work in pair.works)


def test_forward_and_backward_are_told_apart() -> None:
    x = torch.ones(8, 8, requires_grad=True)
    own = lab.lower(lambda x: torch.relu(x).sin().sum(), x, target="cuda:sm_90", grad=True)
    [pair] = together({"own": own, "again": own.relower(max_fusion_size=1)}).pairs
    backward = {graph.id for graph in own.graphs if graph.is_backward}
    for work in pair.works:
        assert len({own.kernels[k].graph in backward for k in work.a}) == 1


def test_the_same_program_differs_in_nothing(own: Recording) -> None:
    same = lab.diff(own, own.relower())
    assert same.became == ()


def test_a_diff_tells_which_kernels_became_which(own: Recording) -> None:
    found = lab.diff(own, own.relower(max_fusion_size=1))
    assert any("became" in change.sentence for change in found.became)
    assert "what became of the kernels of a:" in str(found)
    assert any(line.startswith("+ ") for change in found.became for line in change.code)
