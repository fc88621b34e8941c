"""Choices in the script-free HTML, as a table."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, join, prose, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.choices.choice import ChoiceRow

_MOST = 200


def blocks(view: View) -> Iterator[Markup]:
    """A row for each choice, with its reason and its effect; below them what would change them."""
    if not view.choices:
        return
    rows = [_row(row) for row in view.choices[:_MOST]]
    remedies = dict.fromkeys(row.remedy for row in view.choices[:_MOST] if row.remedy)
    yield join(
        table(("", "choice", "where", "why", "effect"), rows),
        *[tag("p", prose(remedy)) for remedy in remedies],
    )


def _row(row: ChoiceRow) -> tuple[str, ...]:
    count = f" x {row.count:,}" if row.count > 1 else ""
    choice = join(prose(row.choice), count)
    return row.kind, choice, shortened(row.where, 120), prose(row.reason), prose(row.effect)
