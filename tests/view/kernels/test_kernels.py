"""Kernels by what the reader wrote, why there is none, and the remarks on them."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build

Make = Callable[[str], Recording]


def test_kernels_are_titled_by_what_the_reader_wrote(make: Make) -> None:
    first, second = build(make("branch_and_print")).kernels.kernels
    assert (first.title, first.operators) == ("fused gelu + add", ("mul", "erf", "add"))
    assert first.where == "cell 3, line 1; model.py, line 6"
    assert (second.title, second.where) == ("fused sum + gt", "line 2")


def test_no_kernel_is_explained(make: Make) -> None:
    assert "no graph was captured" in build(make("skipped")).kernels.empty
    assert "this backend generates no code" in build(make("recompiled")).kernels.empty
    assert build(make("branch_and_print")).kernels.empty == ""


def test_a_remark_on_a_node_stands_at_its_kernel(make: Make) -> None:
    recording = make("branch_and_print")
    kernel = recording.kernels[0]
    here = Note(level="info", about="a", message="here", graph=kernel.graph, node=kernel.nodes[0])
    elsewhere = Note(level="info", about="b", message="elsewhere", graph=kernel.graph)
    noted = replace(recording, notes=(here, elsewhere))
    found = [one.notes for one in build(noted).kernels.kernels]
    assert found[0] == ("here",)
    assert not any(found[1:])
