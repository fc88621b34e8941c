"""What looks alike in Dynamo's words and is not the same: its findings are apart, or not there."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.view.findings.finding import Finding

pytestmark = pytest.mark.live


def findings_of(fn: Callable[..., Any], *calls: torch.Tensor) -> tuple[Finding, ...]:
    torch.compiler.reset()
    with lab.record() as recorder:
        compiled = torch.compile(fn, backend="eager")
        for x in calls:
            compiled(x)
    return recorder.recording.findings


def test_what_two_breaks_left_are_two_values() -> None:
    counts = itertools.count(2), itertools.count(7)

    disable: Any = torch.compiler.disable
    drawn = disable(lambda which: next(counts[which]))

    def scaled(x: torch.Tensor) -> torch.Tensor:
        y = x * drawn(0)
        return y * drawn(1)

    found = findings_of(scaled, torch.ones(3), torch.ones(3))
    left = [one for one in found if one.rule == "number-from-break"]
    assert len(left) == 2
    assert not any("___stack" in one.sentence for one in found)


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def steps(self, x: torch.Tensor) -> Iterator[torch.Tensor]:
        for layer in self.layers:
            x = layer(x)
            yield x

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for y in self.steps(x):
            print("one")
            x = y
        return x


def test_a_module_behind_a_break_is_no_finding_of_its_own() -> None:
    found = findings_of(Chain(), torch.ones(2, 4))
    assert [one.rule for one in found] == ["graph-break"]


def test_settings_that_a_call_shares_with_some_code_did_not_change() -> None:
    torch.compiler.reset()
    x = torch.ones(3)
    with lab.record() as recorder:
        compiled = torch.compile(lambda x: x * 2, backend="eager")
        compiled(x)
        with torch.autocast("cpu", torch.bfloat16):
            compiled(x)
        with torch.no_grad():
            compiled(x)
    (found,) = (one for one in recorder.recording.findings if one.rule == "grad-mode-changes")
    assert "autocast" not in found.sentence


class Counted:
    """Dynamo asks nothing of a slot without running the program: what it is now is not known."""

    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        self.n += 1
        return x * self.n


counted = Counted()


def test_that_there_is_a_value_which_is_not_known_is_said_once_and_last() -> None:
    calls = (torch.ones(2), torch.ones(2), torch.ones(2))
    [found] = findings_of(lambda x: counted(x), *calls)
    assert "Values seen: 0, 1 and another value." in found.sentence


@pytest.mark.parametrize("scheduled", [False, True])
def test_a_scheduler_is_advised_where_one_cycles_the_option(scheduled: bool) -> None:
    torch.compiler.reset()
    weight = nn.Parameter(torch.ones(4))
    weight.grad = torch.ones(4)
    optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    if scheduled:
        torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=9)
    with lab.record() as recorder:
        compiled = torch.compile(optimizer.step, backend="eager")
        for momentum in (0.9, 0.9, 0.8):
            optimizer.param_groups[0]["momentum"] = momentum
            compiled()
    [found] = [one for one in recorder.recording.findings if one.rule == "optimizer-option"]
    assert "`momentum`" in found.sentence
    assert ("OneCycleLR" in found.remedy + found.code) is scheduled
