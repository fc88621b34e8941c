"""Graphs as code: one node a line, with what it produces and the line it came from."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.excerpt import colours
from dynamo_lab.render.graph_text import GraphText, Row
from dynamo_lab.render.terminal.parts import (
    Page,
    heading,
    indented,
    line,
    region_style,
    separated,
    text,
)
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.graphs import GraphView

_BRIEF = 20
_WIDEST = 96  # beyond, the columns drift too far apart to be read as one row
_BRIEF_INPUTS = 4
_BRIEF_GRAPHS = 6


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The captured graphs as code, the later ones by name; asked for, each in full."""
    if not view.graphs:
        return
    yield heading("Graphs", str(len(view.graphs)))
    captured = [g for g in view.graphs if g.stage == "dynamo" and g.parent is None]
    shown = list(view.graphs) if page.everything else captured[:_BRIEF_GRAPHS]
    facts = _Facts(GraphText(view), colours(view), _later(view))
    yield from separated(_graph(graph, facts, page) for graph in shown)
    if not page.everything:
        left = len(captured) - len(shown)
        cut = f"… {left:,} more graphs; " if left else ""
        yield Text()
        yield line(
            (cut, "dim"), ("dynamo-lab show --graph N", "dim italic"), (" prints one", "dim")
        )


class _Facts(NamedTuple):
    """What all graphs are drawn with."""

    texts: GraphText
    colours: dict[int, int]
    later: dict[str, list[GraphView]]


def _later(view: View) -> dict[str, list[GraphView]]:
    """For each compilation, the graphs that its captured one became."""
    later: dict[str, list[GraphView]] = {}
    for graph in view.graphs:
        if graph.stage != "dynamo" and graph.parent is None:
            later.setdefault(graph.compile_id, []).append(graph)
    return later


def _graph(graph: GraphView, facts: _Facts, page: Page) -> Iterator[RenderableType]:
    colour = region_style(facts.colours[graph.id]) if graph.id in facts.colours else ""
    yield line((graph.title, f"bold {colour}"), (f"  {one_line(graph.subtitle)}", "dim"))
    limit = len(graph.name) if page.everything else _BRIEF
    texts = facts.texts
    rows = texts.rows(graph) if page.everything else texts.brief(graph, _BRIEF_INPUTS, limit)
    yield from (indented(row) for row in _rows(rows, page))
    shown = sum(row.nodes for row in rows)
    if shown < len(graph.name):
        hint = f"dynamo-lab show --graph {graph.id}"
        cut = f"… {len(graph.name) - shown:,} more nodes; "
        yield indented(line((cut, "dim"), (hint, "dim italic"), (" prints all", "dim")))
    if graph.id in facts.colours and not page.everything:
        yield from _became(facts.later.get(graph.compile_id, ()))


def _became(later: Sequence[GraphView]) -> Iterator[RenderableType]:
    """The stages that a captured graph went through, and how many operators it had in each."""
    if later:
        numbers = f"{later[0].id}-{later[-1].id}" if len(later) > 1 else f"{later[0].id}"
        stages = " → ".join(f"{graph.stage} {graph.operators:,}" for graph in later)
        word = "graphs" if len(later) > 1 else "graph"
        yield indented(text(f"became {word} {numbers}, by operators: {stages}", "dim"))


def _rows(rows: list[Row], page: Page) -> Iterator[Text]:
    """The rows with what they produce and where they came from in columns of their own."""
    values = min(24, max((cell_len(row.value) for row in rows), default=0))
    wheres = min(24, max((cell_len(row.where) for row in rows), default=0))
    widest = max((cell_len(row.code) for row in rows), default=0)
    width = max(24, min(widest, _WIDEST, page.width - values - wheres - 6))
    for row in rows:
        code = Text(row.code, no_wrap=not page.everything, overflow="fold")
        if not page.everything:
            code.truncate(width, overflow="ellipsis")
        if row.value or row.where:
            code.append(" " * max(2, width - code.cell_len + 2))
            code.append(f"{row.value:<{values}}", style="cyan")
            code.append(f"  {row.where}", style="dim")
        code.rstrip()
        yield code
