"""Choices of real programs, lowered alone: against PyTorch's own answers, with the line of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._inductor.graph import GraphLowering

import dynamo_lab as lab
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.view.choices.choice import ChoiceRow

pytestmark = pytest.mark.live

CONVOLUTION = nn.Conv2d(3, 8, 3, padding=1)
LINEAR = nn.Linear(8, 8)


def program(x: torch.Tensor) -> torch.Tensor:
    y = torch.cat([CONVOLUTION(x), x], 1).flatten(2)[:, :8, :8]
    with torch.autocast("cpu", torch.bfloat16):
        z = LINEAR(y)
        with torch.autocast("cpu", enabled=False):
            kept = LINEAR(y)
        seen = F.scaled_dot_product_attention(z[None], z[None], z[None])
    return seen.float() + kept


def choices(fn: Callable[..., Any], *args: torch.Tensor, **options: Any) -> list[ChoiceRow]:
    return list(build(lab.lower(fn, *args, **options)).choices)


@pytest.fixture(scope="module")
def rows() -> list[ChoiceRow]:
    with torch.no_grad():
        return choices(program, torch.randn(2, 3, 8, 8))


CODE = {"layout": "y = ", "concatenation": "y = ", "attention": "seen = ", "precision": ""}
"""How the line begins that a kind is of; a region of autocast is of several."""


def test_every_kind_is_there_with_its_line(rows: list[ChoiceRow]) -> None:
    assert {"attention", "precision", "layout", "concatenation"} == {row.kind for row in rows}
    for row in rows:
        assert row.code.startswith(CODE[row.kind])
        assert row.line


def test_regions_cast_what_pytorch_casts(rows: list[ChoiceRow]) -> None:
    on, off = (row for row in rows if row.kind == "precision")
    assert (on.choice, off.choice) == ("autocast on cpu to bfloat16", "autocast on cpu is off")
    first = program.__code__.co_firstlineno
    assert f"lines {first + 3}, {first + 6}" in on.where
    assert f"line {first + 5}" in off.where
    assert "bf16 where more bits are given: linear." in on.effect
    assert off.effect.startswith("Each operator in it gives the type that it is given")


def test_autocast_around_the_call_is_seen_by_its_products() -> None:
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        (row,) = (r for r in choices(LINEAR, torch.randn(8, 8)) if r.kind == "precision")
    assert row.choice == "autocast around the call, to bf16"
    assert row.effect == "bf16 where more bits are given: linear."


def test_the_decision_on_layouts_is_that_of_the_lowered_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a graph and of each body of an operator in it."""
    asked: list[bool] = []
    run = GraphLowering.run

    def heard(lowering: GraphLowering, *args: Any) -> Any:
        asked.append(bool(lowering.layout_opt))
        return run(lowering, *args)

    def either(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, CONVOLUTION, lambda x: x[:, :1].repeat(1, 8, 1, 1), (x,))

    monkeypatch.setattr(GraphLowering, "run", heard)
    with torch.no_grad():
        recording = lab.lower(either, torch.randn(2, 3, 8, 8))
    assert [one.chosen for one in recording.layout_choices] == asked
    assert len({one.graph for one in recording.layout_choices}) == len(asked)


def test_no_layout_is_said_to_be_chosen_for_convolutions_over_one_dimension() -> None:
    """Inductor asks for one of those over two alone, as their strides show."""
    model = nn.Sequential(nn.Conv1d(4, 8, 3), nn.Conv1d(8, 8, 3)).eval()
    with torch.no_grad():
        (row,) = (r for r in choices(model, torch.randn(2, 4, 16)) if r.kind == "layout")
    assert row.choice == "Channels last is chosen for none of 2 convolutions"
    assert row.effect.startswith("2 results in the order of its sizes.")


def normed(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    mean = (x.float() ** 2).mean(-1, keepdim=True)
    y = x * torch.rsqrt(mean + 1e-6).half()
    return -(y * w + x).relu()


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("cpu", "half and 2 x mul"),
        ("cuda:sm_90", "half and 2 x mul"),
        ("mps", "2 x mul"),  # whose code makes the cast of the program
    ],
)
def test_what_a_kernel_reads_unrounded_is_told_where_its_code_shows_it(
    target: str, named: str
) -> None:
    given = torch.randn(64, 512).half(), torch.randn(512).half()
    (row,) = (r for r in choices(normed, *given, target=target) if r.kind == "precision")
    first = normed.__code__.co_firstlineno
    assert row.effect == f"Eager rounds to f16 after {named}: last bits may differ."
    assert row.where == f"lines {first + 2}, {first + 3}"
    assert "emulate_precision_casts" in row.remedy
    rounding = {"emulate_precision_casts": True}
    found = choices(normed, *given, target=target, options=rounding)
    assert not [r for r in found if r.kind == "precision"]


def selected(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return -torch.maximum((x + y).relu(), torch.where(x > 0, x * y, x))


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90"])
def test_what_is_only_selected_from_is_rounded_in_time(target: str) -> None:
    x, y = torch.randn(2, 64, 512).bfloat16()
    assert torch.equal(torch.compile(selected)(x, y), selected(x, y))
    found = choices(selected, x, y, target=target)
    assert not [row for row in found if row.kind == "precision"]


def test_nothing_is_unrounded_in_full_precision() -> None:
    found = choices(lambda x: (x * 3 + x).relu() * x, torch.randn(8, 8))
    assert not [row for row in found if row.kind == "precision"]
