"""What is foretold of a remedy, against what it brings: bytes and calls, counted exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

import dynamo_lab as lab
from tests.findings.faults import findings_of, recorded
from tests.findings.speed_mended import MENDED, both, counted, fault_of, mended, numbers

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

_QUICK = ("experts_one_by_one", "attention_by_hand", "first_columns_of_a_projection")
_NONE_FORETOLD = {"cuda_graph_and_a_size_from_data", "number_as_a_size", "rows_chosen_by_a_mask"}
"""Nothing is foretold where CUDA graphs replay the rest already, nor of what waits for the GPU."""
_OTHER = {"validation_loop"}
"""A program that calls what it compiled itself: it has nothing to be called without that."""


@pytest.mark.parametrize(
    "name",
    [one if one in _QUICK else pytest.param(one, marks=pytest.mark.long) for one in MENDED],
)
def test_the_remedy_ends_the_finding_and_gains_what_is_foretold(name: str, tmp_path: Path) -> None:
    """In bytes or calls, within a factor of two; and what the program computes stays the same."""
    rule = fault_of(name).rule
    before, after = both(name, tmp_path)
    found = findings_of(before)[0]
    assert found.rule == rule
    assert not any(one.rule == rule for one in findings_of(after))
    gain = found.gain
    assert (gain is None) == (name in _NONE_FORETOLD)
    if gain is not None:
        foretold, came = gain.before - gain.after, counted(rule, before) - counted(rule, after)
        assert came > 0
        assert 0.5 <= foretold / came <= 2, (gain.before, gain.after, counted(rule, after))
    if name not in _OTHER:
        _computes_the_same(name, tmp_path)


def _computes_the_same(name: str, folder: Path) -> None:
    """The numbers, which a wider or narrower type may carry; without a gradient there is none."""
    was = numbers(fault_of(name).source, folder, "at_fault")
    now = numbers(mended(name), folder, "mended")
    alike = 1 if ":" in name else len(now)  # another way gives and takes other values besides
    assert alike == len(was) or ":" in name or fault_of(name).rule == "saved-in-vain"
    for one, other in zip(now[:alike], was[:alike], strict=True):
        torch.testing.assert_close(one, other, check_dtype=False, rtol=1e-4, atol=1e-4)


def _every_pair(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return (a[:, None] - b[None]).pow(2) @ weight


def _in_parts(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.cat([_every_pair(part, b, weight) for part in a.split(32)])


def test_pairs_in_parts_take_less_where_each_part_is_a_call() -> None:
    """Of one graph the parts are all made before the first is read, as PyTorch 2.13 orders it."""
    a, b, weight = torch.randn(256, 32), torch.randn(200, 32), torch.randn(32, 1)
    [found] = [one for one in findings_of(lab.lower(_every_pair, a, b, weight)) if one.gain]
    assert found.rule == "blown-up-tensor"
    assert "call the compiled function with parts" in found.remedy
    assert found.gain is not None
    part = lab.lower(_every_pair, a[:32], b, weight)
    assert findings_of(part) == ()
    came = found.gain.before - counted(found.rule, part)
    assert 0.5 <= (found.gain.before - found.gain.after) / came <= 2
    torch.testing.assert_close(_in_parts(a, b, weight), _every_pair(a, b, weight))


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


def test_what_a_transform_reads_is_in_memory_either_way(tmp_path: Path) -> None:
    source = """
    import torch

    def filtered(x, h):
        return torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(h)) * 2

    def record(lab):
        return lab.lower(filtered, torch.randn(16, 64), torch.randn(16, 64))
    """
    recording = recorded(source, tmp_path, "filtered")
    [found] = [one for one in findings_of(recording) if one.rule == "complex-numbers"]
    assert found.gain is None


def test_a_view_of_complex_numbers_is_no_work_and_what_it_views_stays(tmp_path: Path) -> None:
    source = """
    import torch

    def magnitude(x):
        z = torch.fft.rfft(x)
        z = z.transpose(1, 2)[:, 1:]
        return z.abs().log1p()  # fault

    def record(lab):
        return lab.lower(magnitude, torch.randn(4, 16, 64))
    """
    recording = recorded(source, tmp_path, "magnitude")
    [found] = [one for one in findings_of(recording) if one.rule == "complex-numbers"]
    assert "abs is 1 library call," in found.sentence
    assert found.sentence.startswith("Line 7 ")
    assert found.gain is None  # abs() reads what the transform wrote, as real parts would be


def test_a_complex_view_of_an_input_is_read_as_its_real_parts_would_be(tmp_path: Path) -> None:
    source = """
    import torch

    def rotated(x, turns):
        z = torch.view_as_complex(x.reshape(4, 8, 8, 2))
        return torch.view_as_real(z * turns).flatten(2)

    def record(lab):
        turns = torch.polar(torch.ones(8, 8), torch.randn(8, 8))
        return lab.lower(rotated, torch.randn(4, 8, 16), turns)
    """
    recording = recorded(source, tmp_path, "rotated")
    [found] = [one for one in findings_of(recording) if one.rule == "complex-numbers"]
    assert found.gain is None  # the one kernel of real parts reads and writes as much
