"""Graphs as code: one node a line, with what it produces and the line it came from."""

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.graph_text import GraphText, Row
from dynamo_lab.render.terminal.parts import (
    Page,
    grid,
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
_BRIEF_GRAPHS = 6


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The captured graphs as code, the later ones by name; asked for, each in full."""
    if not view.graphs:
        return
    yield heading("Graphs", str(len(view.graphs)))
    texts = GraphText(view)
    captured = [g for g in view.graphs if g.stage == "dynamo" and g.parent is None]
    shown = list(view.graphs) if page.everything else captured[:_BRIEF_GRAPHS]
    yield from separated(_graph(graph, texts, page) for graph in shown)
    rest = [graph for graph in view.graphs if graph not in shown]
    if rest:
        yield Text()
        yield grid(("left", "wrap"), ((text(g.title, "bold"), text(g.subtitle)) for g in rest[:12]))
        hint = "dynamo-lab show --graph N"
        left = f"… {len(rest) - 12:,} more; " if len(rest) > 12 else ""
        yield line((left, "dim"), (hint, "dim italic"), (" prints one in full", "dim"))


def _graph(graph: GraphView, texts: GraphText, page: Page) -> Iterator[RenderableType]:
    colour = region_style(graph.id) if graph.stage == "dynamo" else ""
    yield line((graph.title, f"bold {colour}"), (f"  {one_line(graph.subtitle)}", "dim"))
    limit = len(graph.name) if page.everything else _BRIEF
    rows = texts.rows(graph, limit)
    widest = max((cell_len(row.code) for row in rows), default=0)
    code_width = min(widest, page.width - 2 - _aside(rows) - 2)
    for row in rows:
        yield indented(_row(row, max(24, code_width), page))
    left = len(graph.name) - len(rows)
    if left > 0:
        hint = f"dynamo-lab show --graph {graph.id}"
        cut = f"… {left:,} more {'node' if left == 1 else 'nodes'}; "
        yield indented(line((cut, "dim"), (hint, "dim italic"), (" prints all", "dim")))


def _aside(rows: list[Row]) -> int:
    """The width of what stands right of the code."""
    return min(40, max((cell_len(f"{row.value}  {row.where}") for row in rows), default=0))


def _row(row: Row, width: int, page: Page) -> Text:
    made = Text(row.code, no_wrap=True, overflow="fold" if page.everything else "ellipsis")
    if not page.everything:
        made.truncate(width, overflow="ellipsis")
    if row.value or row.where:
        made.append(" " * max(2, width - made.cell_len + 2))
        made.append(row.value, style="cyan")
        made.append(f"  {row.where}" if row.where else "", style="dim")
    return made
