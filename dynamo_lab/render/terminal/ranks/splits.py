"""How DDP split the graphs of a rank: a row for each bucket, and its parameters below."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import MARGIN, grid, heading, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.ranks.splits import SplitView

_MOST = 12
_COLUMNS = ("right", "right", "right", "right", "right", "left")


def parts(view: SplitView) -> Iterator[RenderableType]:
    """What DDP made of a graph."""
    yield heading("Split by DDP", view.title)
    yield line((f"{MARGIN}{view.sentence}", ""), wrap=True)
    if len(view.buckets) < 2:
        return
    yield Text()
    head = [text(name, "dim") for name in view.head]
    rows = [[text(one_line(cell)) for cell in one.cells] for one in view.buckets[:_MOST]]
    yield grid(_COLUMNS, [head, *rows])
    for at, one in enumerate(view.buckets[:_MOST]):
        names = listed([one_line(name) for name in one.parameters], 6)
        yield line((f"{MARGIN}{at}: {names or 'none'}", "dim"))
    if len(view.buckets) > _MOST:
        yield text(f"{MARGIN}\N{HORIZONTAL ELLIPSIS} {len(view.buckets) - _MOST:,} more", "dim")
