"""Work grows with a recording as its size does: counted, not timed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import dynamo_lab as lab
from dynamo_lab.api.recording import Recording
from dynamo_lab.live.session import Session
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core import codec
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.graphs import Value
from dynamo_lab.model.recording import Recording as Recorded
from dynamo_lab.render.page import page
from dynamo_lab.view import build
from dynamo_lab.view.breaks.math_calls import called_frames
from dynamo_lab.view.breaks.numbers_taken import parsed
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.findings.finding import Facts as Known
from dynamo_lab.view.findings.memory import attention_matrix
from tests.benchmarks.core import synthetic
from tests.benchmarks.core.copies import copies
from tests.view import samples
from tests.view.samples.table import Table, graph

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, FunctionType

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


def calls(function: FunctionType, work: Callable[[], object]) -> int:
    """How many times a function was called."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is function.__code__

    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(before)
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


BODY = ("print(x)", "n = x.item()", "print(x.sum())")
KINDS = (
    ("Failed to trace builtin operator", "builtin print [<class 'torch.TensorVariable'>]"),
    ("Unsupported Tensor.item() call with capture_scalar_outputs=False", "item"),
)


def chain(count: int, lines: int) -> Facts:
    """A function that broke so often, on so many lines: what is left of it resumed each time."""
    code = "".join(f"    {BODY[at % len(BODY)]}\n" for at in range(lines))
    places = [(2 + at % lines, len(BODY[at % lines % len(BODY)])) for at in range(count)]
    spans = (Span(0, line, "f", 4, line, 4 + width) for line, width in places)
    frames = (
        Frame(id=at, name="f", span=0, outcome="compiled", resumes=at - 1, caller=at - 1)
        for at in range(1, count + 1)
    )
    breaks = (
        Break(
            id=at,
            frame=at,
            compile_id=f"{at}/0",
            span=at + 1,
            stack=at,
            effect="resumed",
            gb_type=KINDS[at % lines % len(BODY) == 1][0],
            context=KINDS[at % lines % len(BODY) == 1][1],
            reason="it broke",
            resume_frames=(at + 1,),
        )
        for at in range(count)
    )
    return Recorded(
        title="f",
        sources=(Source("/home/a/f.py", "user", (Excerpt(1, f"def f(x):\n{code}"),)),),
        spans=(Span(0, 1, "f"), *spans),
        stacks=tuple((at + 1,) for at in range(count)),
        frames=(Frame(id=0, name="f", span=0, outcome="compiled"), *frames),
        breaks=tuple(breaks),
    )


@pytest.mark.parametrize("name", ["build", "print", "page"])
def test_with_the_turns_of_a_loop_that_breaks(name: str) -> None:
    small, large = (chain(turns * len(BODY), len(BODY)) for turns in (40, FEW * 40))
    assert build(large).stories[-1].repeats == len(large.breaks) - 1 - len(BODY)
    assert growth(WORKS[name], small, large) <= MOST


@pytest.mark.parametrize("body", ["print(x)", "n = x.item()", "t += x.item()", "t = t + x.item()"])
def test_with_the_lines_that_break(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of calls that print, and of numbers whose way through the function is asked for each."""
    monkeypatch.setattr(sys.modules[__name__], "BODY", (body,) * 3)
    monkeypatch.setattr(sys.modules[__name__], "KINDS", KINDS[body != "print(x)" :][:1] * 2)
    small, large = (chain(count, count) for count in (100, FEW * 100))

    def look(made: Facts) -> None:
        parsed.cache_clear()  # else the smaller file would have been looked through before
        build(made)

    assert growth(look, small, large) <= MOST


def test_the_frames_that_compiled_code_calls_are_found_once() -> None:
    """Breaks, findings and the fixes of each break ask which they are."""
    recording = Recording.of(chain(2 * len(BODY), len(BODY)), Session())
    assert calls(called_frames, lambda: build(recording)) == 1
    assert calls(called_frames, lambda: [one.fixes for one in recording.breaks]) == 1


def written_out(count: int) -> Facts:
    """So many softmaxes between two products, one after the other."""
    rows, pairs = (
        Value(dtype="f32", shape=("64", columns), bytes=256 * int(columns))
        for columns in ("8", "64")
    )
    table = Table()
    last = table.input("x", rows)
    for at in range(count):
        scores = table.node(f"s{at}", "operator.matmul", last, last, value=pairs)
        weights = table.node(f"w{at}", "softmax", scores, value=pairs, arguments="s, -1")
        last = table.node(f"o{at}", "operator.matmul", weights, last, value=rows)
    table.output(last)
    frame = Frame(id=0, name="f", span=0, outcome="compiled")
    sources = (Source("/home/a/f.py", "user"),)
    spans = (Span(0, 1, "f"),)
    return Recorded(
        title="f", sources=sources, spans=spans, frames=(frame,), graphs=(graph(0, table),)
    )


def test_with_the_softmaxes_of_a_graph() -> None:
    """Each is asked for what reads it: no finding, for no memory was planned."""

    def look(made: Facts) -> None:
        places = Places(made)
        known = Known(made, places, Regions(made, places), Ancestry(links.build(made)))
        assert not list(attention_matrix.find(known))

    small, large = (written_out(count) for count in (100, FEW * 100))
    assert growth(look, small, large) <= MOST
