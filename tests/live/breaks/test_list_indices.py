"""A tensor as the index of a Python list: the setting ends nothing, what is advised does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from msgspec.structs import replace
from torch._dynamo import config

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.breaks.advice import rule_of

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live

MASK, INDEX = torch.tensor(True), torch.tensor([3, 1, 2]).argmin()


def of_tensors(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    ways = [x + 1, x * 2]
    return ways[i].sin()


def of_numbers(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x * (0.5, 0.25)[i]


def of_functions(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return (torch.sin, torch.cos)[i](x)


def taken(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return torch.stack([x + 1, x * 2]).index_select(0, i[None])[0].sin()


def taken_number(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return x * torch.tensor((0.5, 0.25)).take(i)


def where(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return torch.where(i, x * 2, x + 1).sin()


def picked_before(x: torch.Tensor, fn: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    return fn(x)


@pytest.mark.parametrize("fn", [of_tensors, of_numbers, of_functions])
@pytest.mark.parametrize("index", [MASK, INDEX], ids=["mask", "index"])
def test_no_setting_is_offered(fn: Any, index: torch.Tensor) -> None:
    recording = lab.explore(fn, torch.ones(3), index, backend="eager")
    [item] = recording.breaks
    shown = build(recording).breaks[0]
    assert shown.title == "list indexed by a tensor"
    assert not item.fixes
    assert "capture_scalar_outputs" not in " ".join(shown.advice)
    [finding] = [one for one in recording.findings if one.rule == "graph-break"]
    assert "capture_scalar_outputs" not in f"{finding.remedy} {finding.code}"
    assert "index_select" in " ".join(str(recording).split())


def computed(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return [x + 1, x * 2][i + 0].sin()


def test_the_setting_would_end_nothing() -> None:
    """So that the view is right not to offer it; what it does instead is what the advice says."""
    with config.patch(capture_scalar_outputs=True):
        of_a_bool = lab.explore(of_tensors, torch.ones(3), MASK, backend="eager")
        assert len(of_a_bool.breaks) == 1
        message = ""
        with lab.record() as recorder:
            try:
                torch.compile(computed, backend="eager")(torch.ones(3), INDEX)
            except Exception as error:  # since torch 2.15 it breaks instead
                message = str(error)
        assert "data-dependent expression" in message or recorder.recording.breaks
        with lab.record() as recorder:
            compiled = torch.compile(of_tensors, backend="eager")
            for number in (0, 1, 0):
                compiled(torch.ones(3), torch.tensor(number))
        assert len(recorder.recording.captured_graphs()) == 2


@pytest.mark.parametrize(
    ("before", "after", "index"),
    [
        (of_tensors, taken, INDEX),
        (of_numbers, taken_number, INDEX),
        (of_tensors, where, MASK),
    ],
)
def test_what_is_advised_is_one_graph(before: Any, after: Any, index: torch.Tensor) -> None:
    recording = lab.explore(after, torch.ones(3), index, backend="eager", fullgraph=True)
    assert recording.breaks == ()
    x = torch.randn(3)
    assert torch.equal(torch.compile(after, backend="eager")(x, index), before(x, index))


def test_a_function_is_picked_before_the_call() -> None:
    fn = (torch.sin, torch.cos)[INDEX]
    recording = lab.explore(picked_before, torch.ones(3), fn, backend="eager", fullgraph=True)
    assert recording.breaks == ()


def test_torch_2_11_calls_it_otherwise() -> None:
    [item] = lab.explore(of_tensors, torch.ones(3), INDEX, backend="eager").breaks
    older = replace(item, gb_type="Indexing list with non-scalar tensor")
    assert rule_of(older) is rule_of(item)
