"""A file with strange fields is refused with a sentence, or it shows in every form."""

from __future__ import annotations

import contextlib
import json
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
from tests.model.files import wrapped
from tests.view import samples

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("hostile", "film", "scheduled", "measured")
FEW, MANY = 12, 1_000
QUERIES = ("op:mm module:a", "shape:8x8 dtype:f32", "line:1", "bytes:>1 users:0", "x")


def changed(name: str, path: str, value: object) -> bytes:
    """The file of a sample with one value replaced: `path` leads to it, through lists too."""
    tree = json.loads(codec.encode(getattr(samples, name)()))["recording"]
    *way, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
    holder = tree
    for part in way:
        holder = holder[part]
    assert holder[last] != value
    holder[last] = value
    return wrapped(tree)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("nested", "frames.0.attempts.0.graph", 1),  # the body of a higher-order operator
        ("scheduled", "frames.0.attempts.0.graph", 3),  # of another stage
        ("nested", "graphs.0.parent", 1),
        ("film", "film.takes.0.compile_id", "0/x"),
        ("film", "film.takes.0.compile_id", f"0/{'9' * 5000}"),
        ("branch_and_print", "graphs.0.nodes.values.0.shape.0", "9" * 5000),
        ("branch_and_print", "graphs.0.nodes.values.0.stride.0", "9" * 5000),
        ("branch_and_print", "graphs.0.nodes.strings.3", "a." * 5000),
        ("hostile", "recompiles.1.failed.0.text", f"size mismatch at index {'9' * 5000}"),
        ("measured", "benchmark.series.0.seconds.0", 1e-320),
        ("hostile", "buffers.0.body.0.3", 2**62),
        ("hostile", "buffers.0.body.0.3", -(10**30)),
    ],
)
def test_what_once_loaded_and_then_raised(
    name: str, path: str, value: object, tmp_path: Path
) -> None:
    found = decoded(changed(name, path, value))
    if isinstance(found, Recording):
        shown(found, Recording.of(getattr(samples, name)(), Session()), tmp_path)
    else:
        assert "is damaged" in found


@pytest.mark.parametrize("kind", KINDS)
def test_a_few(kind: str, tmp_path: Path) -> None:
    assert tried(kind, FEW, tmp_path) > 0


@pytest.mark.long
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
