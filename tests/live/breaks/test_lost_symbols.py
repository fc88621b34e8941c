"""Numbers and sizes that a call takes for itself: a symbol for one is lost, and PyTorch fails."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.capture.core.hooks import DYNAMO_SETTINGS
from dynamo_lab.view import build


class ByItsSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


class ByWhatIsLeft(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x + x[x > 0].sum()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


def by_its_sum(x: torch.Tensor) -> torch.Tensor:
    return ByItsSum.apply(x) + 1


def by_what_is_left(x: torch.Tensor) -> torch.Tensor:
    return ByWhatIsLeft.apply(x) + 1


def pairs(x: torch.Tensor) -> torch.Tensor:
    return torch.combinations(x).sum(0)


def indexed_pairs(x: torch.Tensor) -> torch.Tensor:
    i, j = torch.triu_indices(len(x), len(x), 1)
    return torch.stack((x[i], x[j]), 1).sum(0)


NUMBER, SIZE = "capture_scalar_outputs", "capture_dynamic_output_shape_ops"


@pytest.mark.parametrize(
    ("fn", "setting"), [(by_its_sum, NUMBER), (by_what_is_left, SIZE), (pairs, SIZE)]
)
def test_no_setting_is_offered_that_fails(fn: Callable[..., Any], setting: str) -> None:
    x = torch.arange(4.0, requires_grad=True)
    view = build(lab.explore(fn, x, backend="eager"))
    assert view.breaks
    for one in view.breaks:
        assert one.advice
        assert setting not in " ".join((*one.advice, *(fix.name for fix in one.fixes)))
    for found in view.findings.found:
        assert setting not in f"{found.remedy} {found.code}"
    torch.compiler.reset()
    with DYNAMO_SETTINGS.get().patch({setting: True}), pytest.raises(Exception, match="Pending"):
        torch.compile(fn, backend="eager")(x)


def test_pairs_by_their_indices_are_captured() -> None:
    x = torch.arange(5.0)
    [told] = build(lab.explore(pairs, x, backend="eager")).breaks
    assert "torch.triu_indices(len(x), len(x), 1)" in told.advice[0]
    assert not lab.explore(indexed_pairs, x, backend="eager").breaks
    torch.testing.assert_close(indexed_pairs(x), pairs(x))
