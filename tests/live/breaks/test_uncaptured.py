"""A break in a function that `torch.cond` or `torch.while_loop` runs: its line, and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.live.lines import line_of

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

pytestmark = pytest.mark.live


def less(x: torch.Tensor) -> torch.Tensor:
    return x - 1


def branches(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 3:
        return x * 2
    return x + 1


def chooses(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x.sum() > 3, x * 2, x + 1)


def decides(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 3, lambda x: x * 2, lambda x: x + 1, (x,))


def prints(x: torch.Tensor) -> torch.Tensor:
    print("once")
    return x * 2


def conditional(x: torch.Tensor, inner: Any) -> torch.Tensor:
    return torch.cond(x.mean() > 0, inner, less, (x,))


def looping(x: torch.Tensor, inner: Any) -> torch.Tensor:
    def body(i: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return i + 1, inner(x)

    return torch.while_loop(lambda i, x: i < 3, body, (torch.tensor(0), x))[1]


def failed(fn: Any, inner: Any) -> Recording:
    with pytest.raises(Exception, match="captured completely"), lab.record() as recorder:
        torch.compile(fn, backend="eager")(torch.ones(4), inner)
    return recorder.recording


@pytest.mark.parametrize(
    ("fn", "operator"), [(conditional, "torch.cond"), (looping, "torch.while_loop")]
)
def test_a_branch_within_is_told_with_its_line(fn: Any, operator: str) -> None:
    recording = failed(fn, branches)
    finding = recording.findings[0]
    at = f"line {line_of(branches, 'if x.sum')}"
    assert at in finding.where
    assert f"all that {operator} runs has to be captured" in finding.sentence
    assert "Data-dependent branching" in finding.sentence
    assert "`torch.where(condition, a, b)`" in finding.remedy
    assert "+    return torch.where(x.sum() > 3, x * 2, x + 1)" in finding.code
    sentence = build(recording).summary.sentence
    assert operator in sentence
    assert at in sentence


@pytest.mark.parametrize("fn", [conditional, looping])
@pytest.mark.parametrize("inner", [chooses, decides])
def test_what_is_advised_is_captured(fn: Any, inner: Any) -> None:
    recording = lab.explore(fn, torch.ones(4), inner, backend="eager", fullgraph=True)
    assert recording.failure is None
    compiled = torch.compile(fn, backend="eager")
    assert torch.equal(compiled(torch.ones(4), inner), fn(torch.ones(4), chooses))


def test_a_call_within_is_to_be_made_outside() -> None:
    finding = failed(conditional, prints).findings[0]
    assert f"line {line_of(prints, 'once')}" in finding.where
    assert "before the call" in finding.remedy


def test_where_the_program_catches_the_error_its_kind_is_told() -> None:
    with lab.record() as recorder, pytest.raises(Exception, match="captured completely"):
        torch.compile(conditional, backend="eager")(torch.ones(4), branches)
    finding = recorder.recording.findings[0]
    assert "a function of it breaks: Data-dependent branching" in finding.sentence
    assert "`torch.where(condition, a, b)`" in finding.remedy


def test_a_branch_that_no_operator_runs_is_still_offered_both() -> None:
    recording = lab.explore(branches, torch.ones(4), backend="eager")
    assert {"torch.where", "torch.cond"} <= {fix.name for fix in recording.breaks[0].fixes}
