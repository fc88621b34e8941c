"""A recording of a program under our compiler has its kernels, tied to nodes and lines."""

from __future__ import annotations

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.view import build

pytestmark = pytest.mark.live


def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x @ w, -1) + 1


@pytest.fixture(scope="module")
def recording() -> lab.Recording:
    torch.compiler.reset()
    return lab.explore(program, torch.randn(32, 24), torch.randn(24, 28), backend="lab")


def test_kernels_and_calls_are_recorded(recording: lab.Recording) -> None:
    kernel, product = recording.kernels
    assert (kernel.language, product.language, product.name) == ("c", "extern", "aten.mm.default")
    graph = recording.graphs[kernel.graph or 0]
    names = [graph.nodes[at].name for at in kernel.nodes]
    assert "exp" in names
    assert "mm" not in names
    assert [graph.nodes[at].name for at in product.nodes] == ["mm"]
    assert not [note for note in recording.notes if note.level == "failure"]


def test_each_statement_stands_where_it_says(recording: lab.Recording) -> None:
    kernel = recording.kernels[0]
    nodes = recording.graphs[kernel.graph or 0].nodes
    lines = kernel.code.splitlines()
    found = [(nodes[at].name, lines[s.line - 1]) for s in kernel.statements for at in s.nodes]
    assert [name for name, line in found if "expf(" in line] == ["exp"]
    assert [name for name, line in found if " / " in line] == ["div"]
    assert kernel.code.startswith("void kernel0(")


def test_it_says_who_wrote_them(recording: lab.Recording) -> None:
    said = " ".join(str(recording).split())
    assert "The backend lab wrote 1 kernel and calls 1 library kernel" in said
    assert "Inductor wrote" not in said


def test_where_it_has_less_it_does_not_say_that_nothing_was_done(recording: lab.Recording) -> None:
    assert "The backend lab lowered the graphs" in build(recording).lowering.empty
    with pytest.raises(DynamoLabError, match="they are of the backend inductor"):
        recording.why_not_fused("softmax", "add")


def test_edits_and_assembly_say_that_they_are_inductors(recording: lab.Recording) -> None:
    with pytest.raises(DynamoLabError, match="backend lab"):
        recording.edit_kernel(0, lambda text: text)
    with pytest.raises(DynamoLabError, match="backend lab"):
        recording.assembly(0)


def test_it_is_saved_and_shown(recording: lab.Recording, tmp_path: object) -> None:
    path = f"{tmp_path}/one.json"
    recording.save(path)
    assert lab.load(path).kernels == recording.kernels
    recording.to_html(f"{tmp_path}/one.html")
