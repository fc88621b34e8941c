"""Settings that PyTorch hints at, which end no break, or move it."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from msgspec.structs import replace

import dynamo_lab as lab
from dynamo_lab.view import build

NUMBERS = "capture_scalar_outputs"
GRADIENTS = "trace_autograd_ops"
SIZES = "capture_dynamic_output_shape_ops"
INPUT = torch.tensor([1.0, 0, 2, 3, 4, 5, 6, 7])


def asks_math(x: torch.Tensor) -> torch.Tensor:
    return x + math.erf(x.sum())


def asks_an_operator(x: torch.Tensor) -> torch.Tensor:
    return torch.add(x, x, alpha=x.sum())  # pyright: ignore[reportArgumentType, reportCallIssue]


def decides_by_size(x: torch.Tensor) -> torch.Tensor:
    found = x.nonzero()
    return x + 1 if len(found) > 3 else x - 1


def uses_size(x: torch.Tensor) -> torch.Tensor:
    return x + len(x.nonzero())


def test_no_setting_is_offered_for_a_number_that_math_computes_with() -> None:
    recording = lab.explore(asks_math, INPUT, backend="eager")
    (shown,) = build(recording).breaks
    assert not any(NUMBERS in text for text in shown.advice)
    assert shown.advice
    assert [fix.name for fix in shown.fixes if fix.name == NUMBERS] == []
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        assert lab.explore(asks_math, INPUT, backend="eager").breaks


def decides_by_item(x: torch.Tensor) -> torch.Tensor:
    if x.sum().item() > 3:
        return x + 1
    return x - 1


def test_no_setting_is_offered_for_a_number_that_a_branch_decides_by() -> None:
    recording = lab.explore(decides_by_item, INPUT, backend="eager")
    (shown,) = build(recording).breaks
    assert not any(NUMBERS in text for text in shown.advice)
    assert shown.advice
    assert NUMBERS not in [fix.name for fix in shown.fixes]
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        assert lab.explore(decides_by_item, INPUT, backend="eager").breaks


def test_it_is_offered_for_an_operator_s_and_ends_the_break() -> None:
    recording = lab.explore(asks_an_operator, INPUT, backend="eager")
    assert NUMBERS in [fix.name for fix in build(recording).breaks[0].fixes]
    assert not recording.try_fix(0, NUMBERS).recording.breaks


@pytest.mark.parametrize(("fn", "left"), [(uses_size, 0), (decides_by_size, 1)])
def test_a_captured_size_breaks_where_python_decides_by_it(fn: Any, left: int) -> None:
    recording = lab.explore(fn, INPUT, backend="eager")
    (shown,) = build(recording).breaks
    assert any("decides by it" in text for text in shown.advice)
    tried = recording.try_fix(0, SIZES)
    assert len(tried.recording.breaks) == left


def routed(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    for expert in range(2):
        (rows,) = torch.where(x.int() % 2 == expert)
        if rows.numel() == 0:
            continue
        out[rows] += x[rows] * expert
    return out


def test_a_symbol_is_not_the_first_advice_where_the_next_line_decides_by_it() -> None:
    (found,) = (one for one in lab.explore(routed, INPUT, backend="eager").findings)
    assert SIZES not in found.code
    assert found.remedy.startswith("Move the loop's body into a function")
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        (again,) = lab.explore(routed, INPUT, backend="eager").breaks
    assert again.effect == "skipped", "the setting moves the break, and no frame is compiled"


def indexed(x: torch.Tensor) -> torch.Tensor:
    return x + x[x.argmax()]


def test_no_setting_is_offered_for_a_number_that_is_an_index() -> None:
    recording = lab.explore(indexed, INPUT, backend="aot_eager")
    (shown,) = build(recording).breaks
    assert not any(NUMBERS in text for text in shown.advice)
    assert NUMBERS not in [fix.name for fix in shown.fixes]
    assert recording.findings[0].grade == "fill in"
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        assert lab.explore(indexed, INPUT, backend="aot_eager").breaks


@pytest.mark.parametrize(("opname", "is_index"), [("BINARY_OP []", True), ("BINARY_OP", False)])
def test_an_index_is_told_from_other_operators(opname: str, is_index: bool) -> None:
    """Python 3.14 has one instruction for all: its name alone tells nothing."""
    recording = lab.explore(indexed, INPUT, backend="eager")
    breaks = tuple(replace(one, opname=opname) for one in recording.breaks)
    (shown,) = build(replace(recording, breaks=breaks)).breaks
    assert (NUMBERS not in [fix.name for fix in shown.fixes]) == is_index


@pytest.mark.parametrize("is_between", [True, False])
def test_a_gradient_is_captured_only_where_the_loss_is(is_between: bool) -> None:
    """Captured behind a break, `backward` reaches no parameter before it, and says nothing."""
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters())

    def step(x: torch.Tensor) -> torch.Tensor:
        if not is_between:
            optimizer.zero_grad()
        loss = model(x).square().mean()
        if is_between:
            optimizer.zero_grad()
        loss.backward()
        return x + 1

    batch = torch.ones(2, 4)
    view = build(lab.explore(step, batch, backend="aot_eager"))
    shown = next(item for item in view.breaks if item.title == "backward() call")
    is_offered = GRADIENTS in [fix.name for fix in shown.fixes]
    assert shown.advice
    optimizer.zero_grad()
    torch._dynamo.reset()
    with torch._dynamo.config.patch(trace_autograd_ops=True):
        torch.compile(step, backend="aot_eager")(batch)
    assert is_offered is (model.weight.grad is not None)
    assert is_offered is not is_between


def slope(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    loss = (weight * x).sum()
    (slope,) = torch.autograd.grad(loss, weight)
    return slope + 1


def late_slope(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    loss = (weight * x).sum()
    print("a loss")
    (slope,) = torch.autograd.grad(loss, weight)
    return slope + 1


@pytest.mark.parametrize("fn", [slope, late_slope])
def test_the_setting_for_gradients_is_named_only_where_it_is_a_fix(
    fn: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> None:
    given = torch.ones(4, requires_grad=True), torch.ones(4)
    view = build(lab.explore(fn, *given, backend="aot_eager"))
    shown = next(item for item in view.breaks if item.title == "autograd call")
    is_offered = GRADIENTS in [fix.name for fix in shown.fixes]
    assert is_offered is (fn is slope)
    assert not any(GRADIENTS in text for text in shown.advice)
    with torch._dynamo.config.patch(trace_autograd_ops=True):
        kinds = [item.gb_type for item in lab.explore(fn, *given, backend="aot_eager").breaks]
    assert is_offered is not any("autograd.grad" in kind for kind in kinds)
