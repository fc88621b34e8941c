"""A remedy of an export that failed, applied: it exports then, with the numbers of eager."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.errors import FixError
from tests.findings.export.exporting import FAULTS
from tests.findings.export.test_export import WITH_SHAPES
from tests.findings.faults import program

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.api.recording import Recording

pytestmark = pytest.mark.live

APPLIED = (
    *WITH_SHAPES,
    "numpy",
    "disabled",
    "number",
    "number_strict",
    "raises_for_a_count",
)

_HEAD = """import torch
from torch.export import Dim

class Model(torch.nn.Module):
    def forward(self, x, y):
        {body}

def record(lab):
    x, y = torch.ones(4, 8), torch.ones(4, 8)
    with lab.record() as recorder:
        try:
            {call}
        except Exception:
            pass
    return recorder.recording
"""
_EQUAL = '{"x": {0: Dim("a")}, "y": {0: Dim("b")}}'
CALLS = {
    "given": f"torch.export.export(Model(), (x, y), dynamic_shapes={_EQUAL})",
    "first": f"made = torch.export.export(Model(), (x, y), dynamic_shapes={_EQUAL}, strict=True)",
    "lines": f"torch.export.export(\n                Model(),\n                (x, y),\n"
    f"                dynamic_shapes={_EQUAL},\n            )",
    "after_text": f"torch.export.export(Model(), (x, y), {{}}, dynamic_shapes={_EQUAL}); 'é'",
}


def _recorded(body: str, call: str, folder: Path, name: str) -> Recording:
    return program(_HEAD.format(body=body, call=call), folder, name).record(lab)


@pytest.mark.parametrize("name", APPLIED)
def test_it_exports_with_the_numbers_of_eager(name: str, tmp_path: Path) -> None:
    recording = program(FAULTS[name].source, tmp_path, f"applied_{name}").record(lab)
    [found, *_] = recording.findings
    assert found.can_apply
    assert f"rec.findings[{found.id}].apply()" in str(found)
    assert f"rec.findings[{found.id}].apply()" in str(recording)
    applied = found.apply()
    assert applied.verdict == "helped", str(applied)
    assert applied.numbers.same, str(applied)
    assert applied.recording.failure is None
    assert not applied.recording.exports[-1].error
    assert "Write:" in str(applied)


@pytest.mark.parametrize("name", ["equal", "range", "halves"])
def test_other_sizes_are_tried_as_well(name: str, tmp_path: Path) -> None:
    recording = program(FAULTS[name].source, tmp_path, f"sizes_{name}").record(lab)
    sentence = recording.findings[0].apply().numbers.sentence
    assert "at the example's sizes and where `x.shape[0]` is" in sentence


def test_a_check_that_the_example_does_not_meet_is_no_help(tmp_path: Path) -> None:
    source = FAULTS["number"].source.replace("[2, 5]", "[2, 1]")
    applied = program(source, tmp_path, "unmet").record(lab).findings[0].apply()
    assert applied.verdict != "helped", str(applied)
    assert "Write:" not in str(applied)


def test_what_computes_something_else_at_another_size_is_no_help(tmp_path: Path) -> None:
    body = "return x + y if torch.compiler.is_exporting() else x + y + (x.shape[0] > 4)"
    applied = _recorded(body, CALLS["given"], tmp_path, "other").findings[0].apply()
    assert applied.verdict == "hurt", str(applied)
    assert "where `x.shape[0]` is 7" in applied.numbers.sentence


def test_the_model_is_as_it_was_afterwards(tmp_path: Path) -> None:
    body = "self.seen += 1\n        return x + y + self.seen"
    source = _HEAD.format(body=body, call=CALLS["given"]).replace(
        "    def forward",
        '    def __init__(self):\n        super().__init__()\n        self.register_buffer("seen", '
        "torch.zeros(()))\n\n    def forward",
    )
    source = source.replace("Model(), (x", "MODEL, (x").replace(
        "def record", "MODEL = Model()\n\ndef record"
    )
    made = program(source, tmp_path, "buffered")
    applied = made.record(lab).findings[0].apply()
    assert applied.verdict == "helped", str(applied)
    assert torch.equal(made.MODEL.seen, torch.zeros(()))


@pytest.mark.parametrize("name", CALLS)
def test_the_edited_source_exports(name: str, tmp_path: Path) -> None:
    recording = _recorded("return x + y", CALLS[name], tmp_path, f"edited_{name}")
    [found, *_] = recording.findings
    assert found.edit is not None
    path = tmp_path / f"edited_{name}.py"
    rows = path.read_text(encoding="utf-8").split("\n")
    for part in reversed(found.edit.parts):
        at = part.line - 1
        assert rows[at : at + len(part.removed)] == list(part.removed)
        rows[at : at + len(part.removed)] = part.added
    edited = "\n".join(rows)
    ast.parse(edited)
    again = program(edited, tmp_path, f"again_{name}").record(lab)
    assert again.findings == ()
    assert again.failure is None


def test_a_size_that_became_another_is_said_to_equal_it(tmp_path: Path) -> None:
    sizes = '{"x": {0: Dim("a", max=64)}, "y": {0: Dim("b", max=32)}}'
    call = CALLS["given"].replace(_EQUAL, sizes)
    found = _recorded("return x.sin() + y", call, tmp_path, "became").findings[0]
    assert found.sentence.endswith(
        ("`x.shape[0] == y.shape[0]` has to hold.", "`y.shape[0] == x.shape[0]` has to hold.")
    )
    assert "max=32" in found.code


def test_an_edit_names_dim_in_full_where_it_is_not_imported(tmp_path: Path) -> None:
    call = "torch.export.export(Model(), (x, y), dynamic_shapes=shapes)"
    source = _HEAD.format(body="return x + y", call=call).replace(
        "from torch.export import Dim\n",
        "a, b = torch.export.Dim('a'), torch.export.Dim('b')\n"
        "shapes = {'x': {0: a}, 'y': {0: b}}\n",
    )
    [found, *_] = program(source, tmp_path, "full").record(lab).findings
    assert found.edit is not None
    [part] = found.edit.parts
    assert part.added[0].strip() == "a = torch.export.Dim('a')"


def test_what_is_not_to_be_seen_is_not_edited(tmp_path: Path) -> None:
    call = "torch.export.export(**dict(mod=Model(), args=(x, y), dynamic_shapes=" + _EQUAL + "))"
    [found, *_] = _recorded("return x + y", call, tmp_path, "hidden").findings
    assert found.can_apply
    assert found.edit is None


def test_of_a_recording_from_a_file_nothing_is_exported_again(tmp_path: Path) -> None:
    _recorded("return x + y", CALLS["given"], tmp_path, "saved").save(tmp_path / "run.json.gz")
    loaded = lab.load(tmp_path / "run.json.gz")
    assert "apply()" not in str(loaded)
    with pytest.raises(FixError, match="no longer at hand"):
        loaded.findings[0].apply()
