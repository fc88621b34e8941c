"""Sizes that are marked dynamic and cannot be: the line that needs them, and the other input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.findings.faults import findings_of, recorded

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

MARKED = """
import contextlib

import torch

def fn(x):
    return x.view(4, 2, 8) + 1  # fault

def record(lab):
    x = torch.ones(8, 8)
    torch._dynamo.mark_dynamic(x, 0)
    with lab.record() as recorder, contextlib.suppress(Exception):
        torch.compile(fn, backend="eager")(x)
    return recorder.recording
"""


def test_a_size_marked_dynamic_that_is_needed_says_which_line_needs_it(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(MARKED, tmp_path, "marked"))
    assert found.rule == "not-compiled"
    assert "You marked x.shape[0] as dynamic" in found.sentence
    assert found.where.endswith("line 7")
    assert "`return x.view(4, 2, 8) + 1  # fault`" in found.remedy
    assert "maybe_mark_dynamic" in found.remedy
    mended = MARKED.replace(".mark_dynamic", ".maybe_mark_dynamic")
    assert not findings_of(recorded(mended, tmp_path, "maybe_marked"))


ONE_SIDE = """
import contextlib

import torch

def fn(x, labels):
    return torch.nn.functional.cross_entropy(x * 2, labels)  # fault

def record(lab):
    x, labels = torch.ones(8, 5), torch.zeros(8, dtype=torch.int64)
    torch._dynamo.mark_dynamic(labels, 0)
    with lab.record() as recorder, contextlib.suppress(Exception):
        torch.compile(fn, backend="eager")(x, labels)
    return recorder.recording
"""


def test_one_of_two_sizes_that_have_to_be_equal_is_not_marked_alone(tmp_path: Path) -> None:
    [found, *_] = findings_of(recorded(ONE_SIDE, tmp_path, "one_side"))
    assert found.rule == "not-compiled"
    assert found.remedy.startswith("`x.shape[0]` is of that size, too, and not marked")
    assert found.code == "torch._dynamo.mark_dynamic(x, 0)"
    mended = ONE_SIDE.replace("    with lab", f"    {found.code}\n    with lab")
    assert not findings_of(recorded(mended, tmp_path, "both_sides"))
    by_number = ONE_SIDE.replace("x * 2,", "x * 2 if len(labels) != 8 else x,")
    [found, *_] = findings_of(recorded(by_number, tmp_path, "by_number"))
    assert not found.code, "the line has the number itself"


def test_a_mark_that_was_refused_is_told_though_a_call_without_it_compiled(tmp_path: Path) -> None:
    source = MARKED.replace(
        '        torch.compile(fn, backend="eager")(x)',
        '        compiled = torch.compile(fn, backend="eager")\n'
        "        with contextlib.suppress(Exception):\n"
        "            compiled(x)\n"
        "        compiled(torch.ones(8, 8))",
    )
    [found, *_] = findings_of(recorded(source, tmp_path, "refused_once"))
    assert found.rule == "not-compiled"
    assert "You marked x.shape[0] as dynamic" in found.sentence


def test_a_range_that_a_condition_cuts_is_no_size_that_is_needed(tmp_path: Path) -> None:
    source = MARKED.replace("return x.view(4, 2, 8) + 1", "return x * 2 if x.shape[0] > 5 else x")
    source = source.replace("(x, 0)", "(x, 0, min=2, max=100)")
    [found, *_] = findings_of(recorded(source, tmp_path, "cut_range"))
    assert found.rule == "not-compiled"
    assert "satisfy the generated guard" in found.sentence
    assert "Leave out `min` and `max`: " in found.remedy
    assert "A narrower range does where the condition is a bound" in found.remedy
    assert "number" not in found.remedy
    for name, mark in (("open", "(x, 0)"), ("cut", "(x, 0, min=6, max=100)")):
        mended = source.replace("(x, 0, min=2, max=100)", mark)
        assert not findings_of(recorded(mended, tmp_path, f"range_{name}"))
