"""Code for training and for evaluation: two functions have one each, a model compiled twice not."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from tests.findings.faults import findings_of

Modes = tuple[Callable[..., Any], Callable[..., Any]]


def compiled(fn: Any) -> Any:
    return torch.compile(fn, backend="eager")


def as_advised(model: nn.Module, written: str) -> Modes:
    names: dict[str, Any] = {"torch": torch, "model": model}
    exec(written, names)
    return names["train_step"], names["evaluate"]


def recorded(model: nn.Module, modes: Modes) -> Any:
    torch.compiler.reset()
    x = torch.randn(2, 4)
    with lab.record() as recorder:
        for _ in range(2):
            modes[0](model.train() and x)
            modes[1](model.eval() and x)
    return recorder.recording


def dropping() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))


@pytest.mark.live
def test_two_functions_are_not_compiled_again_and_a_model_compiled_twice_is() -> None:
    model = dropping()
    once = compiled(model)
    [found] = findings_of(recorded(model, (once, once)))
    assert found.rule == "training-changes"
    twice = recorded(model, (compiled(model), compiled(model)))
    assert [one.rule for one in findings_of(twice)] == ["training-changes"]
    mended = recorded(model, as_advised(model, found.code))
    assert not findings_of(mended)
    assert len(mended.recompiles) == 0
