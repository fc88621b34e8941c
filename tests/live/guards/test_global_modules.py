"""A module's number, where the compiled function finds the module in a global or is passed it."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._dynamo

import dynamo_lab as lab
from dynamo_lab.view import build

X = torch.ones(2, 4)
SETTING = "allow_unspec_int_on_nn_module"


class Counting(torch.nn.Module):
    """A module whose Python number each call changes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen += 1
        return x / self.seen


model = Counting()


def through_a_global(x: torch.Tensor) -> torch.Tensor:
    return model(x)


def passed(x: torch.Tensor, module: Counting) -> torch.Tensor:
    return module(x)


def recorded(fn: Callable[..., Any], *others: Any) -> lab.Recording:
    model.seen = 2
    with lab.record() as recorder:
        compiled = torch.compile(fn, backend="eager")
        for _ in range(5):
            compiled(X, *others)
    return recorder.recording


def test_a_setting_that_does_not_reach_a_global_module_is_not_applied() -> None:
    (found,) = recorded(through_a_global).findings
    assert found.grade == "fill in"
    assert "Pass the module as an argument, or compile the module itself" in found.remedy
    with torch._dynamo.config.patch({SETTING: True}):
        assert len(recorded(through_a_global).recompiles) == 4  # as without it
        assert len(recorded(passed, model).recompiles) == 1
        assert len(recorded(model).recompiles) == 1


@pytest.mark.parametrize("others", [(), (model,)])
def test_the_guards_advise_it_by_itself_only_where_it_does(others: tuple[Counting, ...]) -> None:
    recording = recorded(passed, *others) if others else recorded(through_a_global)
    (cause,) = build(recording).guards.recompiles[0].causes
    (told,) = (one for one in cause.remedies if SETTING in one.text + one.code)
    assert bool(told.code) == bool(others)
    assert ("reached through a global" in told.text) != bool(others)
