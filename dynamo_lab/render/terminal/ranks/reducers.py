"""What modules under DDP reduce, a row for each bucket, and the settings to try."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import MARGIN, grid, heading, indented, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view.ranks.reducers import HEAD, DdpView, ReducedView, ReducerView

_MOST = 12


def parts(view: DdpView) -> Iterator[RenderableType]:
    """The buckets of each module, and what can be tried with them."""
    yield heading("DDP")
    for one in view.reducers:
        yield from _reducer(one)
    if view.settings:
        yield text(f"{MARGIN}to try, with `job.try_fix(name)` where the program lives:", "dim")
    for one in view.settings:
        yield line((f"{MARGIN}{one.name}  ", "bold"), (one_line(one.sentence), ""), wrap=True)
        for code in one.code.split("\n"):
            yield indented(text(code, "dim"), 4)


def _reducer(view: ReducerView) -> Iterator[RenderableType]:
    where = f" ({one_line(view.where)})" if view.where else ""
    yield line((f"{MARGIN}{one_line(view.sentence)}{where}", ""), wrap=True)
    yield Text()
    head = [text(name, "dim") for name in view.head]
    rows = [[text(one_line(cell)) for cell in _cells(view, one)] for one in view.buckets[:_MOST]]
    yield grid(("right", "right", "left", "left"), [head, *rows])
    if len(view.buckets) > _MOST:
        yield text(f"{MARGIN}\N{HORIZONTAL ELLIPSIS} {len(view.buckets) - _MOST:,} more", "dim")


def _cells(view: ReducerView, one: ReducedView) -> tuple[str, ...]:
    """The cells of a bucket, with its own settings where the table has a column for them."""
    return (*one.cells, ", ".join(one.settings)) if len(view.head) > len(HEAD) else one.cells
