"""Autotuning where it is advised, and where it is advised against: what it then chooses from."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from tests.findings.faults import findings_of
from tests.findings.times import timed

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

SETTINGS: Any = importlib.import_module("torch._inductor.config")
BY_MODE, FROZEN = 'mode="max-autotune"', "torch._inductor.config.freezing = True"


def product(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x @ w


def loop(x: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    return x.sin().sum(0)


def sort(x: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    return x.topk(3)[0]


def advised(fn: Any, target: str) -> str:
    """What is advised where the kernels of a program take longer than eager's operators."""
    facts = lab.lower(fn, *torch.randn(2, 64, 64), target=target)
    count = len(facts.kernels)
    slow = timed(facts, eager=40, overhead=5, kernels=[90] * count, operators=[35] * count)
    [found] = [one for one in findings_of(slow) if one.rule == "slow-kernel"]
    return found.remedy


@pytest.mark.parametrize(
    ("fn", "target", "is_told", "is_frozen"),
    [
        (product, "cpu", True, True),
        (loop, "cpu", False, False),
        (sort, "cpu", False, False),
        (product, "cuda:sm_90", True, False),
        (loop, "cuda:sm_90", True, False),
        (sort, "cuda:sm_90", False, False),
    ],
)
def test_autotuning_is_advised_where_it_has_a_choice(
    fn: Any, target: str, is_told: bool, is_frozen: bool
) -> None:
    told = advised(fn, target)
    assert (BY_MODE in told, FROZEN in told) == (is_told, is_frozen)


def explored(fn: Any, *args: torch.Tensor, mode: str | None, **settings: bool) -> Recording:
    torch.compiler.reset()
    with torch.no_grad(), SETTINGS.patch(**settings):
        return lab.explore(fn, *args, mode=mode)


@pytest.mark.long
def test_on_a_cpu_it_chooses_nothing_but_a_product_with_frozen_weights() -> None:
    layer, x = nn.Sequential(nn.Linear(64, 256), nn.ReLU()).eval(), torch.randn(128, 64)
    tuned = explored(layer, x, mode="max-autotune", freezing=True)
    [found] = tuned.autotunings
    assert {one.is_template for one in found.candidates} == {True, False}
    assert explored(layer, x, mode="max-autotune").autotunings == ()
    codes = [
        [(one.name, one.code) for one in explored(loop, x, x, mode=mode).kernels]
        for mode in (None, "max-autotune")
    ]
    assert codes[0] == codes[1]


@pytest.mark.long
def test_without_the_mode_nothing_is_timed_as_is_advised_for_development() -> None:
    layer, x = nn.Sequential(nn.Linear(64, 256), nn.ReLU()).eval(), torch.randn(128, 64)
    assert explored(layer, x, mode="default", freezing=True).autotunings == ()
    assert explored(layer, x, mode=None, freezing=True, max_autotune=False).autotunings == ()
    assert explored(layer, x, mode=None, freezing=True, max_autotune=True).autotunings


def test_on_a_gpu_it_has_more_of_each_kernel() -> None:
    """A loop's configurations are tried where it runs: its code asks for all of them."""
    args = torch.randn(2, 64, 64)
    for fn, is_template in ((loop, False), (product, True)):
        plain, tuned = (
            lab.lower(fn, *args, target="cuda:sm_90", mode=mode) for mode in (None, "max-autotune")
        )
        if is_template:
            assert [one.language for one in plain.kernels] == ["extern"]
            assert [one.language for one in tuned.kernels] == ["triton"]
        else:
            asked = "'max_autotune': True"
            assert [asked in one.code for one in plain.kernels] == [False]
            assert [asked in one.code for one in tuned.kernels] == [True]
