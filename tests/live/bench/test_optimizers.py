"""Optimizers in the compiled region: what is compared; rounds compile nothing."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._dynamo.utils import counters

import dynamo_lab as lab
from dynamo_lab.errors import OptionError
from tests.benchmarks.optimizers.schedules import recompiles

pytestmark = pytest.mark.live

QUICK: dict[str, Any] = {"rounds": 3, "seconds": 0.3, "kernels": False, "cold": False}


@pytest.fixture
def model() -> torch.nn.Module:
    return torch.nn.Linear(4, 4)


@pytest.mark.slow
def test_a_variant_may_compile_the_step_which_is_compared(model: torch.nn.Module) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    ways = ["compiled+optimizer"]
    found = lab.bench(
        model, torch.randn(2, 4), training=True, optimizer=optimizer, ways=ways, **QUICK
    )
    eager, ours = found.facts.ways
    assert (eager.steps, ours.steps, ours.problem) == (False, True, "")
    steps = [one for one in found.facts.comparisons if one.value.endswith("after the step")]
    assert {one.value for one in steps} == {"weight after the step", "bias after the step"}
    assert {one.verdict for one in steps} <= {"equal", "close"}
    # the model without gradients and with them, and the step
    assert len(found.recording.captured_graphs()) == 3
    assert not optimizer.state
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


@pytest.mark.slow
def test_a_step_by_itself_is_compiled_once(model: torch.nn.Module) -> None:
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 4)).sum().backward()
    graphs = counters["stats"]["unique_graphs"]
    found = lab.bench(optimizer.step, **QUICK)
    assert len(found.recording.captured_graphs()) == 1
    # one of the program, one that warms the compiler up: rounds restore what it is guarded against
    assert counters["stats"]["unique_graphs"] - graphs <= 2
    assert not optimizer.state


@pytest.mark.parametrize("scheduler", ["StepLR", "OneCycleLR, momentum kept"])
def test_a_rate_that_is_a_tensor_is_not_compiled_for_again(scheduler: str) -> None:
    counts = [recompiles(scheduler, "cpu", as_tensor=kind) for kind in (True, False)]
    assert counts[0] == 0 < counts[1]


@pytest.mark.parametrize("options", [{"training": True}, {"optimizer": None}, {}])
def test_without_an_optimizer_there_is_no_step(
    model: torch.nn.Module, options: dict[str, Any]
) -> None:
    with pytest.raises(OptionError, match="pass training=True and optimizer="):
        lab.bench(model, torch.ones(2, 4), ways="compiled+optimizer", **options)


def test_a_name_before_the_step_has_to_be_a_variant(model: torch.nn.Module) -> None:
    with pytest.raises(OptionError, match="There is no variant 'nothing'"):
        lab.bench(model, torch.ones(2, 4), ways="nothing+optimizer")
