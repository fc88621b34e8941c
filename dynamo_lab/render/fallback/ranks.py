"""The ranks of a job without scripts: plan, meshes, DTensors, memory, splits, collectives."""

from collections.abc import Iterator, Sequence

from dynamo_lab.render.markup import Markup, details, join, pre, prose, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view.ranks.collectives import CollectivesView
from dynamo_lab.view.ranks.memory import RankMemoryView
from dynamo_lab.view.ranks.mesh import tensors as tensors_view
from dynamo_lab.view.ranks.mesh.meshes import MeshView
from dynamo_lab.view.ranks.mesh.tensors import TensorView
from dynamo_lab.view.ranks.messages import MessagesView
from dynamo_lab.view.ranks.plans import PlanView
from dynamo_lab.view.ranks.reducers import DdpView
from dynamo_lab.view.ranks.splits import SplitView

_MOST = 40
_KINDS = 6
_ROWS = 32
_GROUPS = 8
_BLOCKS = 64
_WIDE, _TALL = 220, 120
"""The size of a drawing of a tensor, in pixels."""


def splits(view: Sequence[SplitView]) -> Iterator[Markup]:
    """How DDP split each graph, and the parameters of each bucket."""
    for one in view:
        yield tag("p", prose(one.sentence))
        if len(one.buckets) > 1:
            names = (", ".join(bucket.parameters) for bucket in one.buckets)
            rows = [
                (*bucket.cells, shortened(own, 200))
                for bucket, own in zip(one.buckets[:_MOST], names, strict=False)
            ]
            yield table((*one.head, "which"), rows)


def ddp(view: DdpView | None) -> Iterator[Markup]:
    """What modules under DDP reduce, and the settings to try."""
    for one in view.reducers if view else ():
        where = f" ({one.where})" if one.where else ""
        yield tag("p", tag("b", "DDP"), " ", prose(one.sentence), where)
        if one.settings:
            yield tag("p", "To try for each of its buckets: ", ", ".join(one.settings))
        rows = [(*each.cells, ", ".join(each.settings))[: len(one.head)] for each in one.buckets]
        yield table(one.head, [tuple(shortened(cell, 200) for cell in row) for row in rows[:_MOST]])
    settings = [
        tag("li", tag("code", one.name), f" {one.sentence}", pre(one.code))
        for one in (view.settings if view else ())
    ]
    if settings:
        yield details("Settings of DDP to try", tag("ul", *settings))


def _cells(cells: Sequence[str]) -> tuple[Markup, ...]:
    return tuple(prose(shortened(cell, 120)) for cell in cells)


def collectives(view: CollectivesView) -> Iterator[Markup]:
    """What is said of them, and how many of which there were."""
    yield tag("p", tag("b", "Collectives"))
    yield tag("ul", *(tag("li", prose(shortened(one, 300))) for one in view.sentences))
    rows = [_cells(one.cells) for one in view.alike[:_MOST]]
    yield table(view.head, rows)
    if len(view.alike) > _MOST:
        yield tag("p", f"{len(view.alike) - _MOST:,} more kinds are left out here.")


def messages(view: MessagesView | None) -> Iterator[Markup]:
    """What ranks sent to one another."""
    if view is not None:
        yield tag("p", tag("b", "Messages"), f" {view.sentence}")
        rows = [_cells(row.cells) for row in view.rows[:_MOST]]
        yield table(view.head, rows)


def plan(view: PlanView) -> Iterator[Markup]:
    """The kinds of ranks of a plan, and what each would call."""
    rows = [_cells(one.cells) for one in view.kinds[:_MOST]]
    yield table(view.kinds_head, rows)
    for one in view.kinds[:_KINDS]:
        calls = [_cells(row.cells) for row in one.rows[:_MOST]]
        yield details(f"What {one.label} would call", table(view.head, calls))


def meshes(views: Sequence[MeshView]) -> Iterator[Markup]:
    """Each mesh as a grid, with its groups and the code that makes it."""
    for one in views:
        across = one.shape[-1]
        rows = [one.ranks[at : at + across] for at in range(0, len(one.ranks), across)]
        grid = [tuple(map(str, row)) for row in rows[:_ROWS]]
        left = len(rows) - _ROWS
        groups = [
            tag("li", f"{one_.name}: ", "; ".join(map(_group, one_.groups[:_GROUPS])))
            for one_ in one.dimensions
        ]
        yield tag("p", tag("b", f"Mesh {shortened(one.title, 120)}"), " ", one.sentence)
        yield details(
            "The ranks, the groups, and the code",
            table((), grid),
            *([tag("p", f"{left:,} more rows are left out here.")] if left > 0 else []),
            tag("ul", *groups),
            pre(one.short),
            tag("p", "The same groups without a mesh:"),
            pre(one.long),
        )


def _group(ranks: Sequence[int]) -> str:
    shown = ", ".join(map(str, ranks[:_GROUPS]))
    return f"{{{shown}{', ...' if len(ranks) > _GROUPS else ''}}}"


def tensors(views: Sequence[TensorView]) -> Iterator[Markup]:
    """Each DTensor, and its blocks as a drawing."""
    if not views:
        return
    yield tag("p", tag("b", "DTensors"))
    rows = [tuple(shortened(cell, 120) for cell in one.cells) for one in views[:_MOST]]
    yield table(tensors_view.HEAD, rows)
    drawn = [join(tag("p", f"{one.name}: {tensors_view.told(one)}"), _drawing(one))
             for one in views[:_MOST]]  # fmt: skip
    yield details("Which rank holds which block", *drawn)


def _drawing(view: TensorView) -> Markup:
    """The blocks of a tensor, each in its place."""
    if not 0 < len(view.blocks) <= _BLOCKS:
        return join()
    parts: list[Markup] = []
    for one in view.blocks:
        if one.is_behind:
            continue
        x, y = one.x * _WIDE, one.y * _TALL
        width, height = one.width * _WIDE, one.height * _TALL
        sizes = " x ".join(map(str, one.sizes))
        parts.append(
            tag("rect", tag("title", f"{one.label}: {sizes}"), x=f"{x:.1f}", y=f"{y:.1f}",
                width=f"{width:.1f}", height=f"{height:.1f}", fill="none", stroke="currentColor")
        )  # fmt: skip
        if height >= 12 and width >= 6 * len(one.label):
            parts.append(tag("text", one.label, x=f"{x + 3:.1f}", y=f"{y + 11:.1f}",
                             font_size="10", fill="currentColor"))  # fmt: skip
    return tag("svg", *parts, width=str(_WIDE), height=str(_TALL),
               viewBox=f"-1 -1 {_WIDE + 2} {_TALL + 2}", role="img",
               aria_label=f"The blocks of {view.name}")  # fmt: skip


def memory(view: RankMemoryView | None) -> Iterator[Markup]:
    """What each rank keeps in memory, and what one process would."""
    if view is not None:
        yield tag("p", tag("b", "Memory of a rank"), *(f" {one}" for one in view.sentences))
        yield table(view.head, view.rows)
