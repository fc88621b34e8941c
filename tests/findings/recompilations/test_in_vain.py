"""Recompilations of which no code came, and advice that would not end them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build
from dynamo_lab.view.guards.compilations import recompilations

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live


def recorded(
    fn: Callable[..., Any], *calls: tuple[Any, ...], dynamic: bool | None = None
) -> lab.Recording:
    torch.compiler.reset()
    with lab.record() as recorder:
        compiled = torch.compile(fn, backend="eager", dynamic=dynamic)
        for call in calls:
            with contextlib.suppress(ValueError):
                compiled(*call)
    return recorder.recording


def limited(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] > 3:
        raise ValueError("too many")
    return x * 2


TWO_SIZES = ((torch.ones(3),), (torch.ones(4),))


def test_a_recompilation_that_raises_gives_no_code_and_no_safe_advice() -> None:
    found = recorded(limited, *TWO_SIZES)
    shown = build(found)
    assert "recompiled once; no code came of it." in shown.summary.sentence
    assert shown.guards.recompiles[0].title.endswith("compiled again, and no code came of it")
    (told,) = [one for one in found.findings if one.rule == "size-changes"]
    assert "No code came of it." in told.sentence
    assert told.grade == "fill in"
    assert "dynamic=True" not in told.code
    assert recompilations(recorded(limited, *TWO_SIZES, dynamic=True)) == 1, "it does not help"


def sorted_in_rounds(x: torch.Tensor) -> torch.Tensor:
    step = 1
    while step < x.shape[0]:
        x = torch.minimum(x, x.roll(step))
        step *= 2
    return x


def test_a_size_that_decides_how_often_a_loop_runs_is_not_advised_to_be_dynamic() -> None:
    calls = ((torch.ones(8),), (torch.ones(16),))
    (told,) = recorded(sorted_in_rounds, *calls).findings
    assert "each side of it needs code of its own" in told.remedy
    assert "dynamic=True" not in told.code
    assert recompilations(recorded(sorted_in_rounds, *calls, dynamic=True)) == 1, "it does not help"


@dataclass(frozen=True)
class Config:
    width: int


def cut(x: torch.Tensor, config: Config) -> torch.Tensor:
    return x[:, : config.width]


def test_an_attribute_that_makes_sizes_is_not_advised_to_be_a_tensor() -> None:
    calls = tuple((torch.ones(4, 16), Config(width)) for width in (8, 4))
    (told,) = recorded(cut, *calls).findings
    assert "makes sizes of it" in told.remedy
    assert recompilations(recorded(cut, *calls, dynamic=True)) == 0


class Accumulating:
    def __init__(self) -> None:
        self.calls = 2

    def step(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 2
        return x * self.calls if self.calls % 2 == 0 else x


def test_a_number_that_the_code_tests_is_not_advised_to_be_a_tensor() -> None:
    (told,) = recorded(Accumulating().step, *TWO_CALLS).findings
    assert "where the test is in your code, a tensor in its place breaks the graph" in told.remedy
    assert "torch.tensor" not in told.code
    as_a_tensor = Accumulating()
    as_a_tensor.calls = torch.tensor(2)  # pyright: ignore[reportAttributeAccessIssue]
    assert recorded(as_a_tensor.step, *TWO_CALLS).breaks


TWO_CALLS = ((torch.ones(3),), (torch.ones(3),))


def labelled(parts: list[torch.Tensor], names: list[str]) -> list[torch.Tensor]:
    return [part * len(name) for part, name in zip(parts, names, strict=False)]


def test_words_are_not_advised_to_be_stacked() -> None:
    parts = [torch.ones(2)] * 3
    found = recorded(labelled, (parts, ["a", "b"]), (parts, ["a", "b", "c"])).findings
    assert any("`names` changes its length" in one.sentence for one in found)
    assert not any("torch.stack(names)" in one.code for one in found)
