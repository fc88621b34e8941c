"""Which lines of a source to show where there is no room for all."""

from collections.abc import Iterator, Sequence

from dynamo_lab.view import View
from dynamo_lab.view.code import LineView, Mark, SourceView

_CONTEXT = 3
_SHORT = 30


def sources_to_show(view: View, libraries: bool) -> list[SourceView]:
    """The sources with something recorded on them, the main one first.

    Of libraries only those with a mark, unless they are asked for.
    """
    main = view.sources[view.main_source : view.main_source + 1]
    ordered = [*main, *(source for source in view.sources if source not in main)]
    return [source for source in ordered if _says_something(source, libraries)]


def colours(view: View) -> dict[int, int]:
    """A number for the colour of each region: captured graphs in order, as their ids leave gaps."""
    captured = [g.id for g in view.graphs if g.stage == "dynamo" and g.parent is None]
    return {graph: order for order, graph in enumerate(captured)}


def _says_something(source: SourceView, libraries: bool) -> bool:
    if source.marks:
        return True
    return (libraries or source.kind != "library") and any(item.state for item in source.lines)


def marks_by_line(source: SourceView) -> dict[int, list[Mark]]:
    """The marks of each marked line."""
    marks: dict[int, list[Mark]] = {}
    for mark in source.marks:
        marks.setdefault(mark.line, []).append(mark)
    return marks


def nearby(lines: Sequence[LineView], marked: dict[int, list[Mark]]) -> Iterator[LineView]:
    """The recorded lines with a few around them; short sources whole."""
    if len(lines) <= _SHORT:
        yield from lines
        return
    reached = 0
    for index, item in enumerate(lines):
        if item.state or item.number in marked:
            yield from lines[max(reached, index - _CONTEXT) : index + _CONTEXT + 1]
            reached = max(reached, index + _CONTEXT + 1)
