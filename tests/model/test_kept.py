"""Recordings that a notebook keeps in its outputs."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

import dynamo_lab as lab
from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec, kept
from tests.fixtures.notebooks import notebook

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynamo_lab.model.recording import Recording

    Make = Callable[[str], Recording]


def same(a: Recording, b: Recording) -> bool:
    """Whether they hold the same facts: what is loaded also has questions."""
    return codec.encode(a) == codec.encode(b)


def test_a_recording_comes_back_as_it_was(make: Make) -> None:
    recordings = {"one": make("branch_and_print"), "two": make("lowered")}
    bundle = json.loads(json.dumps(kept.packed(recordings)))
    assert kept.unpacked(bundle) == recordings
    assert kept.size(bundle) < 20_000


def test_a_notebooks_recording_is_loaded_by_its_cells_number(make: Make, tmp_path: Path) -> None:
    bundles = {name: kept.packed({"": make(name)}) for name in ("branch_and_print", "lowered")}
    two = notebook(tmp_path / "n.ipynb", _3=bundles["branch_and_print"], _5=bundles["lowered"])
    assert same(lab.load(two, cell=5), make("lowered"))
    with pytest.raises(RecordingFileError, match=r"of cells 3, 5: pass one of them as `cell=`"):
        lab.load(two)
    with pytest.raises(RecordingFileError, match=r"not keep one recording of cell 4, but of"):
        lab.load(two, cell=4)
    one = notebook(tmp_path / "o.ipynb", _3=bundles["branch_and_print"])
    assert same(lab.load(one), make("branch_and_print"))
    with pytest.raises(RecordingFileError, match="keeps no recording: run a cell"):
        lab.load(notebook(tmp_path / "p.ipynb"))
    with pytest.raises(RecordingFileError, match="has no cells: pass a notebook"):
        lab.load(tmp_path / "rec.json", cell=1)


def test_what_was_too_large_is_read_beside_the_notebook(make: Make, tmp_path: Path) -> None:
    (tmp_path / "n_recordings").mkdir()
    codec.save(make("lowered"), tmp_path / "n_recordings" / "c.json.gz")
    bundle = {"file": "n_recordings/c.json.gz", "label": "as recorded"}
    assert same(lab.load(notebook(tmp_path / "n.ipynb", _1=bundle)), make("lowered"))


@pytest.mark.parametrize("name", ["/etc/passwd", "../rec.json", "a/../../rec.json", "a\\b", ""])
def test_a_notebook_leads_to_no_other_place(name: str, make: Make, tmp_path: Path) -> None:
    codec.save(make("lowered"), tmp_path / "rec.json")
    (tmp_path / "deep").mkdir()
    with pytest.raises(RecordingFileError):
        kept.unpacked({"file": name}, folder=tmp_path / "deep")
    with pytest.raises(RecordingFileError, match="not beside it"):
        kept.unpacked({"file": "rec.json"}, folder=None)


@pytest.mark.parametrize(
    "bundle",
    [
        None,
        [],
        {},
        {"recordings": 3},
        {"recordings": {}},
        {"recordings": {"": "not base64!"}},
        {"recordings": {"": 5}},
        {"recordings": {"": base64.b64encode(gzip.compress(b"{}")).decode()}},
        {"recordings": {"": base64.b64encode(b"\x1f\x8b cut").decode()}},
    ],
)
def test_what_is_damaged_says_so(bundle: Any, tmp_path: Path) -> None:
    with pytest.raises(RecordingFileError):
        kept.unpacked(bundle)
    with pytest.raises(RecordingFileError):
        lab.load(notebook(tmp_path / "n.ipynb", _1=bundle))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"cells": {"outputs": 3}}', '{"cells": [[]]}'])
def test_what_is_no_notebook_says_so(text: str, tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(text)
    with pytest.raises(RecordingFileError):
        lab.load(tmp_path / "n.ipynb")
    with pytest.raises(RecordingFileError, match="no file"):
        lab.load(tmp_path / "gone.ipynb")
