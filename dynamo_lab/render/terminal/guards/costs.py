"""How long a check of the guards takes; in full by value, and with PyTorch's filters."""

from collections.abc import Iterator

from rich.console import RenderableType

from dynamo_lab.render.terminal.core.parts import Page, grid, indented, line, text
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import percent, seconds
from dynamo_lab.view.guards.costs import GuardCostView

_BRIEF = 3
_ROWS = 12


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The costliest compilations."""
    for one in view.guards.costs if page.everything else view.guards.costs[:_BRIEF]:
        yield line((one.sentence, ""), (f"  {one_line(one.title)}  {one.compile_id}", "dim"))
        if page.everything:
            yield from _in_full(one)


def _in_full(one: GuardCostView) -> Iterator[RenderableType]:
    rows = (
        (
            text(seconds(row.seconds), "bold"),
            text(percent(row.share), "cyan"),
            text(shortened(row.name, 100)),
        )
        for row in one.rows[:_ROWS]
    )
    if one.rows:
        yield indented(grid(("right", "right", "wrap"), rows), 2)
    if more := len(one.rows[_ROWS:]):
        yield indented(text(f"\N{HORIZONTAL ELLIPSIS} {more:,} more", "dim"), 2)
    for told in filter(None, (one.sum, *one.filters)):
        yield indented(text(told.replace("`", ""), "dim"), 2)
