"""What Inductor's autotuning timed is in the recording, with what it took."""

import importlib
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.lowering.autotuning import AutotuningProbes
from dynamo_lab.record.recorders import new_recorder


class Input:
    def get_size(self) -> list[int]:
        return [4, 8]

    def get_dtype(self) -> torch.dtype:
        return torch.float32


def ended(probe: Any, result: Any) -> None:
    with pytest.raises(StopIteration):
        probe.send(result)


def recorded(times: dict[Any, float], taken: Any) -> Recorder:
    """One autotuning, as PyTorch's calls follow each other."""
    recorder = new_recorder("f", "normal")
    probes = AutotuningProbes(recorder, SimpleNamespace(current_graph=None))  # type: ignore
    selecting = probes.selecting(None, "mm", list(times))
    next(selecting)
    timing = probes.autotuned(None, "mm", [Input()])
    next(timing)
    measured = probes.timing()
    next(measured)
    ended(measured, None)
    ended(timing, times)
    ended(selecting, taken)
    return recorder


def test_times_are_seconds_and_what_failed_has_none() -> None:
    a, b, c = (SimpleNamespace(name=name, description="") for name in "abc")
    times = {Key(a): 2.0, Key(b): 1.0, Key(c): float("inf")}
    (found,) = recorded(times, (None, next(iter(times)))).autotunings
    assert [one.seconds for one in found.candidates] == [0.002, 0.001, None]
    assert (found.operator, found.inputs, found.chosen) == ("mm", ("float32[4, 8]",), 0)
    assert found.was_timed


def test_a_release_that_returns_no_choice_took_the_fastest() -> None:
    a, b = (Key(SimpleNamespace(name=name, description="")) for name in "ab")
    (found,) = recorded({a: 2.0, b: 1.0}, "a node").autotunings
    assert found.chosen == 1


def test_a_choice_that_is_made_later_is_unknown() -> None:
    a, b = (Key(SimpleNamespace(name=name, description="")) for name in "ab")
    (found,) = recorded({a: 2.0, b: 1.0}, (None, None)).autotunings
    assert found.chosen is None


class Key:
    """A choice: it can be a key, by which it is."""

    def __init__(self, facts: SimpleNamespace) -> None:
        self.name, self.description = facts.name, facts.description


@pytest.mark.long
def test_the_templates_of_a_cpu_are_timed_beside_the_library() -> None:
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU()).eval()
    settings: Any = importlib.import_module("torch._inductor.config")
    with torch.no_grad(), settings.patch(freezing=True):
        recording = lab.explore(model, torch.randn(128, 64), mode="max-autotune")
    (found,) = recording.autotunings
    assert {one.is_template for one in found.candidates} == {True, False}
    timed = [one.seconds for one in found.candidates]
    assert found.chosen == timed.index(min(one for one in timed if one is not None))
    assert found.node is not None
    assert recording.kernels
