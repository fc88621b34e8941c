"""Where ATen's kernels are for a device, in a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import grid, heading, plain, text
from dynamo_lab.view.decompositions.natives import (
    LOWERED,
    OF_PROGRAM,
    SOURCE,
    CensusView,
    ProgramCensusView,
)


def census_text(view: CensusView | ProgramCensusView, width: int = 100) -> str:
    """The counts, of PyTorch or of a program, and the operators without a kernel on the device."""
    parts = _census(view) if isinstance(view, CensusView) else _program_census(view)
    return plain(parts, width)


def _census(view: CensusView) -> Iterator[RenderableType]:
    yield heading(view.title)
    rows = [(row.operators, row.functions, row.place) for row in view.rows]
    yield _places(("operators", "functions", ""), rows)
    yield text(SOURCE, "dim")
    yield from _names("Operators with a kernel on the CPU only", view.without, view.note)
    yield from _names("Such variants of operators with a kernel", view.partly)


def _program_census(view: ProgramCensusView) -> Iterator[RenderableType]:
    yield heading(view.title)
    rows = [(row.called, row.compiled, row.place) for row in view.rows]
    yield _places(("called", "compiled", ""), rows)
    yield text(f"{OF_PROGRAM} {SOURCE}", "dim")
    for title, names in view.lacking:
        yield from _names(title, names)
    if view.note:
        yield text(view.note, "dim")


def _places(heads: Sequence[str], rows: Sequence[tuple[int, int, str]]) -> RenderableType:
    told = [[text(f"{first:,}"), text(f"{second:,}"), text(place)] for first, second, place in rows]
    return grid(("right", "right", "wrap"), [[text(head, "dim") for head in heads], *told])


def _names(title: str, names: Sequence[str], note: str = "") -> Iterator[RenderableType]:
    if not names:
        return
    yield Text()
    yield heading(title, f"{len(names)}")
    yield text(", ".join(names))
    if note:
        yield text(f"{note} {LOWERED}", "dim")
