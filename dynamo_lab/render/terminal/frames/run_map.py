"""The run map: regions and breaks, each call indented below its caller."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.excerpt import is_telling, map_text, regions
from dynamo_lab.render.terminal.core.parts import (
    OUTCOMES,
    Page,
    heading,
    line,
    listing,
    more,
    region_style,
    text,
)
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.frames.run_map import MapRow

_BRIEF = 24
_STYLES = {"eager": "dim", "break": "bold yellow", **OUTCOMES}


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """A row for each region and each break between them."""
    rows = view.run_map
    if not (is_telling(view) or page.everything):
        return
    yield heading("Map", "in call order")
    limit = len(rows) if page.everything else _BRIEF
    numbers = regions(view)
    drawn = [made for row in rows[:limit] for made in _rows(row, numbers)]
    yield from listing(("left", "left", "left", "wrap"), drawn, page.width)
    if len(rows) > limit:
        yield more(len(rows) - limit, "rows", "dynamo-lab show --section run_map")


def _rows(row: MapRow, numbers: dict[int, int]) -> Iterator[tuple[Text, ...]]:
    if row.file:
        nothing = text("")
        yield text(f"{'  ' * row.depth}{row.file}", "dim"), nothing, nothing, nothing
    yield _row(row, numbers)


def _row(row: MapRow, numbers: dict[int, int]) -> tuple[Text, ...]:
    graphs = [numbers[graph] for graph in row.graphs if graph in numbers]
    named = [("  ", ""), *((f"graph {number} ", region_style(number)) for number in graphs[:3])]
    more_graphs = [(f"+{len(graphs) - 3}", "dim")] if len(graphs) > 3 else []
    sign = "\N{DOWNWARDS ZIGZAG ARROW} " if row.kind == "break" else ""
    return (
        text(f"{'  ' * row.depth}{sign}{one_line(row.name)}", _STYLES.get(row.kind, "")),
        text(row.lines, "dim"),
        line(*named[1:], *more_graphs),
        line((map_text(row), ""), wrap=True) if row.kind == "break" else _outcome(row),
    )


def _outcome(row: MapRow) -> Text:
    about = map_text(row)
    kind = (row.kind, _STYLES.get(row.kind, ""))
    return line(kind, (f"  {about}" if about else "", ""), wrap=True)
