"""Artifacts: the records of a log that became no facts, as a list or with their texts."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import MARGIN, Page, grid, heading, indented, line, text
from dynamo_lab.render.text import clipped, one_line
from dynamo_lab.view import View
from dynamo_lab.view.artifacts import ArtifactView
from dynamo_lab.view.core.words import plural

_LINES = 12


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """How many there are of each kind; in full, each with the beginning of its text."""
    if not view.artifacts:
        if page.everything:
            yield heading("Artifacts", "none")
            yield text("Only recordings imported from a trace log have artifacts.")
        return
    yield heading("Artifacts", f"{len(view.artifacts):,}")
    if page.everything:
        for at, item in enumerate(view.artifacts):
            yield from _artifact(at, item)
        return
    yield text("Everything else in the log, as it was written:", "dim")
    kinds: dict[str, list[ArtifactView]] = {}
    for item in view.artifacts:
        kinds.setdefault(item.title, []).append(item)
    rows = [(text(f"{len(items):,}"), text(one_line(title))) for title, items in kinds.items()]
    yield indented(grid(("right", "left"), rows))
    yield text(
        "dynamo-lab show --section artifacts prints them; `rec.artifacts` has them all.", "dim"
    )


def _artifact(at: int, item: ArtifactView) -> Iterator[RenderableType]:
    yield line((f"{at} ", "dim"), (one_line(item.title), "bold"), (f"  {item.compile_id}", "cyan"),
               (f"  {item.size}", "dim"))  # fmt: skip
    if item.note:
        yield line((f"{MARGIN}{one_line(item.note)}", "yellow"), wrap=True)
    lines = item.text.strip("\n").split("\n")
    for row in lines[:_LINES]:
        yield line((f"{MARGIN}{clipped(row, 200)}", ""))
    if len(lines) > _LINES:
        yield line((f"{MARGIN}… {plural(len(lines) - _LINES, 'more line')}", "dim"))
    yield Text()
