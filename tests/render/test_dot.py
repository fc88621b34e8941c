# pyright: reportMissingTypeStubs=false
"""Graphs as DOT and SVG; tests/cases holds the front-end to the same DOT."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import graphviz
import pytest

import dynamo_lab
from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import DrawingError
from dynamo_lab.model.recording import Recording as Facts
from dynamo_lab.render.export import dot
from dynamo_lab.view.graphs import graphs
from dynamo_lab.view.graphs.scenes import MAX_BOXES, Scenes

Make = Callable[[str], Facts]
COLOURS = Path(dynamo_lab.__file__).parent / "frontend" / "src" / "style" / "colours.css"

needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz's dot")


def recording(make: Make, name: str) -> Recording:
    facts = make(name)
    return Recording(**{field: getattr(facts, field) for field in Facts.__struct_fields__})


def test_modules_are_collapsed(make: Make, golden: str) -> None:
    assert recording(make, "searched").to_dot(0) == golden


def test_bodies_open_beside_the_node_that_calls_them(make: Make, golden: str) -> None:
    views = graphs.build(make("searched"))
    by_id = {graph.id: graph for graph in views}
    opened = frozenset({"b1", "b2", "m0_1"})
    assert dot.write(Scenes(views[0], by_id).modules(opened), by_id).source == golden


def test_around_a_node(make: Make, golden: str) -> None:
    assert recording(make, "searched").graphs[0].to_dot(around="cond", up=2, down=1) == golden


def test_everything_is_opened_on_demand(make: Make) -> None:
    text = recording(make, "searched").to_dot(0, collapse="none", inputs=False)
    assert "cluster_m0_3" in text
    assert "n0_2 " in text
    assert "n0_0 " not in text


@pytest.mark.parametrize("collapse", ["modules", "none"])
def test_hostile_text_neither_ends_a_label_nor_is_markup(make: Make, collapse: str) -> None:
    text = recording(make, "hostile").to_dot(0, collapse=collapse)  # pyright: ignore[reportArgumentType]
    assert not re.search("[\x00-\x08\x0b-\x1f\u2028\u202e]", text)
    assert "=<" not in text
    quotes = re.findall(r'(?:\\.|[^"\\])*("?)', text)
    assert sum(quote == '"' for quote in quotes) % 2 == 0


@needs_dot
def test_graphviz_reads_hostile_text_as_text(make: Make) -> None:
    text = recording(make, "hostile").to_svg(0, collapse="none")
    assert "&lt;/script&gt;" in text
    assert "<b>" not in text


@needs_dot
def test_an_svg_shows_every_box(make: Make) -> None:
    text = recording(make, "searched").to_svg(0, around="cond")
    for name in ("sum_1", "cond", "add_"):
        assert name in text


def test_what_is_missing_is_said(make: Make) -> None:
    rec = recording(make, "searched")
    with pytest.raises(DrawingError, match="There is no graph 9: the recording has 4"):
        rec.to_dot(9)
    with pytest.raises(DrawingError, match="graph 1 has no node 'laier_norm': is it layer_norm"):
        rec.to_dot(0, around="laier_norm")
    with pytest.raises(DrawingError, match="There is no node 99: pass 0 to 14"):
        rec.to_dot(0, around=99)
    with pytest.raises(DrawingError, match="cannot be negative"):
        rec.to_dot(0, around="cond", up=-1)
    with pytest.raises(DrawingError, match="'all' is not offered: pass 'modules' or 'none'"):
        rec.to_dot(0, collapse="all")  # pyright: ignore[reportArgumentType]


def test_without_graphviz_a_sentence_says_what_to_install(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pipe(*_: object, **__: object) -> str:
        raise graphviz.ExecutableNotFound(["dot"])

    monkeypatch.setattr(graphviz.Digraph, "pipe", pipe)
    with pytest.raises(DrawingError, match=r"`dot` was not found: install it .*`to_dot`"):
        recording(make, "searched").to_svg(0)


def test_more_boxes_than_can_be_read_are_refused(make: Make) -> None:
    rec = recording(make, "big")
    with pytest.raises(DrawingError, match=r"more than the 200 .* pass around='n_0'"):
        rec.to_svg(0, collapse="none")
    assert rec.to_dot(0, collapse="none").count("\n") > MAX_BOXES  # text is no trouble
    assert rec.to_dot(0, around=2500, up=3, down=3).count(" -> ") < MAX_BOXES


def test_the_colours_are_those_of_the_page() -> None:
    light = COLOURS.read_text(encoding="utf-8").split("}")[0]
    strokes = re.findall(r"--dl-r\d: (#\w+)", light)
    assert sorted(strokes) == sorted(dot.STROKES)
    assert len(dot.FILLS) == len(dot.STROKES) == len(dot.KINDS)
