"""The margin of a notebook's own cells: regions, breaks, and reasons, as plain text."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.code.code import LineState, LineView, Mark, MarkKind, SourceView
from dynamo_lab.view.core.places import entity
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.view import View

_STATES: dict[LineState, str] = {
    "compiled": "Compiled",
    "eager": "Runs in Python, outside any graph",
    "skipped": "Skipped by Dynamo: it runs in Python",
    "compiling": "The compiler did not finish this",
    "failed": "It failed here",
}
_MOST = 400
"""The most characters of a text: a tooltip is short, and the view below has the rest."""

_LONGEST_CELL = 50_000
"""The most characters of a cell with marks: a copy of its code is stored to recognize it."""


_Regions = dict[int, tuple[int, str]]
"""For the id of a captured graph: its position among them, from 0, and its title."""


class MarginLine(Struct, frozen=True, array_like=True):
    """A line, from 1. `colour` counts the regions from 0, -1 for none; `says` is plain text.

    `goes_to` is the entity that a click leads to.
    """

    number: int
    state: LineState
    colour: int
    says: str
    goes_to: str
    mark: MarkKind | None = None


class Margin(Struct, frozen=True):
    """The marks of one cell. `code` is its text as it ran: marks apply to no other text."""

    code: str
    lines: tuple[MarginLine, ...]


def build(view: View) -> tuple[Margin, ...]:
    """The margins of the cells that a recording ran through."""
    captured = [g for g in view.graphs if g.stage == "dynamo" and g.parent is None]
    regions = {graph.id: (rank, graph.title) for rank, graph in enumerate(captured)}
    made = (_margin(source, regions, _breaks(view)) for source in view.sources if _is_cell(source))
    return tuple(margin for margin in made if margin.lines)


def _is_cell(source: SourceView) -> bool:
    """Whether it is a cell whose whole text is known."""
    numbers = [line.number for line in source.lines]
    size = sum(len(line.text) + 1 for line in source.lines)
    is_whole = numbers == list(range(1, len(numbers) + 1))
    return source.kind == "cell" and is_whole and size <= _LONGEST_CELL


def _breaks(view: View) -> dict[str, str]:
    """What to say about each break, by its entity."""
    return {f"break:{item.id}": _break(number, item) for number, item in enumerate(view.breaks, 1)}


def _break(number: int, item: BreakView) -> str:
    paragraphs = [f"Graph break {number}: {item.title}", item.explanation, *item.advice[:1]]
    return "\n".join(_shortened(text) for text in paragraphs if text)


def _shortened(text: str) -> str:
    text = " ".join(text.replace("`", "").split())  # no markup: a tooltip shows text as it is
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def _margin(source: SourceView, regions: _Regions, breaks: dict[str, str]) -> Margin:
    marks: dict[int, list[Mark]] = {}
    for mark in source.marks:
        marks.setdefault(mark.line, []).append(mark)
    lines = (
        _line(source.id, line, marks.get(line.number, []), regions, breaks) for line in source.lines
    )
    code = "\n".join(line.text for line in source.lines)
    return Margin(code, tuple(line for line in lines if line.state or line.mark))


def _line(
    source: int, line: LineView, marks: list[Mark], regions: _Regions, breaks: dict[str, str]
) -> MarginLine:
    rank, title = regions.get(line.region, (-1, ""))
    said = [breaks.get(mark.target, _shortened(mark.label)) for mark in marks]
    first = next(iter(marks), None)
    return MarginLine(
        number=line.number,
        state=line.state,
        colour=rank,
        says="\n".join([*said, *_of_state(line, title)]),
        goes_to=(first.target if first else "") or entity((source, line.number)),
        mark=first.kind if first else None,
    )


def _of_state(line: LineView, graph: str) -> Iterator[str]:
    if not line.state:
        return
    where = f" into {graph}" if graph and line.state == "compiled" else ""
    kernels = f", in {plural(line.kernels, 'kernel')}" if line.kernels else ""
    yield f"{_STATES[line.state]}{where}{kernels}."
