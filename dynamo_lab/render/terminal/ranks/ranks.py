"""The ranks of a job: where they diverge, their numbers, then their collectives."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import MARGIN, grid, line, text
from dynamo_lab.render.terminal.ranks import collectives, meshes, plans, reducers, splits
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view.ranks.ranks import RanksView


def ranks(view: RanksView, title: str) -> RenderableType:
    """The verdict, the differences, and a row for each rank."""
    return Group(*parts(view, title))


def parts(view: RanksView, title: str) -> Iterator[RenderableType]:
    """The verdict, the differences, and a row for each rank, in sequence."""
    yield line((f" {shortened(title, 60)} ", "bold reverse"))
    yield Text()
    is_same = view.is_whole and not view.findings
    yield text(view.sentence, "bold green" if is_same else "bold yellow")
    for finding in view.findings:
        yield line((f"{MARGIN}- {one_line(finding)}", ""), wrap=True)
    for remark in view.remarks:
        yield line((f"{MARGIN}{one_line(remark)}", "dim"), wrap=True)
    yield Text()
    head = [text(name, "dim") for name in view.head]
    rows = [
        (text(one_line(row[0]), "bold"), *(text(cell) for cell in row[1:])) for row in view.rows
    ]
    yield grid(("left", *("right" for _ in head[1:])), [head, *rows])
    if view.plan is not None:
        yield Text()
        yield from plans.parts(view.plan)
    for mesh in view.meshes:
        yield Text()
        yield from meshes.mesh(mesh)
    if view.tensors:
        yield Text()
        yield from meshes.tensors(view.tensors)
    if view.memory is not None:
        yield Text()
        yield from meshes.memory(view.memory)
    for split in view.splits:
        yield Text()
        yield from splits.parts(split)
    if view.ddp is not None:
        yield Text()
        yield from reducers.parts(view.ddp)
    if view.collectives is not None:
        yield Text()
        yield from collectives.parts(view.collectives)
    if view.messages is not None:
        yield Text()
        yield from collectives.messages(view.messages)
