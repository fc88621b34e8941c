"""Code and breaks in the wording shared by all text renderers, and which lines to show."""

from collections.abc import Iterable, Iterator, Sequence

from dynamo_lab.view import View
from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.breaks.stories import Side, StoryView
from dynamo_lab.view.code.code import LineView, Mark, SourceView
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.frames.run_map import MapRow
from dynamo_lab.view.graphs.graphs import GraphView

SIGNS = {"": " ", "compiled": "┃", "eager": "·", "skipped": "○", "compiling": "…", "failed": "✗"}
"""The sign before a line of each state."""
_MEANINGS = {
    "compiled": "compiled into the graph of this number",
    "eager": "ran in Python",
    "skipped": "left to Python",
    "compiling": "being compiled",
    "failed": "failed to compile",
}
_AGAIN = f"{_MEANINGS['compiled']}, the newest of those that it is in"
_CONTEXT = 3
_SHORT = 30


def sources_to_show(view: View, libraries: bool) -> list[SourceView]:
    """The sources with something recorded on them, the main one first.

    Library sources only if they have a mark, unless requested.
    """
    main = view.sources[view.main_source : view.main_source + 1]
    ordered = [*main, *(source for source in view.sources if source not in main)]
    return [source for source in ordered if _says_something(source, libraries)]


def regions(view: View) -> dict[int, int]:
    """The number of each captured graph by its id, which is the region of a line."""
    return {graph.id: graph.number for graph in _captured(view)}


def _captured(view: View) -> Iterator[GraphView]:
    return (graph for graph in view.graphs if graph.stage == "dynamo" and graph.parent is None)


def legend(view: View, sources: Iterable[SourceView]) -> list[str]:
    """The signs that occur, with their meanings."""
    states = {item.state for source in sources for item in source.lines}
    meanings = _MEANINGS | ({"compiled": _AGAIN} if _is_compiled_again(view) else {})
    return [f"{SIGNS[state]} {words}" for state, words in meanings.items() if state in states]


def _is_compiled_again(view: View) -> bool:
    """Whether some frame has several graphs: each of its lines shows the newest."""
    frames = [graph.frame for graph in _captured(view) if graph.frame is not None]
    return len(frames) > len(set(frames))


def mark_name(mark: Mark) -> str:
    """'break 2', counted from 1."""
    if mark.kind == "specialised":
        return mark.kind
    kind, _, number = mark.target.partition(":")
    return f"{kind} {int(number) + 1}" if number.isdecimal() else mark.kind


def times_of(item: BreakView) -> str:
    """'6 compilations' with a sign of multiplication, where more than one broke there."""
    return f"\N{MULTIPLICATION SIGN} {item.times:,} compilations" if item.times > 1 else ""


def is_telling(view: View) -> bool:
    """Whether the run map says more than that one function was compiled completely."""
    return sum(bool(row.entity) for row in view.run_map) > 1


def map_text(row: MapRow) -> str:
    """'3 operators, 1 kernel, compiled twice'."""
    return ", ".join(part for part in (row.size, row.text) if part)


def sides_of(sides: Iterable[Side]) -> str:
    """'graph 2 (lines 3-4, 2 operators)'."""
    return "; ".join(f"{at.title} ({at.text})" if at.title else at.text for at in sides)


def fault_of(story: StoryView) -> str:
    """'CALL, given y: f32[8]': the instruction at fault and its tensors."""
    given = f"given {listed(story.values)}" if story.values else ""
    return ", ".join(part for part in (story.instruction, given) if part)


def _says_something(source: SourceView, libraries: bool) -> bool:
    if source.marks or source.is_wrapper:
        return True
    return (libraries or source.kind != "library") and any(item.state for item in source.lines)


def marks_by_line(source: SourceView) -> dict[int, list[Mark]]:
    """The marks of each marked line."""
    marks: dict[int, list[Mark]] = {}
    for mark in source.marks:
        marks.setdefault(mark.line, []).append(mark)
    return marks


def nearby(
    source: SourceView, marked: dict[int, list[Mark]], libraries: bool = False
) -> Iterator[LineView]:
    """The recorded lines with a few around them; short sources completely.

    For libraries only the lines around marks, unless all are requested.
    """
    lines = _without_blank_ends(source.lines)
    if len(lines) <= _SHORT:
        yield from lines
        return
    only_marks = source.kind == "library" and not libraries
    reached = 0
    for index, item in enumerate(lines):
        if item.number in marked or (item.state and not only_marks):
            yield from lines[max(reached, index - _CONTEXT) : index + _CONTEXT + 1]
            reached = max(reached, index + _CONTEXT + 1)


def _without_blank_ends(lines: Sequence[LineView]) -> Sequence[LineView]:
    kept = [at for at, item in enumerate(lines) if item.text.strip()]
    return lines[kept[0] : kept[-1] + 1] if kept else ()
