"""The messages of a log in words: how many of each log, or each beside what is shown of it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, text
from dynamo_lab.render.text import clipped, one_line
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.logs.logs import LogKindView, LogView

_LINES = 12
_LONGEST = 400
_LEAST = 70  # below so many columns what is shown stands below the text


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """A row for each log with the view that shows the same; in full, each message."""
    logs = view.logs
    if not logs.records:
        if page.everything:
            yield heading("Logs", "none")
            yield text('Pass logs="+dynamo,graph_code", or import what TORCH_LOGS printed.')
        return
    yield heading("Logs", plural(sum(kind.count for kind in logs.kinds), "message"))
    yield indented(grid(("right", "left", "wrap"), [_kind(kind) for kind in logs.kinds]))
    if not page.everything:
        yield text("dynamo-lab show --section logs prints them; `rec.logs` has them all.", "dim")
        return
    for item in logs.records:
        yield Text()
        yield from _message(item, page)
    if logs.left:
        yield text(logs.left, "dim")


def _kind(kind: LogKindView) -> tuple[Text, Text, Text]:
    told = f"{kind.view}: {kind.shows}" if kind.tied else f"only here: {kind.shows}"
    return text(f"{kind.count:,}"), text(one_line(kind.name), "bold"), text(told)


def _message(item: LogView, page: Page) -> Iterator[RenderableType]:
    yield line(
        (f"{item.level} ", "dim"),
        (f"{one_line(item.compile_id)} " if item.compile_id else "", "cyan"),
        (one_line(item.name), "bold"),
        (f"  {one_line(item.place)}", "dim"),
    )
    beside = _shown(item)
    if page.width < _LEAST:
        yield indented(_text(item))
        yield indented(beside)
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(ratio=3, no_wrap=True, overflow="ellipsis")
    table.add_column(ratio=2, overflow="fold")
    table.expand = True
    table.add_row(_text(item), beside)
    yield indented(table)


def _text(item: LogView) -> Text:
    rows = item.text.strip("\n").split("\n")
    more = [f"… {plural(len(rows) - _LINES, 'more line')}"] if len(rows) > _LINES else []
    note = [f"… {item.note}"] if item.note else []
    shown = [clipped(row, _LONGEST) for row in rows[:_LINES]]
    return text("\n".join([*shown, *more, *note]))


def _shown(item: LogView) -> Text:
    """Where the same is shown, and the line of the program."""
    made = Text()
    if item.view:
        made.append(f"{item.view}: ", style="green")
        made.append_text(text(one_line(item.shown)))
    else:
        made.append("only here", style="dim")
    if item.where:
        made.append("\n")
        made.append_text(text(one_line(item.where), "yellow"))
    return made
