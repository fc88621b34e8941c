"""The paper's networks, whole: in int8 each fits a board, and its step in C has PyTorch's bits."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import torch

import dynamo_lab as lab
from tests.benchmarks.tiny.__main__ import SCHEMES, update_of
from tests.tiny.in_c import integers_of, trained_in_c

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
@pytest.mark.parametrize("name", SCHEMES)
def test_a_networks_step_in_c_has_the_bits_of_pytorch(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    make, scheme = SCHEMES[name]
    model, sample = make(), (torch.randn(1, 3, 128, 128), torch.tensor([1]))
    plan = lab.tiny(model, sample, update=update_of(model, scheme), memory=None, dtype="int8")
    assert plan.facts.bytes <= 256_000  # what changes, in memory
    assert plan.facts.frozen + plan.facts.resident <= 1_000_000  # and how it begins, in flash
    printed = trained_in_c(plan, [sample], tmp_path)
    assert printed == [plan.step(*sample, lr=0.05).item() for _ in range(2)]
    assert (tmp_path / "weights.bin").read_bytes() == integers_of(plan)
