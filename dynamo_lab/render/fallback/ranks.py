"""The collectives of a job without scripts: what is said of them, and a row for those alike."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, prose, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view.ranks.collectives import CollectivesView

_MOST = 40


def collectives(view: CollectivesView) -> Iterator[Markup]:
    """What is said of them, and how many of which there were."""
    yield tag("p", tag("b", "Collectives"))
    yield tag("ul", *(tag("li", prose(shortened(one, 300))) for one in view.sentences))
    rows = [tuple(shortened(cell, 120) for cell in one.cells) for one in view.alike[:_MOST]]
    yield table(view.head, rows)
    if len(view.alike) > _MOST:
        yield tag("p", f"{len(view.alike) - _MOST:,} more kinds are left out here.")
