"""How to read a view, in the terminal, on request."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding

from dynamo_lab.render.terminal.core.parts import Page, indented, text
from dynamo_lab.view.help.help import blocks
from dynamo_lab.view.still_help import still_reading_of


def reading(view: str, page: Page) -> Iterator[RenderableType]:
    """The sentence and the paragraph of the view of this name; nothing if there is none."""
    found = still_reading_of(view)
    if found is None:
        return
    margin = (0, max(0, page.width - page.prose), 0, 0)
    yield Padding(text(found.sentence, "italic"), margin)
    for is_example, part in blocks(found.paragraph):
        yield indented(text(part, "dim"), 4) if is_example else Padding(text(part, "dim"), margin)
    yield text("")
