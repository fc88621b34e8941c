"""Your code and the run map, in the script-free HTML."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from dynamo_lab.render.colours import coloured, region
from dynamo_lab.render.excerpt import (
    SIGNS,
    is_telling,
    legend,
    map_text,
    mark_name,
    marks_by_line,
    nearby,
    regions,
)
from dynamo_lab.render.markup import Markup, details, join, pre, tag
from dynamo_lab.render.text import clipped, shortened, visible
from dynamo_lab.view import View
from dynamo_lab.view.code.code import LineView, Mark, SourceView
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.frames.run_map import MapRow

_LINES = 200
_WIDEST = 400
_MAPPED = 18
"""Rows of the run map that are shown at once: with the findings they take two screens at most."""


def code(view: View, sources: Sequence[SourceView]) -> Iterator[Markup]:
    """Each source with its marks and their legend."""
    numbers = regions(view)
    yield from (_source(source, numbers) for source in sources)
    if parts := legend(view, sources):
        yield tag("p", tag("small", " · ".join(parts), style="opacity:.7"))


def _source(source: SourceView, numbers: dict[int, int]) -> Markup:
    head = tag("p", tag("b", shortened(source.label, 200)))
    notice = tag("p", tag("em", source.notice)) if source.notice else ""
    if source.is_wrapper:
        return join(head, notice)
    marks = marks_by_line(source)
    rows = list(nearby(source, marks))
    number = max((len(str(item.number)) for item in rows), default=1)
    wide = max((len(str(numbers.get(item.region, " "))) for item in rows), default=1)
    made: list[str] = []
    previous = rows[0].number if rows else 0
    for item in rows[:_LINES]:
        if item.number > previous + 1:
            made.append("⋮\n")
        previous = item.number
        graph = numbers.get(item.region)
        gutter = f"{graph or '':>{wide}}  {item.number:>{number}}  "
        made.append(_line(item, gutter, graph))
        made += (_caret(item, mark, len(gutter) + 1) for mark in marks.get(item.number, ()))
    if len(rows) > _LINES:
        made.append(f"… {len(rows) - _LINES:,} more lines\n")
    return join(head, notice, pre(*made))


def _line(item: LineView, gutter: str, graph: int | None) -> Markup:
    text: str = clipped(item.text, _WIDEST)
    if item.state in ("eager", "skipped"):
        text = tag("span", text, style="opacity:.65")
    return join(tag("b", SIGNS[item.state], **region(graph)), gutter, text, "\n")


def _caret(item: LineView, mark: Mark, indent: int) -> Markup:
    text = item.text[:_WIDEST]
    is_known = 0 <= mark.column < len(text)
    start = mark.column if is_known else len(text) - len(text.lstrip())
    end = mark.end_column if is_known and mark.end_line == mark.line else len(text.rstrip())
    space = " " * (indent + cell_len(visible(text[:start])))
    carets = "^" * max(1, cell_len(visible(text[start:end])))
    label = f"{carets} {mark_name(mark)}: {shortened(mark.label, 200)}"
    if mark.kind == "specialised":
        return join(space, label, "\n")
    return join(space, tag("b", label, **coloured("warning")), "\n")


def run_map(view: View, numbers: dict[int, int]) -> Iterator[Markup]:
    """The run map, if there is more than one graph."""
    if not is_telling(view):
        return
    rows = view.run_map[:_LINES]
    names = [f"{'  ' * row.depth}{_SIGN[row.kind == 'break']}{row.name}" for row in rows]
    width = min(48, max(cell_len(name) for name in names))
    named = zip(rows, names, strict=True)
    made: list[str] = [_map_row(row, name, width, numbers) for row, name in named]
    if len(view.run_map) > _LINES:
        made.append(f"… {len(view.run_map) - _LINES:,} more rows\n")
    yield pre(*made[:_MAPPED])
    left = len(view.run_map) - _MAPPED
    if left > 0:
        yield details(f"{plural(left, 'more row')} of the map", pre(*made[_MAPPED:]))


_SIGN = {True: "\N{DOWNWARDS ZIGZAG ARROW} ", False: ""}


def _map_row(row: MapRow, name: str, width: int, numbers: dict[int, int]) -> Markup:
    name = clipped(name, 48)
    number = numbers.get(row.graphs[-1]) if row.graphs else None
    colour = coloured("warning") if row.kind == "break" else region(number)
    graph = f"graph {number}" if number is not None else ""
    kind = "" if row.kind == "break" else row.kind
    facts = (row.file, row.lines, graph, kind, map_text(row))
    aside = " · ".join(shortened(fact, 200) for fact in facts if fact)
    return join(tag("b", name, **colour), " " * (width - cell_len(name)), f"  {aside}\n")
