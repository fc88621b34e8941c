"""Which saved values are donated to the backward, as PyTorch says and as Inductor plans it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
import torch._dynamo  # before what is asked of AOTAutograd: PyTorch's modules need it in this order
from torch._functorch import config

import dynamo_lab as lab
from dynamo_lab.capture.autograd import hooks
from dynamo_lab.view import build

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not hooks.BACKWARD.exists, reason="this PyTorch does not say what it donates"
    ),
]


def loss(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return ((x @ w).relu().sin() @ w).sum()


def operands() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(8, 8), torch.randn(8, 8, requires_grad=True)


def trained(*, keep: bool) -> Recording:
    with lab.record() as recorder:
        torch.compile(loss, backend="aot_eager")(*operands()).backward(retain_graph=keep)
    return recorder.recording


def donations(recording: Recording) -> dict[str, bool | None]:
    [part] = recording.partitions
    return {value.name: value.donated for value in part.saved if value.role == "activation"}


def test_what_inductor_may_overwrite_is_donated() -> None:
    recording = lab.lower(loss, *operands(), grad=True)
    donated = {name for name, given in donations(recording).items() if given}
    planned = {
        buffer.name
        for plan in recording.memory_plans
        for buffer in plan.buffers
        if buffer.role == "donated"
    }
    assert donated == planned
    assert donated, "the two intermediates"
    plans = [plan for one in build(recording).fusions.schedules for plan in one.memory]
    told = [text for plan in plans for text in plan.sentences]
    assert any("2 saved values, 512 B, are donated by the forward, and 1" in text for text in told)


def test_inputs_and_outputs_are_never_donated() -> None:
    [part] = lab.lower(loss, *operands(), grad=True).partitions
    assert {value.donated for value in part.saved if value.role != "activation"} == {False}


def test_a_first_backward_that_keeps_its_graph_undoes_the_donations() -> None:
    assert set(donations(trained(keep=False)).values()) == {True}
    assert set(donations(trained(keep=True)).values()) == {False}


def test_nothing_is_donated_where_the_setting_forbids_it() -> None:
    with config.patch(donated_buffer=False):
        assert set(donations(trained(keep=False)).values()) == {False}
