"""Work grows with a recording as its size does: counted, not timed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import dynamo_lab as lab
from dynamo_lab.api.recording import Recording
from dynamo_lab.live.session import Session
from dynamo_lab.model.core import codec
from dynamo_lab.render.page import page
from dynamo_lab.view import build
from tests.benchmarks.core import synthetic
from tests.benchmarks.core.copies import copies
from tests.view import samples

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from dynamo_lab.model.recording import Recording as Facts

FEW, MOST = 4, 5
"""A recording so many times as large may take so many times the work."""

WORKS: dict[str, Callable[[Recording], object]] = {
    "load": lambda made: codec.decode(codec.encode(made), Recording),
    "build": build,
    "print": str,
    "page": lambda made: page(build(made)),
    "find": lambda made: made.find("op:mm module:layers.1"),
    "diff": lambda made: lab.diff(made, made),
}


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python ran, each turn of a loop again."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def growth(work: Callable[[Recording], object], small: Facts, large: Facts) -> float:
    """How many times the work for the smaller one the larger one takes."""
    one, other = (Recording.of(facts, Session()) for facts in (small, large))
    work(one)  # what is imported and cached by the first
    return lines_run(lambda: work(other)) / lines_run(lambda: work(one))


@pytest.mark.parametrize("name", WORKS)
def test_with_the_nodes_of_a_graph(name: str) -> None:
    small, large = (synthetic.recording(nodes) for nodes in (1_000, FEW * 1_000))
    assert growth(WORKS[name], small, large) <= MOST


@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize(
    "sample",
    ["branch_and_print", "decomposed", "lowered", "recompiled", "rewritten", "scheduled", "sizes"],
)
def test_with_the_rows_of_every_noun(sample: str, name: str) -> None:
    small = copies(getattr(samples, sample)(), 12)
    assert growth(WORKS[name], small, copies(small, FEW)) <= MOST


def test_differences_with_the_kernels() -> None:
    """Two recordings that have nothing in common."""
    other = {size: synthetic.recording(size) for size in (1_000, FEW * 1_000)}
    none = samples.lowered()
    small, large = (lab.diff(none, other[size]).kernels_b for size in other)
    assert len(large) > 3 * len(small)
    counts = [lines_run(lambda size=size: lab.diff(none, other[size])) for size in other]
    assert counts[1] / counts[0] <= MOST
