"""The line that writes a value which makes a program recompile is found by watching it."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.errors import GuardsError

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live
X = torch.ones(2, 4)


def line_of(function: Callable[..., Any], text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    [found] = [first + at for at, row in enumerate(lines) if text in row]
    return found


def recorded(run: Callable[[], Any]) -> lab.Recording:
    with lab.record() as recorder:
        run()
    return recorder.recording


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.inner = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.inner(x)
        self.step += 1
        return y * self.step


def test_a_module_that_counts() -> None:
    model = Counting()
    compiled = torch.compile(model, backend="eager")

    def run() -> None:
        for _ in range(4):
            compiled(X)

    recording = recorded(run)
    traced = sys.gettrace()
    found = recording.who_wrote(run)
    assert found.subject == "self.step"
    [writer] = found.writers
    assert writer.where == f"test_writers.py, line {line_of(Counting, 'self.step += 1')}"
    assert (writer.owner, writer.times, writer.was, writer.now) == ("Counting", 4, "4", "5")
    assert str(found).endswith("changes it 4 times: first from 4 to 5.")
    assert model.step == 4, "what the watched run changes is restored"
    assert sys.gettrace() is traced


def stepping(scheduler_of: Callable[[Any], Any], optimizer: Any) -> Callable[[], None]:
    compiled = torch.compile(optimizer.step, backend="eager")
    scheduler = scheduler_of(optimizer)

    def run() -> None:
        for _ in range(3):
            for group in optimizer.param_groups:
                for weight in group["params"]:
                    weight.grad = torch.ones_like(weight)
            compiled()
            scheduler.step()

    return run


def test_a_scheduler_that_writes_the_rate() -> None:
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(4))], lr=0.1)
    run = stepping(lambda of: torch.optim.lr_scheduler.ExponentialLR(of, 0.5), optimizer)
    found = recorded(run).who_wrote(run)
    assert found.subject == "self.param_groups[0]['lr']"
    [writer] = found.writers
    assert writer.where.startswith("lr_scheduler.py, line ")
    assert writer.called_from == f"test_writers.py, line {line_of(stepping, 'scheduler.step()')}"
    assert not found.advice


def cycling(optimizer: Any) -> Any:
    return torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=50)


def test_a_scheduler_that_cycles_the_momentum() -> None:
    weight = nn.Parameter(torch.ones(4))
    optimizer = torch.optim.Adam([weight], lr=torch.tensor(0.1))
    run = stepping(cycling, optimizer)
    found = recorded(run).who_wrote(run, "self.param_groups[0]['betas'][0]")
    assert "`cycle_momentum=False`" in found.advice
    assert "OneCycleLR" in str(found)


def scaled(x: torch.Tensor, times: int) -> torch.Tensor:
    for _ in range(times):
        x = x * 2
    return x


def test_a_caller_that_passes_another_number() -> None:
    compiled = torch.compile(scaled, backend="eager")

    def run() -> None:
        for times in (2, 3, 4):
            compiled(X, times)

    found = recorded(run).who_wrote(run)
    assert found.subject == "times"
    [writer] = found.writers
    assert writer.is_passed
    assert writer.where == f"test_writers.py, line {line_of(run, 'compiled(X, times)')}"


def test_it_says_what_is_missing() -> None:
    compiled = torch.compile(scaled, backend="eager")
    recording = recorded(lambda: [compiled(X, times) for times in (2, 3, 4)])
    with pytest.raises(GuardsError, match="did not call `scaled`"):
        recording.who_wrote(lambda: None)
    with pytest.raises(GuardsError, match="`times`"):
        recording.who_wrote(lambda: None, "other")


def test_what_raises_leaves_no_trace() -> None:
    compiled = torch.compile(scaled, backend="eager")
    recording = recorded(lambda: [compiled(X, times) for times in (2, 3, 4)])
    traced = sys.gettrace()
    with pytest.raises(ZeroDivisionError):
        recording.who_wrote(lambda: 1 / 0)
    assert sys.gettrace() is traced
