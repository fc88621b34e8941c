"""The meshes of a job, its DTensors, and its memory."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import MARGIN, grid, heading, indented, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.ranks.memory import RankMemoryView
from dynamo_lab.view.ranks.mesh import tensors as tensors_view
from dynamo_lab.view.ranks.mesh.meshes import MeshView
from dynamo_lab.view.ranks.mesh.tensors import TensorView

_ROWS, _COLUMNS = 12, 16
_MOST = 40
_MORE = "\N{HORIZONTAL ELLIPSIS}"


def mesh(view: MeshView) -> Iterator[RenderableType]:
    """The grid of a mesh, its groups, and the two ways to make it."""
    yield heading("Mesh", view.title)
    yield line((f"{MARGIN}{one_line(view.sentence)}", ""), wrap=True)
    yield Text()
    across = view.shape[-1]
    rows = [view.ranks[at : at + across] for at in range(0, len(view.ranks), across)]
    cells = [
        [text(f"{rank}") for rank in row[:_COLUMNS]] + [text(_MORE)] * (len(row) > _COLUMNS)
        for row in rows[:_ROWS]
    ]
    yield grid(["right"] * max(map(len, cells)), cells)
    if len(rows) > _ROWS:
        yield text(f"{MARGIN}{_MORE} {len(rows) - _ROWS:,} more rows", "dim")
    for one in view.dimensions:
        told = listed([_group(group) for group in one.groups], 5)
        yield line((f"{MARGIN}{one_line(one.name)}: ", "bold"), (told, ""), wrap=True)
    for title, code in (("as a mesh", view.short), ("the same groups without", view.long)):
        yield text(f"{MARGIN}{title}:", "dim")
        for each in code.split("\n"):
            yield line((f"{MARGIN}{MARGIN}{each}", ""))


def _group(ranks: Sequence[int]) -> str:
    if len(ranks) <= 6:
        return f"{{{', '.join(map(str, ranks))}}}"
    return f"{{{ranks[0]}, {ranks[1]}, {_MORE} {ranks[-1]}}}"


def tensors(views: Sequence[TensorView]) -> Iterator[RenderableType]:
    """Two lines for each DTensor: what it is, and what a rank holds of it."""
    yield heading("DTensors", "each with its placements, and what a rank holds of it")
    for one in views[:_MOST]:
        name, shape, kind, mesh, placements, held, size = map(one_line, one.cells)
        yield line((f"{MARGIN}{name}  ", "bold"), (f"{shape} {kind}  {placements}", ""))
        told = f"on {mesh}: {held}, {size} a rank; {one_line(tensors_view.told(one))}"
        yield indented(text(told, "dim"), 4)
    if len(views) > _MOST:
        yield text(f"{MARGIN}{_MORE} {len(views) - _MOST:,} more", "dim")


def memory(view: RankMemoryView) -> Iterator[RenderableType]:
    """What each rank keeps in memory, and what one process would."""
    yield heading("Memory of a rank")
    for one in view.sentences:
        yield line((f"{MARGIN}{one_line(one)}", ""), wrap=True)
    head = [text(name, "dim") for name in view.head]
    rows = [[text(one_line(cell)) for cell in row] for row in view.rows]
    yield grid(("left", *("right" for _ in head[1:])), [head, *rows])
