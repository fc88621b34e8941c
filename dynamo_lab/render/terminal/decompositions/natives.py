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


def census_text(view: CensusView, width: int = 100) -> str:
    """The counts, and the operators that have no kernel on the device."""
    return plain(_census(view), width)


def _census(view: CensusView) -> Iterator[RenderableType]:
    yield heading(view.title)
    heads = [text(head, "dim") for head in ("operators", "functions", "")]
    rows = [
        [text(f"{row.operators:,}"), text(f"{row.functions:,}"), text(row.place)]
        for row in view.rows
    ]
    yield grid(("right", "right", "wrap"), [heads, *rows])
    yield text(SOURCE, "dim")
    yield from _names("Operators with a kernel on the CPU only", view.without, view.note)
    yield from _names("Such variants of operators with a kernel", view.partly)


def program_census_text(view: ProgramCensusView, width: int = 100) -> str:
    """The counts of a program, and its operators that have no kernel on the device."""
    return plain(_program_census(view), width)


def _program_census(view: ProgramCensusView) -> Iterator[RenderableType]:
    yield heading(view.title)
    heads = [text(head, "dim") for head in ("called", "compiled", "")]
    rows = [
        [text(f"{row.called:,}"), text(f"{row.compiled:,}"), text(row.place)] for row in view.rows
    ]
    yield grid(("right", "right", "wrap"), [heads, *rows])
    yield text(f"{OF_PROGRAM} {SOURCE}", "dim")
    for title, names in view.lacking:
        yield from _names(title, names)
    if view.note:
        yield text(view.note, "dim")


def _names(title: str, names: Sequence[str], note: str = "") -> Iterator[RenderableType]:
    if not names:
        return
    yield Text()
    yield heading(title, f"{len(names)}")
    yield text(", ".join(names))
    if note:
        yield text(f"{note} {LOWERED}", "dim")
