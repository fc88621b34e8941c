"""Each program of the gallery runs, and its page has the view that its picture shows."""

from __future__ import annotations

import importlib.util
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).parents[2] / "notebooks" / "docs"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gallery = _load("make_gallery")
_NEEDS = {"quantized": "torchao"}


def _at_release(name: str) -> Any:
    """One program runs every time, all of them before a release."""
    package = _NEEDS.get(name, "torch")
    lacks = pytest.mark.skipif(find_spec(package) is None, reason=f"needs {package}")
    return pytest.param(name, marks=lacks if name == "cond" else (lacks, pytest.mark.release))


def test_there_are_a_dozen() -> None:
    assert len(gallery.names()) >= 12


def _first(made: Any) -> Any:
    """The recording of a program, of the first rank, or of a planned training step."""
    if hasattr(made, "replanned"):
        return made.recording
    return made if hasattr(made, "notes") else next(iter(made.values()))


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("name", [_at_release(name) for name in gallery.names()])
def test_a_program_runs_and_its_page_can_be_written(name: str, tmp_path: Path) -> None:
    recording, view = gallery.run(name)
    recording.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 2_500_000
    first = _first(recording)
    assert [note.message for note in first.notes if note.level == "failure"] == []
    assert first.captured_graphs() or first.training
    tab = view.partition(" > ")[0]
    shown = {
        "breaks": first.breaks,
        "graphs": first.graphs,
        "autograd": first.partitions,
        "decompositions": first.decompositions,
        "passes": [one for one in first.passes if one.changes],
        "lowering": first.buffers,
        "fusion": first.fusions,
        "memory": first.memory_plans or first.training,
        "compiler": first.lab_graphs,
        "kernels": first.kernels,
        "bench": first.benchmark,
        "guards": first.recompiles,
        "package": first.packages,
        "attention": first.attentions,
        "choices": first.layout_choices,
        "fast_path": first.fast_paths,
        "ranks": first.rank,
    }
    assert shown[tab]
