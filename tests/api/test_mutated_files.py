"""A file with strange fields is refused with a sentence, or it shows in every form."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

import dynamo_lab as lab
from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import DrawingError, ExportError, RecordingFileError
from dynamo_lab.live.session import Session
from dynamo_lab.model.core import codec
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.render.page import page
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build
from tests.api.mutations import mutated
from tests.view import samples

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("hostile", "film", "scheduled", "measured")
FEW, MANY = 12, 1_000
QUERIES = ("op:mm module:a", "shape:8x8 dtype:f32", "line:1", "bytes:>1 users:0", "x")


@pytest.mark.parametrize("kind", KINDS)
def test_a_few(kind: str, tmp_path: Path) -> None:
    assert tried(kind, FEW, tmp_path) > 0


@pytest.mark.release
@pytest.mark.parametrize("kind", KINDS)
def test_many(kind: str, tmp_path: Path) -> None:
    assert tried(kind, MANY, tmp_path) > MANY // 10


def tried(kind: str, count: int, folder: Path) -> int:
    """How many of the files loaded; each of these is shown in every form."""
    original = Recording.of(getattr(samples, kind)(), Session())
    loaded = 0
    for seed in range(count):
        found = decoded(mutated(original, seed))
        if isinstance(found, str):
            assert "\n" not in found, seed
            assert len(found) < 500, seed
            continue
        loaded += 1
        try:
            shown(found, original, folder)
        except Exception as error:
            raise AssertionError(f"mutation {seed} of {kind}") from error
    return loaded


def decoded(data: bytes) -> Recording | str:
    """The recording in a file, or why it is refused."""
    try:
        return codec.decode(data, Recording)
    except RecordingFileError as error:
        return str(error)


def shown(found: Recording, original: Recording, folder: Path) -> None:
    """All that can be done with a file that was loaded."""
    view = build(found)
    assert f"{found}{found!r}{fallback(view)}{page(view)}".encode()
    assert render(view, color=True, width=60).encode()
    assert f"{lab.diff(original, found)}{lab.diff(found, original)}".encode()
    for query in QUERIES:
        found.find(query)
    found.save(folder / "run.json")
    assert codec.encode(lab.load(folder / "run.json")) == codec.encode(found)
    found.to_html(folder / "run.html")
    refused = contextlib.suppress(DrawingError, ExportError)
    for graph in found.graphs[:4]:
        with refused:
            found.to_dot(graph.id)
    for form in ("perfetto", "model-explorer", "tritonparse"):
        with refused:
            found.export(folder / "other.json", form)
