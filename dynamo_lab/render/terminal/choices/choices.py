"""Choices: what was chosen without a word, where, why, and what came of it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import RenderableType

from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, more, text
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View
from dynamo_lab.view.choices.choice import ChoiceRow
from dynamo_lab.view.core.words import first_up, plural

_BRIEF = 8
_APART = ("attention", "fast path")
"""Kinds that have a section of their own, which says the same in brief."""


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """A line for each choice in brief; in full its reason, its effect, and what would change it."""
    shown = [row for row in view.choices if page.everything or row.kind not in _APART]
    if shown:
        yield heading("Choices", plural(sum(row.count for row in shown), "choice"))
        yield from _in_full(shown) if page.everything else _in_brief(shown)
    elif page.everything:
        yield heading("Choices", "none")
        yield text("Nothing is known to have been chosen in silence.")


def _in_brief(rows: Sequence[ChoiceRow]) -> Iterator[RenderableType]:
    for row in rows[:_BRIEF]:
        yield _head(row, f"{row.kind:<16}  ")
    if (left := len(rows) - _BRIEF) > 0:
        yield more(left, "kinds of choices", "dynamo-lab show --section choices")


def _in_full(rows: Sequence[ChoiceRow]) -> Iterator[RenderableType]:
    for kind, alike in groupby(rows, key=lambda row: row.kind):
        yield line((first_up(kind), "bold cyan"))
        for row in alike:
            yield indented(_head(row))
            told = [("why", row.reason), ("effect", row.effect), ("->", row.remedy)]
            cells = [(text(of, "dim"), text(_unquoted(said))) for of, said in told if said]
            yield indented(grid(("left", "wrap"), cells), 4)


def _head(row: ChoiceRow, before: str = "") -> RenderableType:
    count = f" x {row.count:,}" if row.count > 1 else ""
    where = f"  {one_line(row.where)}" if row.where else ""
    return line(
        (before, "cyan"),
        (_unquoted(f"{row.choice}{count}"), "bold"),
        (where, ""),
        (f"  {shortened(one_line(row.code), 60)}" if row.code else "", "dim"),
    )


def _unquoted(sentence: str) -> str:
    return sentence.replace("`", "")
