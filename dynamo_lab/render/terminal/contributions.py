"""A search for what to update as a table in the terminal: layer, share, gain, bytes."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.model.tiny import TinySearch
from dynamo_lab.render.terminal.core.parts import listing, plain, text
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.tiny.contributions import COLUMNS, ContributionRow, contributions_view

_WIDTH = 100


def search_text(search: TinySearch) -> str:
    """The search as plain text."""
    return plain(search_rows(search, _WIDTH), _WIDTH)


def search_rows(search: TinySearch, width: int) -> Iterator[RenderableType]:
    """What was chosen, what a gain is, the table, and how the search ended."""
    view = contributions_view(search)
    yield Text(view.head, style="bold")
    yield text(view.measured)
    yield Text("")
    head = tuple(Text(word, style="dim") for word in COLUMNS)
    rows = [head, *map(_row, view.rows)]
    yield from listing(("left", "right", "right", "right", "wrap"), rows, width)
    if view.left_out:
        left = f"… {plural(view.left_out, 'choice')} more in plan.search.facts.contributions"
        yield Text(left, style="dim")
    yield Text("")
    yield text(view.ended)


def _row(row: ContributionRow) -> tuple[Text, ...]:
    style = "bold green" if row.is_chosen else ""
    return (
        Text(row.updated, style=style or "cyan"),
        Text(row.channels),
        Text(row.gain, style=style),
        Text(row.bytes),
        Text(row.mark, style=style or "dim"),
    )
