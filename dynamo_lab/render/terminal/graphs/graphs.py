"""Graphs as code: one node per line, with its value and the line it came from."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.excerpt import regions
from dynamo_lab.render.graph_text import GraphText, Row
from dynamo_lab.render.terminal.core.parts import (
    Page,
    grid,
    heading,
    indented,
    line,
    region_style,
    separated,
    text,
)
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.graphs.graphs import GraphView, stage_word

_BRIEF = 20
_WIDEST = 96  # wider columns are too far apart to read as one row
_BRIEF_INPUTS = 4
_MODULES = 36  # columns that a module's path and class need
_BRIEF_GRAPHS = 6


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The captured graphs as code, the later ones by name; in full if requested."""
    if not view.graphs:
        return
    captured = [g for g in view.graphs if g.stage == "dynamo" and g.parent is None]
    whole = len(view.graphs)
    stages = f" captured, {whole:,} with later stages" if whole > len(captured) else ""
    yield heading("Graphs", f"{len(captured):,}{stages}")
    facts = _Facts(GraphText(view), regions(view), _later(view))
    if page.graphs is not None:
        asked = [graph for graph in view.graphs if graph.id in page.graphs]
        yield from separated(_graph(graph, facts, page) for graph in asked)
        yield from _others(view, asked)
        return
    shown = list(view.graphs) if page.everything else captured[:_BRIEF_GRAPHS]
    yield from separated(_graph(graph, facts, page) for graph in shown)
    if not page.everything:
        left = len(captured) - len(shown)
        cut = f"… {plural(left, 'more graph')}; " if left else ""
        yield Text()
        yield line(
            (cut, "dim"), ("dynamo-lab show --graph N", "dim italic"), (" prints one", "dim")
        )


class _Facts(NamedTuple):
    """What all graphs share when they are drawn."""

    texts: GraphText
    regions: dict[int, int]
    later: dict[int, list[GraphView]]


def _later(view: View) -> dict[int, list[GraphView]]:
    """For the number of each captured graph, the graphs that it became."""
    later: dict[int, list[GraphView]] = {}
    for graph in view.graphs:
        if graph.stage != "dynamo" and graph.parent is None:
            later.setdefault(graph.number, []).append(graph)
    return later


def _others(view: View, asked: Sequence[GraphView]) -> Iterator[RenderableType]:
    """The stages of the same captured graphs that were not requested."""
    numbers, ids = {graph.number for graph in asked}, {graph.id for graph in asked}
    rows = [
        (text(stage_word(graph)), text(graph.title), text(one_line(graph.subtitle), "dim"))
        for graph in view.graphs
        if graph.number in numbers and graph.id not in ids and graph.parent is None
    ]
    if rows:
        yield Text()
        yield line(
            ("other stages; ", "dim"), ("--stage NAME", "dim italic"), (" prints one", "dim")
        )
        yield indented(grid(("left", "left", "left"), rows))


def _graph(graph: GraphView, facts: _Facts, page: Page) -> Iterator[RenderableType]:
    colour = region_style(graph.number) if graph.id in facts.regions else ""
    texts = facts.texts
    lines = f", lines of {one_line(texts.lines_of)}" if texts.lines_of else ""
    yield line((graph.title, f"bold {colour}"), (f"  {one_line(graph.subtitle)}{lines}", "dim"))
    limit = len(graph.name) if page.everything else _BRIEF
    rows = texts.folded(graph) if page.everything else texts.brief(graph, _BRIEF_INPUTS, limit)
    yield from (indented(row) for row in node_rows(rows, page))
    shown = sum(row.nodes for row in rows)
    if shown < len(graph.name):
        hint = f"dynamo-lab show --graph {graph.number}"
        cut = f"… {len(graph.name) - shown:,} more nodes; "
        yield indented(line((cut, "dim"), (hint, "dim italic"), (" prints all", "dim")))
    yield indented(text(graph.arithmetic, "dim"))
    if graph.id in facts.regions and not page.everything:
        yield from _became(facts.later.get(graph.number, ()))


def _became(later: Sequence[GraphView]) -> Iterator[RenderableType]:
    """The stages of a captured graph, and its number of operators in each."""
    for label, is_backward in (("operators", False), ("backward operators", True)):
        chain = [graph for graph in later if graph.is_backward is is_backward]
        if chain:
            stages = " → ".join(f"{graph.stage} {graph.operators:,}" for graph in chain)
            yield indented(text(f"{label}: {stages}", "dim"))


def node_rows(rows: list[Row], page: Page) -> Iterator[Text]:
    """The rows, with their values and origins in separate columns.

    In full, code that is too long continues below its line, so that the columns stay aligned.
    """
    values = min(24, max((cell_len(row.value) for row in rows), default=0))
    wheres = min(24, max((cell_len(row.where) for row in rows), default=0))
    room = max(24, min(_WIDEST, page.width - values - wheres - 6))
    lengths = sorted(cell_len(row.code) for row in rows) or [0]
    # A few long rows must not push the columns away from all others.
    usual = lengths[-1] if not page.everything else max(40, lengths[len(lengths) * 9 // 10])
    width = min(room, usual, lengths[-1])
    modules = page.everything and page.width - width - values - wheres >= _MODULES
    above = ""
    for row in rows:
        first, *rest = _folded(row.code, width) if page.everything else [row.code]
        code = Text(first, no_wrap=True)
        code.truncate(width, overflow="ellipsis")
        code.append(" " * (width - code.cell_len + 2))
        value = Text(row.value, style="cyan")
        value.truncate(values, overflow="ellipsis", pad=True)
        code.append_text(value).append(f"  {row.where:<{wheres}}", style="dim")
        if modules and row.module != above:
            code.append(f"  {shortened(row.module, _MODULES - 8)}", style="dim italic")
            above = row.module
        code.rstrip()
        yield code
        yield from (Text(part, no_wrap=True) for part in rest)


def _folded(code: str, width: int) -> list[str]:
    """The code wrapped to the width, continuation lines indented."""
    return textwrap.wrap(code, width, subsequent_indent="    ", break_on_hyphens=False) or [""]
