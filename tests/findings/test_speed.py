"""Why is it slower than eager, or no faster? The first finding names cause and line."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from tests.findings import measured_faults, speed_faults
from tests.findings.faults import assert_found_first, assert_told_whole, findings_of, recorded
from tests.findings.speed import fusion_faults, gpu_faults

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

FAULTS = {
    **speed_faults.FAULTS,
    **gpu_faults.FAULTS,
    **fusion_faults.FAULTS,
    **measured_faults.FAULTS,
}
CLEAN = {**speed_faults.CLEAN, **gpu_faults.CLEAN, **fusion_faults.CLEAN, **measured_faults.CLEAN}


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_finding_names_cause_and_line(name: str, tmp_path: Path) -> None:
    assert_told_whole(assert_found_first(FAULTS[name], tmp_path, name), "speed")


@pytest.mark.parametrize("name", CLEAN)
def test_a_program_without_the_fault_has_no_problem(name: str, tmp_path: Path) -> None:
    found = findings_of(recorded(CLEAN[name], tmp_path, name))
    own = [one for one in found if one.question in ("speed", "memory")]
    assert [one.sentence for one in own if one.level == "problem"] == []


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("signal_with_time_first", "x.contiguous()"),
        ("images_with_columns_first", "x.to(memory_format=torch.channels_last)"),
    ],
)
def test_the_layout_to_bring_a_tensor_into_is_the_one_that_is_asked_for(
    name: str, layout: str, tmp_path: Path
) -> None:
    found = findings_of(recorded(FAULTS[name].source, tmp_path, name))[0]
    assert found.code == f"x = {layout}"


def test_data_that_loops_go_through_twice_is_called_as_the_program_calls_it(tmp_path: Path) -> None:
    source = FAULTS["many_sums_over_the_same_data"].source
    found = findings_of(recorded(source, tmp_path, "named"))[0]
    assert "`a`, `b` and `c`" in found.sentence


_TWICE = """
    import torch

    def fn(x):
        return torch.view_as_real(torch.polar(x, x) * 2)

    def record(lab):
        with lab.record() as recorder:
            compiled = torch.compile(fn, dynamic=False)
            compiled(torch.ones(64))
            compiled(torch.ones(128))
        return recorder.recording
"""


def test_a_line_that_is_compiled_twice_is_told_of_once(tmp_path: Path) -> None:
    recording = recorded(textwrap.dedent(_TWICE), tmp_path, "twice")
    assert len(recording.captured_graphs()) == 2
    rules = [one.rule for one in findings_of(recording)]
    assert rules.count("complex-numbers") == 1
