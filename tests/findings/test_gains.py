"""What is foretold of a remedy, against what it brings: bytes and calls, counted exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.findings.faults import findings_of, recorded
from tests.findings.speed_mended import FAULTS, MENDED, both, counted

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

_QUICK = ("experts_one_by_one", "attention_by_hand", "first_columns_of_a_projection")


@pytest.mark.parametrize(
    "name",
    [one if one in _QUICK else pytest.param(one, marks=pytest.mark.long) for one in MENDED],
)
def test_the_gain_has_the_right_sign_and_is_within_a_factor_of_two(
    name: str, tmp_path: Path
) -> None:
    rule = FAULTS[name].rule
    before, after = both(name, tmp_path)
    gain = findings_of(before)[0].gain
    assert gain is not None
    foretold, came = gain.before - gain.after, counted(rule, before) - counted(rule, after)
    assert came > 0
    assert 0.5 <= foretold / came <= 2, (gain.before, gain.after, counted(rule, after))
    assert not any(one.rule == rule for one in findings_of(after))


def test_complex_results_are_written_and_read_and_those_of_a_transform_stay(
    tmp_path: Path,
) -> None:
    source = """
    import torch

    def power(x):
        return (torch.fft.fft(x) * torch.complex(x, x)).abs().sum()

    def record(lab):
        return lab.lower(power, torch.randn(64, 64))
    """
    [found] = [
        one
        for one in findings_of(recorded(source, tmp_path, "power"))
        if one.rule == "complex-numbers"
    ]
    assert found.gain is not None
    # x is 16 KiB, a complex result 32: that of complex() and that of the product are spared
    assert found.gain.before - found.gain.after == 2 * (32 + 32) * 1024
