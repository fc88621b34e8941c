"""How to read a view: a collapsible line before the view in the script-free HTML."""

from collections.abc import Iterable, Iterator

from dynamo_lab.render.markup import Block, Markup, join, made, pre, prose, tag
from dynamo_lab.view.help.help import blocks
from dynamo_lab.view.still_help import still_reading_of


def with_reading(view: str, shown: Iterable[Block]) -> Iterator[Block]:
    """The blocks, the first of them with how to read the view of this name."""
    for at, block in enumerate(shown):
        yield block if at else join(_reading(view), made(block))


def _reading(view: str) -> Markup:
    reading = still_reading_of(view)
    if reading is None:
        return Markup("")
    paragraphs = (
        pre(text) if is_example else tag("p", prose(text))
        for is_example, text in blocks(reading.paragraph)
    )
    summary = tag("summary", tag("small", prose(reading.sentence)))
    return tag("details", summary, *paragraphs)
