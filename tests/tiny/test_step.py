"""A planned step trains as eager does with the same mask, in its arena."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.errors import OptionError
from dynamo_lab.tiny.networks import Transformer
from tests.tiny.models import convolutions, difference, stepped_eagerly

pytestmark = pytest.mark.live

UPDATES: list[Any] = [
    "all",
    "bias",
    "last 2",
    ["point.*"],
    {"depthwise.weight": 0.5, "point.weight": [1, 4, 6], "head.weight": 3, "*.bias": "all"},
]


@pytest.mark.parametrize("update", UPDATES, ids=str)
def test_parameters_are_eagers_after_each_step(update: Any) -> None:
    model, sample = convolutions()
    plan = lab.tiny(model, sample, update=update)
    eager, losses = stepped_eagerly(model, plan, sample, steps=3)
    before = copy.deepcopy(model)
    planned = [plan.step(*sample).item() for _ in range(3)]
    assert planned == pytest.approx(losses, abs=1e-6)
    assert difference(model, eager) <= 1e-6
    changed = {
        name
        for name, parameter in model.named_parameters()
        if not torch.equal(parameter, before.get_parameter(name))
    }
    assert changed == set(plan.selected)
    assert plan.is_intact


def test_where_the_sums_have_one_order_the_bits_are_eagers() -> None:
    """A linear layer's gradients are the same products of matrices."""
    model, sample = convolutions()
    plan = lab.tiny(model, sample, update=["head.weight", "point.weight"])
    eager, _ = stepped_eagerly(model, plan, sample)
    plan.step(*sample)
    assert difference(model, eager) == 0


def test_momentum_and_weight_decay_are_those_of_sgd() -> None:
    model, sample = convolutions()
    settings = {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-2}
    plan = lab.tiny(model, sample, optimizer=settings, update={"point.weight": 0.5, "head.*": True})
    eager, _ = stepped_eagerly(model, plan, sample, steps=1)
    plan.step(*sample)
    half = slice(0, 4)  # eager's decay also pulls at the channels that are not chosen
    found = model.get_parameter("point.weight")[:, half]
    assert torch.allclose(found, eager.get_parameter("point.weight")[:, half], atol=1e-6)
    assert torch.allclose(model.get_parameter("head.weight"), eager.get_parameter("head.weight"))
    assert plan.facts.bars[2].state == (8 * 4 + 8 * 4 + 4) * 4


@pytest.mark.slow
def test_a_transformer_trains_as_eager() -> None:
    torch.manual_seed(0)
    model = Transformer(depth=1)
    sample = torch.randn(1, 16, 8), torch.tensor([3])
    whole = dict.fromkeys(("blocks.0.before.*", "place", "head.*"), "all")
    update = {"blocks.0.up.weight": 0.25, **whole}
    plan = lab.tiny(model, sample, update=update)
    eager, losses = stepped_eagerly(model, plan, sample, steps=2)
    assert [plan.step(*sample).item() for _ in range(2)] == pytest.approx(losses, abs=1e-6)
    assert difference(model, eager) <= 1e-6


def test_statistics_that_are_frozen_are_folded() -> None:
    model, sample = convolutions()
    model = nn.Sequential(nn.BatchNorm2d(3), model).eval()
    plan = lab.tiny(model, sample, update=["1.head.*", "1.point.*"])
    eager, _ = stepped_eagerly(model, plan, sample)
    plan.step(*sample)
    assert difference(model, eager) <= 1e-6


def test_another_learning_rate_for_a_step() -> None:
    model, sample = convolutions()
    before = copy.deepcopy(model)
    plan = lab.tiny(model, sample, update="bias")
    plan.step(*sample, lr=0.0)
    assert difference(model, before) == 0


def test_a_sample_of_another_shape_is_refused() -> None:
    model, (x, y) = convolutions()
    plan = lab.tiny(model, (x, y), update="bias")
    with pytest.raises(OptionError, match=r"planned for torch.float32 \[2, 3, 8, 8\]"):
        plan.step(x[:1], y)
    with pytest.raises(OptionError, match="takes 2 tensors, and 1 were given"):
        plan.step(x)
