"""Why is no package made? The first finding names cause and line, and what it says to do works."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.findings.export.packaging import CLEAN, FAULTS
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


@pytest.mark.parametrize("name", FAULTS)
def test_the_first_finding_names_cause_and_line(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    found = assert_found_first(Fault("not-packaged", fault.source), tmp_path, f"unpacked_{name}")
    assert_told_whole(found, "export")
    assert fault.said in found.sentence
    assert not found.can_apply


UNBUILT = {"aot_inductor.package_cpp_only": True}
"""A package of the sources: they are written, and no C++ compiler builds them, for ten seconds."""


def packed_unbuilt(source: str, folder: Path, name: str) -> str:
    made = program(source, folder, name)
    asked = made.given().get("inductor_configs", {})
    return made.package(inductor_configs={**asked, **UNBUILT})


@pytest.mark.parametrize("name", [name for name in FAULTS if name != "compiler"])
def test_what_it_says_to_do_makes_a_package(name: str, tmp_path: Path) -> None:
    source = FAULTS[name].source
    mended = source.replace(*FAULTS[name].mended)
    assert mended != source
    with pytest.raises(Exception, match=r"\w"):  # none of the faults is the C++ compiler's
        packed_unbuilt(source, tmp_path, f"unpacked_{name}")
    assert packed_unbuilt(mended, tmp_path, f"packed_{name}")


@pytest.mark.slow
def test_another_compiler_makes_a_package(tmp_path: Path) -> None:
    mended = FAULTS["compiler"].source.replace(*FAULTS["compiler"].mended)
    assert program(mended, tmp_path, "packed_compiler").package()


def test_a_setting_that_is_spelled_wrong_has_one_like_it(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(FAULTS["setting"].source, tmp_path, "spelled"))
    assert "Did you mean `cpp.max_horizontal_fusion_size`?" in found.remedy


def test_it_is_said_once_in_the_summary_and_in_each_output(tmp_path: Path) -> None:
    recording = recorded(FAULTS["ending"].source, tmp_path, "told")
    assert recording.failure is not None
    assert recording.failure.caught
    sentence = build(recording).summary.sentence
    assert sentence.count("Expect package path") == 1
    assert "The package was not made" in sentence
    told = "has to end in `.pt2`"
    assert told in str(recording)
    assert isinstance(recording, lab.Recording)
    recording.to_html(tmp_path / "page.html")
    assert "has to end in" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_nothing_is_said_of_dynamo_or_of_another_backend(tmp_path: Path) -> None:
    exported = "exported = torch.export.export(Model(), (torch.ones(4, 8),))"
    source = FAULTS["setting"].source.replace(exported, "exported = EXPORTED")
    source = source.replace("def given", f"{exported.upper()[:8]}{exported[8:]}\n\ndef given")
    recording = recorded(source, tmp_path, "alone")
    view = build(recording)
    assert not recording.frames
    assert recording.package_failures
    assert "Dynamo" not in view.summary.sentence
    assert "backend" not in str(recording)


def test_one_that_is_not_caught_is_found_as_well(tmp_path: Path) -> None:
    made = program(FAULTS["not_exported"].source, tmp_path, "ends")
    with contextlib.suppress(ValueError), lab.record() as recorder:
        made.package()
    assert recorder.recording.failure is not None
    assert not recorder.recording.failure.caught
    assert findings_of(recorder.recording)[0].rule == "not-packaged"


@pytest.mark.slow
def test_a_package_that_is_made_has_no_finding(tmp_path: Path) -> None:
    recording = recorded(CLEAN, tmp_path, "packed")
    assert recording.failure is None
    assert findings_of(recording) == ()
    assert recording.package_failures == ()


def test_a_call_that_was_imported_by_name_is_recorded_where_it_compiles(tmp_path: Path) -> None:
    source = FAULTS["compiler"].source.replace(
        "import torch._inductor\n", "from torch._inductor import aoti_compile_and_package\n"
    )
    source = source.replace("return torch._inductor.aoti", "return aoti")
    recording = recorded(source, tmp_path, "by_name")
    assert [one.stage for one in recording.package_failures] == ["compile"]
