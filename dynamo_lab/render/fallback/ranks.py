"""The collectives of a job, and how DDP split its graphs, without scripts."""

from collections.abc import Iterator, Sequence

from dynamo_lab.render.markup import Markup, prose, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view.ranks.collectives import CollectivesView
from dynamo_lab.view.ranks.splits import SplitView

_MOST = 40


def splits(view: Sequence[SplitView]) -> Iterator[Markup]:
    """How DDP split each graph, and the parameters of each bucket."""
    for one in view:
        yield tag("p", prose(one.sentence))
        if len(one.buckets) > 1:
            names = (", ".join(bucket.parameters) for bucket in one.buckets)
            rows = [
                (*bucket.cells, shortened(own, 200))
                for bucket, own in zip(one.buckets[:_MOST], names, strict=False)
            ]
            yield table((*one.head, "which"), rows)


def collectives(view: CollectivesView) -> Iterator[Markup]:
    """What is said of them, and how many of which there were."""
    yield tag("p", tag("b", "Collectives"))
    yield tag("ul", *(tag("li", prose(shortened(one, 300))) for one in view.sentences))
    rows = [tuple(shortened(cell, 120) for cell in one.cells) for one in view.alike[:_MOST]]
    yield table(view.head, rows)
    if len(view.alike) > _MOST:
        yield tag("p", f"{len(view.alike) - _MOST:,} more kinds are left out here.")
