"""A network in several ways in the script-free HTML."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, details, join, prose, table, tag
from dynamo_lab.view.layouts.layouts import LayoutsView, WayView

_HEADS = ("way", "a call", "against compiled", "kernels", "copied", "off by")
_CONVOLUTIONS = ("where", "input by weight", "layout", "copied in each call", "why")


def layouts_html(view: LayoutsView) -> Markup:
    """One table of ways; below it what became of layouts in each, to unfold."""
    rows = [
        (one.title, one.time, one.problem or one.told, one.kernels, one.copied, one.difference)
        for one in view.ways
    ]
    return join(
        tag("p", tag("b", view.title), " ", tag("small", view.where)),
        table(_HEADS, rows),
        *(details(one.title, *_way(one)) for one in view.ways if one.facts or one.convolutions),
    )


def _way(one: WayView) -> Iterator[Markup]:
    yield join(*(tag("p", prose(fact)) for fact in one.facts))
    rows = [(c.where, c.sizes, c.layout, c.copied, c.told) for c in one.convolutions]
    if rows:
        yield table(_CONVOLUTIONS, rows)
