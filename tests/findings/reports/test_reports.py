"""What people reported to PyTorch: the first finding, or `why_wrong`, answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dynamo_lab.bench.bisections.trials import MOST
from dynamo_lab.view import build
from tests.findings.faults import faulty_line
from tests.findings.reports.asked import asked
from tests.findings.reports.programs import REPORTS, UNREAD, Report

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

_LONG = ("190765",)
_WRONG = [
    pytest.param(one, id=one.number, marks=pytest.mark.long if one.number in _LONG else ())
    for one in REPORTS
    if one.verdict
]
_OTHERS = [pytest.param(one, id=one.number) for one in REPORTS if one.rule]


@pytest.mark.slow
@pytest.mark.parametrize("report", _WRONG)
def test_why_wrong_names_the_part_and_the_line(report: Report, tmp_path: Path) -> None:
    recording = asked(report, tmp_path)
    found = recording.bisection
    assert found.verdict == report.verdict, found
    assert len(found.trials) <= MOST
    kind, name = report.part
    named = [(one.kind, one.name) for one in found.culprits if one.kind not in _SHOWS]
    assert named[-1:] == ([report.part] if kind else []), (named, name)
    if report.verdict == "bug":
        shown = build(recording)
        assert shown.bisection
        assert shown.bisection.entity.endswith(f":{faulty_line(report.source)}")
        assert shown.findings.found[0].question == "numbers"


_SHOWS = ("kernel", "statement")


@pytest.mark.parametrize("report", _OTHERS)
def test_the_first_finding_names_cause_and_line(report: Report, tmp_path: Path) -> None:
    found = build(asked(report, tmp_path)).findings.found
    said = [(one.rule, one.where, one.sentence) for one in found]
    assert said
    assert found[0].rule == report.rule, said
    assert found[0].entity.endswith(f":{faulty_line(report.source)}"), said


def test_the_written_input_is_named(tmp_path: Path) -> None:
    [report] = [one for one in REPORTS if one.number == "117281"]
    found = build(asked(report, tmp_path)).findings.found[0]
    assert "the input `mean`" in found.sentence
    assert found.code == "torch._dynamo.mark_static_address(mean)"


def test_the_sizes_that_are_recorded_anew_are_named(tmp_path: Path) -> None:
    [report] = [one for one in REPORTS if one.number == "188150"]
    found = build(asked(report, tmp_path)).findings.found[0]
    assert "each new value of `table.shape[0]` and `tokens.shape[0]`" in found.sentence
    assert found.level == "note"


def test_nothing_is_claimed_of_reports_that_were_not_read() -> None:
    assert not {one.number for one in REPORTS} & set(UNREAD)
