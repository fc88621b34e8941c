"""The suite, for real, on two of the smallest models."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

from dynamo_lab.__main__ import main
from dynamo_lab.measure.rounds import Plan
from dynamo_lab.suite.models.model import Program
from dynamo_lab.suite.results import Case, read
from dynamo_lab.suite.work import Steps, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

PLAN = Plan(rounds=3, seconds=0.1)


@pytest.mark.long
def test_two_models_in_two_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "suite.jsonl"
    arguments = ["suite", "--models", "mlp,autoencoder", "--results", str(path)]
    assert main(arguments) == 0
    found = read(path).results
    assert [one.verdict for one in found] == ["pass"] * 2
    for one in found:
        assert (one.graphs, one.breaks) == (1, 0)
        assert one.kernels
        assert len(one.eager) == len(one.compiled) > 0
        assert one.compile_seconds
    assert "100% of 2" in capsys.readouterr().out
    stamp = path.stat().st_mtime_ns
    assert main(arguments) == 0
    assert path.stat().st_mtime_ns == stamp


class Differs(nn.Module):
    """Computes something else once it is compiled."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x)
        return y * 1.1 if torch.compiler.is_compiling() else y


class DiffersInPlace(nn.Module):
    """Writes to its argument, and something else once it is compiled."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.abs_() if torch.compiler.is_compiling() else x.relu_()


class Counts(nn.Module):
    """Each call depends on how many came before it."""

    calls: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.add_(1)
        return x * self.calls


class NoMemory(nn.Module):
    """Has none."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise torch.OutOfMemoryError("all of it is gone")


class Skipped(nn.Module):
    """Is left to eager PyTorch."""

    @torch.compiler.disable
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


@pytest.mark.parametrize(
    ("module", "verdict", "reason"),
    [
        (Differs(), "wrong", "from float64"),
        (DiffersInPlace(), "wrong", "from float64"),
        (NoMemory(), "out of memory", "all of it is gone"),
        (nn.Linear(3, 3), "eager error", "RuntimeError"),
        (Skipped(), "not compiled", "captured no graph"),
    ],
)
def test_verdicts(module: nn.Module, verdict: str, reason: str) -> None:
    name = "input" if isinstance(module, nn.Linear) else "x"
    program = Program(module, {name: torch.randn(4, 8)})
    told: list[str] = []
    alone: Any = nullcontext
    case = Case("m", "inference", "float32")
    found = run(program, case, "cpu", Steps(told.append, alone), PLAN)
    assert found.verdict == verdict
    assert reason in found.reason
    assert found.eager == ()
    assert "timing" not in told


@pytest.mark.slow
def test_each_way_starts_from_the_same_state() -> None:
    alone: Any = nullcontext
    program = Program(Counts(), {"x": torch.randn(4, 8)})
    case = Case("m", "inference", "float32")
    found = run(program, case, "cpu", Steps(lambda _: None, alone), PLAN)
    assert (found.verdict, found.reason) == ("pass", "")
