"""A search for what to update as script-free HTML."""

from dynamo_lab.model.tiny import TinySearch
from dynamo_lab.render.markup import Markup, join, prose, table, tag
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.tiny.contributions import COLUMNS, contributions_view


def search_html(search: TinySearch) -> Markup:
    """What was chosen, what a gain is, the table, and how the search ended."""
    view = contributions_view(search)
    rows = [(row.updated, row.channels, row.gain, row.bytes, row.mark) for row in view.rows]
    left = f"{plural(view.left_out, 'choice')} more in plan.search.facts.contributions"
    return join(
        tag("p", tag("b", view.head)),
        tag("p", prose(view.measured)),
        table(COLUMNS, rows),
        *([tag("p", left)] if view.left_out else []),
        tag("p", prose(view.ended)),
    )
