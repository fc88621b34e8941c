"""The user's code: a sign and a colour per region, and the breaks marked under their columns."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.excerpt import (
    SIGNS,
    legend,
    mark_name,
    marks_by_line,
    nearby,
    regions,
    sources_to_show,
)
from dynamo_lab.render.terminal.core.parts import (
    Page,
    caret,
    heading,
    line,
    region_style,
    separated,
)
from dynamo_lab.render.text import visible
from dynamo_lab.view import View
from dynamo_lab.view.code.code import LineView, Mark, SourceView
from dynamo_lab.view.core.words import plural

_STYLES = {"": "", "compiled": "", "eager": "dim", "skipped": "dim", "failed": "red"}
_LONGEST = 60
_KERNELS_FROM = 60


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each source with something recorded on it; library sources only where they break."""
    shown = sources_to_show(view, libraries=page.everything)
    numbers = regions(view)
    yield from separated(_source(source, numbers, page) for source in shown)
    if parts := legend(view, shown):
        yield line(("   ".join(parts), "dim"), wrap=True)


def _source(source: SourceView, numbers: dict[int, int], page: Page) -> Iterator[RenderableType]:
    is_plain = source.kind == "cell" or source.path == source.label
    yield heading(source.label, "" if is_plain else source.path)
    if source.notice:
        yield line((source.notice, "bold yellow"), wrap=True)
    if source.is_wrapper and not page.everything:
        return
    marks = marks_by_line(source)
    rows = list(nearby(source, marks, libraries=page.everything))
    limit = len(rows) if page.everything else _LONGEST
    gutter = _Gutter(source, numbers)
    previous = None
    for item in rows[:limit]:
        if previous is not None and item.number > previous + 1:
            yield line((" " * (gutter.width - 3) + "⋮", "dim"))
        previous = item.number
        yield gutter.line(item, page)
        for mark in marks.get(item.number, ()):
            yield from gutter.mark(item, mark, page)
    if len(rows) > limit:
        left = f"… {len(rows) - limit:,} more lines; "
        yield line((left, "dim"), ("dynamo-lab show --section code", "dim italic"))


_MARKS = {"break": "bold yellow", "failure": "bold red", "specialised": "cyan"}


class _Gutter:
    """The columns left of the code: the state's sign, the graph, the line number."""

    def __init__(self, source: SourceView, numbers: dict[int, int]) -> None:
        self._numbers = numbers
        known = [len(str(numbers.get(item.region, ""))) for item in source.lines]
        self._region = max([1, *known])
        self._number = max((len(str(item.number)) for item in source.lines), default=1)
        self.width = 1 + self._region + 2 + self._number + 2

    def line(self, item: LineView, page: Page) -> Text:
        """A line of code."""
        number = self._numbers.get(item.region)
        colour = _STYLES[item.state] if number is None else region_style(number)
        made = line(
            (f"{SIGNS[item.state]}{number or '':>{self._region}}  ", f"{colour} bold"),
            (f"{item.number:>{self._number}}  ", "dim"),
            (item.text, _STYLES[item.state]),
        )
        if item.kernels:
            note = plural(item.kernels, "kernel")
            room = page.width - len(note) - 2
            made.truncate(room, overflow="ellipsis")
            # Aligned in one column where the code leaves room.
            column = min(room, self.width + _KERNELS_FROM)
            made.append(" " * (max(0, column - made.cell_len) + 2) + note, style="dim italic")
        return made

    def mark(self, item: LineView, mark: Mark, page: Page) -> Iterator[Text]:
        """The carets under a line."""
        colour = _MARKS[mark.kind]
        label = visible(f"{mark_name(mark)}: {mark.label}")
        end = mark.end_column if mark.end_line == mark.line else len(item.text.rstrip())
        for row in caret(item.text, mark.column, end, label, colour, page.width - self.width):
            yield Text(" " * self.width, no_wrap=True, overflow="ellipsis").append_text(row)
