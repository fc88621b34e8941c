"""The messages of a log in words, in the script-free HTML."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, details, join, pre, table, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.logs.logs import LogView

_TEXT = 2_000
_MOST = 200


def blocks(view: View) -> Iterator[Markup]:
    """A row for each log, then a block that can be opened for each message."""
    if not view.logs.records:
        return
    rows = [
        (f"{kind.count:,}", shortened(kind.name, 80), kind.view if kind.tied else "only here",
         shortened(kind.shows, 200))
        for kind in view.logs.kinds
    ]  # fmt: skip
    yield table(("messages", "log", "view", "what is seen there"), rows)
    for item in view.logs.records[:_MOST]:
        yield _message(item)
    hidden = len(view.logs.records) - _MOST
    if hidden > 0:
        yield tag("p", tag("small", f"{hidden:,} more messages"))


def _message(item: LogView) -> Markup:
    begins = item.text.strip("\n").partition("\n")[0]
    title = " · ".join(filter(None, (item.compile_id, item.name, begins)))
    shown = f"{item.view}: {item.shown}" if item.view else "only here"
    beside = " · ".join(filter(None, (shown, item.where, item.place, item.note)))
    told = tag("p", tag("small", shortened(beside, 300)))
    return details(shortened(title, 160), join(told, pre(clipped(item.text, _TEXT))))
