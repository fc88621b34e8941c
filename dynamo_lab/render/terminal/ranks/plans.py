"""The plan of a job: a row for each kind of ranks, then the collectives of each."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import MARGIN, grid, heading, indented, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view.ranks.plans import KindView, PlanView

_MOST = 24
_FEW = 6
"""Of so many kinds the collectives are printed."""
_TOLD = 3
"""The columns that have a cell of their own; the others follow in words."""


def parts(view: PlanView) -> Iterator[RenderableType]:
    """The kinds of ranks of a plan."""
    yield heading("Plan", "nothing ran")
    head = [text(name, "dim") for name in view.kinds_head]
    rows = [[text(one_line(cell)) for cell in one.cells] for one in view.kinds]
    yield grid(("left", "right", "left", "right", "right"), [head, *rows])
    for one in view.kinds[:_FEW]:
        yield Text()
        yield from _calls(view, one)
    if len(view.kinds) > _FEW:
        left = len(view.kinds) - _FEW
        yield text(f"{MARGIN}\N{HORIZONTAL ELLIPSIS} the collectives of {left:,} more kinds", "dim")


def _calls(view: PlanView, kind: KindView) -> Iterator[RenderableType]:
    yield text(f"{MARGIN}what {kind.label} would call:", "bold")
    for row in (one.cells for one in kind.rows[:_MOST]):
        yield line((f"{MARGIN}{row[0]:>5}  ", ""), (f"{one_line(row[1])}  ", "bold"), (row[2], ""))
        told = "; ".join(one_line(cell) for cell in row[_TOLD:] if cell)
        yield indented(text(told, "dim"), 9)
    if len(kind.rows) > _MOST:
        yield text(f"{MARGIN}\N{HORIZONTAL ELLIPSIS} {len(kind.rows) - _MOST:,} more", "dim")
