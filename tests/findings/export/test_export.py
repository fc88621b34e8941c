"""Why does it not export? Seeded faults: the first finding names cause and line, and helps."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.export import Dim

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.findings.export.exporting import CLEAN, FAULTS
from tests.findings.faults import (
    Fault,
    assert_found_first,
    assert_told_whole,
    findings_of,
    program,
    recorded,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

WITH_SHAPES = (
    "constant",
    "constant_strict",
    "constant_of_a_hint",
    "constant_in_a_dict",
    "size_of_one",
    "equal",
    "equal_strict",
    "range",
    "halves",
    "number_with_a_dim",
)
"""Those whose finding suggests `dynamic_shapes`."""


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_finding_names_cause_and_line(name: str, tmp_path: Path) -> None:
    found = assert_found_first(FAULTS[name], tmp_path, f"export_{name}")
    assert_told_whole(found, "export")


@pytest.mark.parametrize("name", CLEAN)
def test_what_exports_has_no_finding(name: str, tmp_path: Path) -> None:
    recording = recorded(CLEAN[name], tmp_path, f"exported_{name}")
    assert recording.failure is None
    assert [(one.rule, one.sentence) for one in findings_of(recording)] == []
    assert "`torch.export` captured `Model` as one graph" in build(recording).summary.sentence


@pytest.mark.parametrize("name", WITH_SHAPES)
def test_the_suggested_shapes_export(name: str, tmp_path: Path) -> None:
    made = program(FAULTS[name].source, tmp_path, f"shapes_{name}")
    [found, *_] = findings_of(made.record(lab))
    written: dict[str, Any] = {"Dim": Dim}
    exec(found.code, written)
    assert made.export(dynamic_shapes=written["dynamic_shapes"])


@pytest.mark.parametrize(("name", "strict"), [("numpy", True), ("disabled", False)])
def test_the_other_way_of_exporting_does(name: str, strict: bool, tmp_path: Path) -> None:
    made = program(FAULTS[name].source, tmp_path, f"strict_{name}")
    assert f"strict={strict}" in findings_of(made.record(lab))[0].code
    assert made.export(strict=strict)


@pytest.mark.parametrize("name", ["number", "number_strict"])
def test_a_number_that_is_checked_exports(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    [found, *_] = findings_of(recorded(fault.source, tmp_path, f"asked_{name}"))
    line = "    if count > 3:  # fault"
    mended = fault.source.replace(line, f"    {found.code}\n    {line}")
    assert program(mended, tmp_path, f"checked_{name}").export()


def test_where_the_program_would_raise_the_opposite_is_checked(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(FAULTS["raises_for_a_count"].source, tmp_path, "raises_if"))
    assert found.code == "torch._check(kept.numel() == y.numel())"
    [found, *_] = findings_of(recorded(FAULTS["raises_for_values"].source, tmp_path, "raises_nan"))
    assert "torch._assert_async" in found.remedy
    assert "cond" not in found.code


@pytest.mark.parametrize(
    ("written", "check"),
    [
        ("if kept.numel() != 2: raise ValueError", "torch._check(kept.numel() == 2)"),
        ("if (\n            kept.numel() != 2\n        ):\n            raise ValueError", ""),
        ("if not kept.numel() == 2:\n            raise ValueError", ""),
    ],
)
def test_a_test_before_a_raise_is_told_however_it_is_written(
    written: str, check: str, tmp_path: Path
) -> None:
    before, _, rest = FAULTS["raises_for_a_count"].source.partition("if kept")
    after = rest[rest.index("return kept") :]
    [found, *_] = findings_of(recorded(f"{before}{written}\n        {after}", tmp_path, "written"))
    assert found.remedy.startswith("Where it is so, the program raises.")
    assert found.code == check


def test_a_branch_in_the_graph_exports(tmp_path: Path) -> None:
    """With the blanks filled in."""
    fault = FAULTS["branch"]
    [found, *_] = findings_of(recorded(fault.source, tmp_path, "branch"))
    code = found.code.replace("if_true", "torch.neg").replace("if_false", "torch.abs")
    line = "    if x.sum() > 0:  # fault"
    mended = fault.source.replace(line, f"    return {code.replace('(...,)', '(x,)')}\n    {line}")
    assert program(mended, tmp_path, "mended_branch").export()


def test_a_registered_operator_and_class_export(tmp_path: Path) -> None:
    for name in ("operator", "input"):
        fault = Fault("", FAULTS[name].source.replace("lab_a", "lab_d"))
        made = program(fault.source, tmp_path, f"registered_{name}")
        exec(findings_of(made.record(lab))[0].code, vars(made))
        assert made.export()


def test_a_buffer_is_written_by_the_exported_program(tmp_path: Path) -> None:
    source = FAULTS["attribute"].source
    code = findings_of(recorded(source, tmp_path, "attribute"))[0].code
    line = "self.total = torch.zeros(())"
    mended = source.replace(line, f"total = torch.zeros(()); {code}").replace(
        ", self.total)", ", total)"
    )
    counting = program(mended, tmp_path, "buffer").export().module()
    losing = program(source, tmp_path, "lost").export().module()
    x = torch.ones(4, 8)
    assert not torch.equal(counting(x), counting(x))
    assert torch.equal(losing(x), losing(x))


def test_a_size_that_auto_fixes_is_a_note(tmp_path: Path) -> None:
    source = FAULTS["constant"].source.replace('Dim("rows")', "Dim.AUTO")
    recording = recorded(source, tmp_path, "auto")
    [found] = findings_of(recording)
    assert (found.rule, found.level) == ("auto-fixed", "note")
    assert "needs it" in found.sentence
    assert recording.failure is None


@pytest.mark.parametrize("strict", [True, False])
def test_an_example_that_its_dim_allows_exports(strict: bool, tmp_path: Path) -> None:
    made = program(FAULTS["example_outside"].source, tmp_path, f"outside_{strict}")
    with lab.record() as recorder, contextlib.suppress(Exception):
        made.export(strict=strict)
    [found] = findings_of(recorder.recording)
    assert "a size of 8, where its `Dim` allows 20 or more" in found.sentence
    assert made.export(strict=strict, args=(torch.ones(4, 20),))
    assert made.export(strict=strict, dynamic_shapes={"x": {1: Dim("columns", min=8)}})
