"""Precision on the CUDA device that is here: TensorFloat-32 exists there, unlike on a CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

import dynamo_lab as lab

if TYPE_CHECKING:
    from dynamo_lab.api.precision.precision import Precisions

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


@pytest.fixture(scope="module")
def found() -> Precisions:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024)).cuda()
    made = lab.precision(net, torch.randn(4096, 1024, device="cuda"), rounds=15, seconds=5)
    print(made)
    return made


def test_tensorfloat_is_told_from_float32(found: Precisions) -> None:
    ways = {one.name: one for one in found.trial.ways}
    errors = {name: {e.module: e.median for e in one.errors} for name, one in ways.items()}
    assert not ways["high"].same
    assert 10 * errors["highest"][""] < errors["high"][""] < errors["autocast bf16"][""]
    for module in ("0", "2"):
        assert errors["highest"][module] < errors["high"][module]
    assert errors["autocast fp16"][""] < errors["autocast bf16"][""]


def test_each_has_kernels_times_and_a_peak_of_memory(found: Precisions) -> None:
    for one in found.trial.ways:
        assert not one.error, one
        assert not one.refused, one
        assert one.kernels or one.reused
        assert len(one.seconds) == len(one.eager_seconds) > 0
        assert one.peak is not None
    ways = {one.name: one for one in found.trial.ways}
    assert (ways["bf16 weights"].peak or 0) < (ways["highest"].peak or 0)


@pytest.mark.filterwarnings("ignore:ComplexHalf support")
def test_complex_numbers_say_what_falls_back() -> None:
    def product(x: torch.Tensor) -> torch.Tensor:
        return (x @ x).sin() * 2

    x = torch.randn(64, 64, dtype=torch.complex64, device="cuda")
    made = lab.precision(product, x, rounds=0)
    print(made)
    assert "complex" in str(made)
