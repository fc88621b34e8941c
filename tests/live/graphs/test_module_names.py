"""Modules and their tensors are named as the reader wrote them, however they are reached."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.func import functional_call

import dynamo_lab as lab
from dynamo_lab.view import build

pytestmark = pytest.mark.live


class Says(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print("here")
        return x.relu()


net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
head = nn.Linear(4, 2)
says = Says()
steps = [nn.Linear(4, 4), nn.Linear(4, 4)]
parts = {"a head": nn.Linear(4, 2)}


def of_globals(x: torch.Tensor) -> torch.Tensor:
    return head(net(x))


def of_containers(x: torch.Tensor) -> torch.Tensor:
    for step in steps:
        x = step(x)
    return parts["a head"](x)


def of_given_weights(x: torch.Tensor) -> torch.Tensor:
    return functional_call(net, dict(net.named_parameters()), (x,))


class Normed(nn.Module):
    """Dynamo reads the modules of one that counts its calls from its `__dict__`."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return self.norm(x)


def after_a_break(x: torch.Tensor) -> torch.Tensor:
    return head(says(x))


def _named(fn: Any) -> tuple[set[str], set[str], str]:
    """The paths of the modules, the saved parameters, and what is said of writes."""
    recording = lab.explore(fn, torch.randn(3, 4), backend="aot_eager", grad=True)
    assert recording.notes == ()
    partitions = build(recording).partitions
    saved = {row.name for one in partitions for row in one.saved if row.role == "parameter"}
    told = " ".join(text for one in partitions for text in one.handled)
    return {row.path for row in recording.modules.rows if row.path}, saved, told


def test_those_of_a_functional_call() -> None:
    paths, _, _ = _named(of_given_weights)
    assert paths == {"net", "net.0", "net.1"}


def test_those_of_a_module_that_counts() -> None:
    paths, saved, told = _named(Normed())
    assert (paths, saved) == ({"norm"}, {"self.norm.weight"})
    assert "`self.norm.running_mean`" in told


def test_those_of_a_global() -> None:
    paths, saved, told = _named(of_globals)
    assert paths == {"net", "net.0", "net.1", "head"}
    assert "head.weight" in saved
    assert "`net.1.running_mean`" in told


def test_those_in_a_list_and_a_dict() -> None:
    paths, saved, _ = _named(of_containers)
    assert paths == {"steps[0]", "steps[1]", "parts['a head']"}
    assert {"steps[1].weight", "parts['a head'].weight"} <= saved


def test_one_that_a_break_left_to_be_called() -> None:
    paths, saved, _ = _named(after_a_break)
    assert "head" in paths
    assert "says" in paths  # which breaks
    assert saved <= {"head.weight"}
    assert not any("stack" in one for one in paths | saved)


def test_a_module_of_pytorchs_own_is_the_root() -> None:
    paths, saved, told = _named(net)
    assert paths == {"0", "1"}
    assert "1.weight" in saved
    assert "`1.running_mean`" in told


class Otherwise(nn.Module):
    """Its methods do not call it `self`."""

    def __init__(this) -> None:  # pyright: ignore[reportSelfClsParameterName]
        super().__init__()
        this.inner = nn.Linear(4, 4)
        this.n = 1

    def forward(
        this,  # pyright: ignore[reportSelfClsParameterName]
        x: torch.Tensor,
    ) -> torch.Tensor:
        x = this.inner(x)
        print("breaks")
        return this.inner(x)

    @torch.no_grad()
    def wrapped(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x) * self.n


class Derived(Otherwise): ...


def given(this: Otherwise, x: torch.Tensor) -> torch.Tensor:
    return this.inner(x)


def test_a_method_may_call_its_module_as_it_likes() -> None:
    paths, saved, _ = _named(Derived())
    assert paths == {"inner"}
    assert saved == {"this.inner.weight"}
    recording = lab.explore(given, Otherwise(), torch.randn(3, 4), backend="eager")
    assert {row.path for row in recording.modules.rows} >= {"this.inner"}


def test_a_method_below_a_decorator_is_named_and_its_module_is_self() -> None:
    model, x = Otherwise(), torch.randn(3, 4)
    with lab.record() as recorder:
        compiled = torch.compile(model.wrapped, backend="eager")
        compiled(x)
        model.n = 4
        compiled(x)
    recording = recorder.recording
    [frame] = [frame for frame in recording.frames if frame.outcome == "compiled"]
    assert (frame.name, frame.parameters) == ("Otherwise.wrapped", ("x",))
    assert {row.path for row in recording.modules.rows} >= {"inner"}
    view = build(recording)
    [story] = view.guards.recompiles
    assert story.causes[0].text == "`self.n` was 1, now 4"
    assert not any("__self__" in str(part) for part in (view.findings, view.guards.recompiles))


def test_a_model_below_no_grad_is_told_by_its_modules_alone() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    recording = lab.explore(torch.no_grad()(model.forward), torch.randn(2, 4), backend="eager")
    rows = [row for row in recording.modules.rows if row.path]
    assert [row.path for row in rows] == ["0", "1"]
    view = build(recording)
    told = "\n".join((str(recording), str(recording.modules), str(view.modules)))
    assert "__closure__" not in told
    assert "_contextlib.py" not in told
