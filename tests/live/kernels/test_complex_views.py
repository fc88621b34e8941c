"""Inductor has no code for views of complex numbers: it calls PyTorch, and nothing is computed."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import dynamo_lab as lab
from dynamo_lab.capture.kernels.views import names_view
from dynamo_lab.view import build
from dynamo_lab.view.fusion.why_not import answer


def there_and_back(z: Tensor) -> tuple[Tensor, Tensor]:
    doubled = torch.view_as_real(z) * 2
    c = torch.view_as_complex(doubled)
    return c.real + 1, c.imag


def parts(z: Tensor) -> Tensor:
    return z.real * z.imag


def turned(x: Tensor) -> Tensor:
    """As rotary embeddings do it, without a product of complex numbers."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs).flatten(-2) + 1


def shapes(z: Tensor) -> Tensor:
    return torch.view_as_real(z.conj()) * 3


Z = torch.randn(64, 64, dtype=torch.complex64)
VIEWS = ("view_as_real", "view_as_complex", "_conj", "_neg_view")
PROGRAMS = {there_and_back: (Z, 2), parts: (Z, 1), turned: (torch.randn(8, 64), 1)}
"""Each with the loops that it takes."""


@pytest.mark.parametrize("fn", PROGRAMS)
def test_a_view_is_no_kernel(fn: Callable[..., Any]) -> None:
    x, loops = PROGRAMS[fn]
    recording = lab.lower(fn, x, grad=False)
    assert [kernel.language for kernel in recording.kernels] == ["cpp"] * loops
    assert any(view in recording.wrappers[0].code for view in VIEWS)  # it is called all the same
    text = str(recording)
    assert f"{loops} kernel" in text
    assert "library kernel" not in text
    [plan] = recording.memory_plans
    assert [step.kernel is None for step in plan.steps] == [False] * loops


def test_its_memory_is_that_of_what_it_views() -> None:
    recording = lab.lower(there_and_back, Z, grad=False)
    [plan] = recording.memory_plans
    made = {plan.buffers[e.buffer].name: e for e in plan.events if e.kind == "allocate"}
    sizes = [plan.buffers[event.buffer].bytes for event in made.values()]
    assert sizes == [64 * 64 * 2 * 4, 64 * 64 * 4]  # what is doubled, and the real parts plus one
    assert "which is not known" not in str(recording)


def test_every_view_says_so() -> None:
    recording = lab.lower(there_and_back, Z, grad=False)
    view = build(recording)
    called = [row for row in view.lowering.called if "view_as" in row.kernel]
    stored = [one for one in view.lowering.buffers if "view_as" in one.kernel]
    assert called
    assert stored
    assert all("nothing is computed" in one.why for one in (*called, *stored))
    assert not any("A copy" in one.why for one in view.lowering.buffers)  # but what is doubled
    schedule = view.fusions.schedules[0]
    [at, *_] = [i for i, one in enumerate(schedule.operations) if "view_as" in one.call]
    told = answer(schedule, at, at + 2, view.fusions.unseen[schedule.compiler])
    assert any("makes a view" in sentence for sentence in told.sentences)
    rows = [row for row in view.decompositions.extern if "view_as" in row.operator]
    assert all(row.why.endswith("a view: nothing is computed") for row in rows)
    assert [kernel.title for kernel in view.kernels.kernels] == ["mul", "add"]


def test_what_may_copy_is_no_view() -> None:
    assert names_view("torch.ops.aten.view_as_complex.default")
    assert names_view("torch.ops.aten._conj.default")
    assert not names_view("torch.ops.aten.reshape.default")  # copies where it must
    assert not names_view("torch.ops.aten.add_.Tensor")  # the memory it is given, and changes it
    assert not names_view("torch.ops.aten.topk.default")
    assert not names_view("extern_kernels.mm")
    assert not names_view("torch.ops.mine.own.default")
