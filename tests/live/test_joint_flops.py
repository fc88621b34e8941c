"""Operations that a budget adds: those without a formula are unknown, and not 0."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import fx

from dynamo_lab.capture.autograd.joints import _flops
from dynamo_lab.live.budgets import _arithmetic
from dynamo_lab.model.autograd import Repartition

aten = torch.ops.aten


def node(target: Any, out: torch.Tensor, *args: torch.Tensor) -> fx.Node:
    graph = fx.Graph()
    inputs = [graph.placeholder(f"in{at}") for at in range(len(args))]
    for one, value in zip(inputs, args, strict=True):
        one.meta["val"] = value
    made = graph.call_function(target, tuple(inputs))
    made.meta["val"] = out
    return made


SQUARE, VECTOR = torch.ones(4, 4), torch.ones(4)


def test_products_are_counted_and_elementwise_operators_are_none() -> None:
    assert _flops(node(aten.mm.default, SQUARE, SQUARE, SQUARE)) == 2 * 4**3
    assert _flops(node(aten.add.Tensor, SQUARE, SQUARE, SQUARE)) == 0
    whole = SQUARE.long()
    assert _flops(node(aten.mm.default, whole, whole, whole)) == 0


def test_a_product_without_a_formula_is_unknown() -> None:
    assert _flops(node(aten.mv.default, VECTOR, SQUARE, VECTOR)) is None
    assert _flops(node(aten.linalg_inv_ex.default, SQUARE, SQUARE)) is None


@pytest.mark.parametrize(
    ("flops", "uncounted", "told"),
    [
        (0, 0, "0"),
        (2000, 0, "2 kFLOP"),
        (0, 1, "unknown for 1 operator"),
        (2000, 2, "2 kFLOP, unknown for 2 operators"),
    ],
)
def test_a_budget_says_what_is_unknown(flops: int, uncounted: int, told: str) -> None:
    made = Repartition(
        budget=1, saved=(), activation_bytes=0, operators=3, flops=flops, uncounted=uncounted
    )
    assert _arithmetic(made) == told
