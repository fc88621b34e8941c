"""What this package answers to a report: the recording, with the search where results are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

import dynamo_lab as lab
from tests.findings.faults import program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.findings.reports.programs import Report


def asked(report: Report, folder: Path) -> Any:
    """The recording in which the answer is, of the program in a file of its own."""
    made = program(report.source, folder, f"report_{report.number}")
    options: dict[str, Any] = dict(report.options)
    torch.manual_seed(0)
    if report.verdict:
        return lab.why_wrong(made.fn, *made.arguments(), **options).recording
    if "mode" in options:  # asked of a machine without a GPU
        return lab.lower(made.fn, *made.arguments(), target="cuda:sm_90", **options)
    untyped: Any = torch
    with lab.record() as recorder:
        made.run(untyped.compile(made.fn, **options))
    return recorder.recording
