"""Exports: what they captured, or how they failed, also where the program catches it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch.export import Dim

import dynamo_lab as lab
from dynamo_lab.render import page as html
from dynamo_lab.render import terminal
from dynamo_lab.view import build
from tests.live.notebook import errors_of, html_of, run_cells

pytestmark = pytest.mark.live

STRICT = pytest.mark.parametrize("strict", [True, False])
X = (torch.ones(4, 8),)


class Branch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return x
        return -x


class Plain(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.layer(x)
        return hidden.relu()


def _line(offset: int) -> int:
    return Branch.forward.__code__.co_firstlineno + offset


@STRICT
def test_a_failure_that_the_program_caught_is_told_as_caught(strict: bool) -> None:
    with lab.record() as recorder, contextlib.suppress(Exception):
        torch.export.export(Branch(), X, strict=strict)
    recording = recorder.recording
    assert recording.failure
    assert recording.failure.caught
    assert recording.failure.span is not None
    assert recording.spans[recording.failure.span].line == _line(1)
    view = build(recording)
    assert "`torch.export` of `Branch` failed: " in view.summary.sentence
    assert "The program caught this and went on." in view.summary.sentence
    assert "ended with" not in view.summary.sentence
    assert view.summary.failure.startswith("Caught by the program")
    assert "Caught by the program" not in terminal.render(view, sections=["summary"])
    assert not view.findings.clean


@STRICT
def test_a_failure_that_ends_the_program_is_not_told_as_caught(strict: bool) -> None:
    with pytest.raises(Exception, match=r"branch|data-dependent"), lab.record() as recorder:
        torch.export.export(Branch(), X, strict=strict)
    recording = recorder.recording
    assert recording.failure
    assert not recording.failure.caught
    view = build(recording)
    assert "caught" not in view.summary.sentence.lower()
    assert view.summary.sentence.count("of `Branch` failed") == 1
    assert view.findings.found[0].rule == "data-dependent"


def test_another_exception_ends_the_program_after_one_that_it_caught() -> None:
    with pytest.raises(KeyError), lab.record() as recorder:  # noqa: PT012
        with contextlib.suppress(Exception):
            torch.export.export(Branch(), X)
        raise KeyError("later")
    said = build(recorder.recording).summary.sentence
    assert "The program caught this and went on." in said
    assert "The program ended with KeyError" in said


class Chooses(torch.nn.Module):
    def forward(self, x):
        return x.view(4, -1) if x.shape[0] % 4 == 0 else x.view(1, -1)


def test_an_export_that_took_one_way_says_which_sizes_take_it() -> None:
    with lab.record() as recorder:
        rows = {"x": {0: Dim.AUTO}}
        made = torch.export.export(Chooses(), (torch.ones(8, 3),), dynamic_shapes=rows)
    sentence = build(recorder.recording).summary.sentence
    assert "It assumes that `x.shape[0] % 4 == 0` and `x.shape[0] != 4`." in sentence
    assert made.module()(torch.ones(12, 3)).shape == (4, 9)
    for refused in (4, 6):
        with pytest.raises(AssertionError, match="Guard failed"):
            made.module()(torch.ones(refused, 3))


@STRICT
def test_an_export_that_succeeds_says_so_and_its_graph_leads_to_lines(strict: bool) -> None:
    shapes = {"x": {0: Dim("rows")}}
    with lab.record() as recorder:
        torch.export.export(Plain(), X, strict=strict, dynamic_shapes=shapes)
    recording = recorder.recording
    assert recording.failure is None
    view = build(recording)
    assert "`torch.export` captured `Plain` as one graph" in view.summary.sentence
    assert "It keeps open `rows` (size 0 of `x`)." in view.summary.sentence
    [graph] = recording.captured_graphs()
    stacks = [recording.stacks[at] for at in graph.nodes.stack if at >= 0]
    lines = {recording.spans[span].line for stack in stacks for span in stack}
    assert Plain.forward.__code__.co_firstlineno + 2 in lines


def test_what_pytorch_tries_and_catches_itself_is_no_failure() -> None:
    with lab.record() as recorder:
        torch.export.draft_export(Branch(), X)
    recording = recorder.recording
    assert recording.failure is None
    assert "failed" not in build(recording).summary.sentence


def test_a_failure_is_in_the_terminal_and_the_static_page() -> None:
    with lab.record() as recorder, contextlib.suppress(Exception):
        torch.export.export(Branch(), X)
    recording = recorder.recording
    for told in (str(recording), html.page(build(recording))):
        assert "The program caught this and went on." in told
        assert "torch.cond(x.sum()" in told


def test_two_exports_are_two_sentences_and_two_graphs() -> None:
    with lab.record() as recorder:
        for model in (Plain(), torch.nn.ReLU()):
            torch.export.export(model, X)
    recording = recorder.recording
    assert [one.model for one in recording.exports] == ["Plain", "ReLU"]
    assert [one.graph for one in recording.exports] == [0, 1]
    assert build(recording).summary.sentence.count("captured") == 2


def test_an_export_of_what_a_frame_compiled_keeps_both_words() -> None:
    with lab.record() as recorder:
        torch.compile(Plain(), backend="eager")(*X)
        torch.export.export(Plain(), X)
    said = build(recorder.recording).summary.sentence
    assert "Dynamo captured" in said
    assert "`torch.export` captured" in said


@pytest.mark.slow
def test_recording_does_not_import_what_exports() -> None:
    code = """
import sys
import torch
import dynamo_lab as lab
with lab.record() as recorder:
    torch.ones(3).sin()
assert "torch.export._trace" not in sys.modules, "imported"
with lab.record() as recorder:
    from torch.export import export
    export(torch.nn.ReLU(), (torch.ones(3),))
assert len(recorder.recording.exports) == 1
with lab.record() as recorder:
    export(torch.nn.ReLU(), (torch.ones(3),))
assert len(recorder.recording.exports) == 1
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_is_left_behind() -> None:
    from torch.export import _trace, exported_program
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    def watched() -> list[Any]:
        shapes = [ShapeEnv._set_replacement, ShapeEnv._log_guard]
        made = [_trace._export_for_training, vars(exported_program)["unset_fake_temporarily"]]
        return [*shapes, *made]

    before = watched()
    with lab.record(), contextlib.suppress(Exception):
        torch.export.export(Branch(), X)
    assert watched() == before


CELLS = (
    "import contextlib, torch, dynamo_lab\n%load_ext dynamo_lab\n"
    "class Branch(torch.nn.Module):\n    def forward(self, x):\n"
    "        if x.sum() > 0:\n            return x\n        return -x",
    "%%record\nimport torch.export\ntorch.export.export(Branch(), (torch.ones(3),))",
    "%%record\nwith contextlib.suppress(Exception):\n"
    "    torch.export.export(Branch(), (torch.ones(3),))",
    "%%compile --backend eager\nwith contextlib.suppress(Exception):\n"
    "    e = torch.export.export(Branch(), (torch.ones(3),))",
)


@pytest.mark.release
@pytest.mark.slow
def test_a_cell_shows_why_its_export_failed() -> None:
    _, raising, catching, compiled = run_cells(*CELLS)
    for cell in (raising, catching, compiled):
        assert "torch.cond(x.sum()" in "".join(html_of(cell))
    assert errors_of(raising)
    assert not errors_of(compiled)
    assert "The program caught this and went on." in "".join(html_of(catching))
