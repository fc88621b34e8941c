"""A program whose own operator is not what its fake says: that is named, not the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live


@torch.library.custom_op("found_wrong::turned", mutates_args=())
def turned(x: torch.Tensor) -> torch.Tensor:
    return x.t().contiguous() * 2


@torch.library.custom_op("found_wrong::widened", mutates_args=())
def widened(x: torch.Tensor) -> torch.Tensor:
    return x.double() * 2


@torch.library.custom_op("found_wrong::kept", mutates_args=())
def kept(x: torch.Tensor) -> torch.Tensor:
    return x * 2


for _operator in (turned, widened, kept):
    _operator.register_fake(torch.empty_like)  # true of the last alone


def _turns(x: torch.Tensor) -> torch.Tensor:
    return turned(x).sin()


def _widens(x: torch.Tensor) -> torch.Tensor:
    return widened(x).sin()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "verdict", "said"),
    [
        (_turns, "crash", "the fake says float32 [8, 4] with strides [4, 1]"),
        (_widens, "bug", "float64 [8, 4] with strides [4, 1] on cpu came out"),
    ],
)
def test_a_wrong_fake_is_named_and_no_part_of_the_compiler(
    program: Callable[..., Any], verdict: str, said: str
) -> None:
    found = lab.why_wrong(program, torch.randn(8, 4))
    assert found.verdict == verdict
    assert [(c.kind, c.name) for c in found.facts.culprits] == [
        ("fake", f"found_wrong::{'turned' if program is _turns else 'widened'}")
    ]
    assert said in found.facts.sentence
    shown = build(found.recording).bisection
    assert shown
    assert shown.line.startswith("return ")
    assert "The compiler" not in shown.title
    [finding] = [one for one in found.recording.findings if one.rule == "miscompiled"]
    assert "Report it to PyTorch" not in finding.remedy


def test_a_true_fake_is_not_blamed() -> None:
    from dynamo_lab.capture.bisections.fakes import wrong_fakes

    names = {"found_wrong::kept", "found_wrong::widened"}
    assert not wrong_fakes(lambda: kept(torch.randn(8, 1).t()), names)
    assert [one.operator for one in wrong_fakes(lambda: widened(kept(torch.ones(2))), names)] == [
        "found_wrong::widened"
    ]


def test_a_recording_that_stopped_at_a_fake_s_word_says_so_at_the_reader_s_line() -> None:
    recording = lab.explore(_turns, torch.randn(8, 4))
    finding = recording.findings[0]
    assert finding.rule == "wrong-fake"
    assert "found_wrong::turned" in finding.sentence
    assert "return turned(x).sin()" in str(recording)
    assert not [s for s in recording.sources if s.kind == "user" and "test_fakes" not in s.path]
