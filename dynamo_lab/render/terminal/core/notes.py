"""The notes of a recording."""

from collections.abc import Iterator

from rich.console import RenderableType

from dynamo_lab.render.terminal.core.parts import Page, heading, indented, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View

_STYLES = {"info": "dim", "warning": "yellow", "failure": "red"}


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The notes; in full, with tracebacks."""
    if not view.notes:
        return
    yield heading("Notes")
    for note in view.notes:
        style = _STYLES.get(note.level, "")
        head = ((f"{note.level} ", style), (f"{one_line(note.about)}: ", "bold"))
        yield line(
            *head, (note.message if page.everything else one_line(note.message), ""), wrap=True
        )
        if note.details and page.everything:
            yield indented(text(note.details, "dim"), 4)
