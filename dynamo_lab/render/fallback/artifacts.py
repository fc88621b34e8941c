"""Artifacts in the script-free HTML."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, details, join, pre, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View

_TEXT = 2_000


def blocks(view: View) -> Iterator[Markup]:
    """A collapsible block for each artifact."""
    for item in view.artifacts:
        title = " · ".join(filter(None, (shortened(item.title, 120), item.compile_id, item.size)))
        note = [tag("p", shortened(item.note, 300))] if item.note else []
        yield details(title, join(*note, pre(clipped(item.text, _TEXT))))
