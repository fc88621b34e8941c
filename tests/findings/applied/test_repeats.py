"""A change that is applied is called again: what compiles at each call is not mended."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from dynamo_lab.live import repeats
from dynamo_lab.live.repeats import Repeats
from dynamo_lab.view.findings import findings
from dynamo_lab.view.findings.changes import Setting
from tests.findings.applied.test_apply import _recorded, _rule  # pyright: ignore[reportPrivateUsage]

pytestmark = pytest.mark.live


class Hooked(nn.Module):
    """A module that keeps the mean of each of its outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.seen = nn.Linear(4, 4), list[float]()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x)
        self.seen.append(y.detach().mean().item())
        return y.relu()


@pytest.mark.slow
def test_a_storm_in_later_calls_is_told_of_a_change_that_ends_the_breaks() -> None:
    module = Hooked()
    recording = _recorded(module, grad=False)
    applied = recording.findings[0].apply()
    assert applied.verdict == "not known", str(applied)
    assert "each call compiles again (3 graphs in 3 calls after the first)" in applied.sentence
    assert "So it does without it" in applied.sentence
    assert applied.seconds is None, "past the limit it is eager that is timed"
    assert ("graphs that later calls compile", "6 in 3", "3 in 3") in applied.rows
    assert len(module.seen) == 1
    assert "3 graphs in 3 calls, without the fix 6" in recording.breaks[0].try_fix().later


def test_a_change_that_starts_a_storm_has_hurt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "RULES", (_rule(Setting("capture_scalar_outputs")),))
    found = map(Repeats, ((1, 0, 0), (1, 1, 1)))
    monkeypatch.setattr(repeats, "repeated", lambda _: next(found))
    applied = _recorded(Hooked(), grad=False).findings[0].apply()
    assert applied.verdict == "hurt"
    assert applied.sentence.endswith("Without it, none does.")
    assert "Write:" not in str(applied)


def test_a_number_that_becomes_dynamic_is_no_storm() -> None:
    calls = [0]

    def counts(x: torch.Tensor) -> torch.Tensor:
        calls[0] += 1
        print("here")
        return x * calls[0]

    applied = _recorded(counts).findings[0].apply()
    assert applied.verdict == "helped", str(applied)
    assert calls == [1]
    assert not Repeats((1, 0, 0)).goes_on
