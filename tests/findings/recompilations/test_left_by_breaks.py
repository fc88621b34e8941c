"""Objects that a line had taken as it broke, which are others in each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

import dynamo_lab as lab
from tests.findings.faults import findings_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.view.findings.finding import Finding

pytestmark = pytest.mark.live


def in_one_line(x: torch.Tensor, kept: list[float]) -> torch.Tensor:
    kept.append(float(x.mean()))
    return x + 1


def in_two_lines(x: torch.Tensor, kept: list[float]) -> torch.Tensor:
    mean = float(x.mean())
    kept.append(mean)
    return x + 1


def found_of(fn: Callable[..., torch.Tensor]) -> tuple[Finding, ...]:
    kept: list[float] = []
    with lab.record() as recorder:
        compiled = torch.compile(fn, backend="eager")
        for _ in range(4):
            compiled(torch.ones(3), kept)
    return findings_of(recorder.recording)


def test_a_method_that_the_line_had_taken_is_told_as_what_it_is_and_the_remedy_ends_it() -> None:
    [left] = [one for one in found_of(in_one_line) if one.rule == "object-changes"]
    assert left.sentence.startswith("An object that the break at line ")
    assert "(left by the break)" not in left.sentence + left.remedy + left.code
    assert "Compute the value in a line of its own" in left.remedy
    assert not left.code
    assert [one.rule for one in found_of(in_two_lines)].count("object-changes") == 0
