"""Several recordings of one program without scripts: their numbers, lines and kernels."""

from collections.abc import Iterable, Iterator
from functools import partial

from dynamo_lab.render.fallback import findings
from dynamo_lab.render.fallback.kernels import kernel_block
from dynamo_lab.render.fallback.page import LIMIT, composed
from dynamo_lab.render.fallback.ranks import (
    collectives,
    ddp,
    memory,
    meshes,
    messages,
    plan,
    splits,
    tensors,
)
from dynamo_lab.render.markup import Block, Markup, join, prose, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.compare.side_by_side import LineRow, PairView, SideBySideView, sizes
from dynamo_lab.view.ranks.ranks import RanksView

_TITLES = 8  # kernels named in a cell


def fallback_of_several(
    view: SideBySideView, uid: str | None = None, limit: int = LIMIT, says: str = ""
) -> str:
    """The recordings as HTML of at most `limit` bytes, with notes where it was cut."""
    return composed(_head(view), _sections(view), uid, limit, says=says)


def _head(view: SideBySideView) -> Markup:
    title = tag("p", tag("b", shortened(view.views[0].summary.title, 120)))
    names = [name for name, _ in sizes(view.views[0])]
    rows = [
        (shortened(label, 60), *(f"{number:,}" for _, number in sizes(one)))
        for label, one in zip(view.labels, view.views, strict=True)
    ]
    sentences = [
        tag("p", tag("b", f"{shortened(label, 60)}: "), shortened(sentence, 600))
        for label, one in zip(view.labels, view.views, strict=True)
        for sentence in (one.summary.target, one.summary.failure)
        if sentence
    ]
    found = (findings.labelled(label, one.findings) for label, one in _pairs(view))
    return join(title, *_ranks(view.ranks), table(("", *names), rows), *sentences, *found)


def _pairs(view: SideBySideView) -> Iterator[tuple[str, View]]:
    return zip((shortened(label, 60) for label in view.labels), view.views, strict=True)


def _ranks(view: RanksView | None) -> Iterator[Markup]:
    """Where the ranks diverge, before anything else."""
    if view is not None:
        yield tag("p", tag("b", prose(shortened(view.sentence, 600))))
        yield tag("ul", *(tag("li", prose(shortened(one, 600))) for one in view.findings))
        yield tag("ul", *(tag("li", prose(shortened(one, 600))) for one in view.remarks))
        yield table(view.head, view.rows)
        if view.plan is not None:
            yield from plan(view.plan)
        yield from meshes(view.meshes)
        yield from tensors(view.tensors)
        yield from memory(view.memory)
        yield from splits(view.splits)
        yield from ddp(view.ddp)
        if view.collectives is not None:
            yield from collectives(view.collectives)
        yield from messages(view.messages)


def _sections(view: SideBySideView) -> Iterator[tuple[str, Iterable[Block]]]:
    labels = [shortened(label, 60) for label in view.labels]
    if view.lines:
        yield (
            "Your lines, and the kernels that they led to",
            [table(("", *labels), [_line(row) for row in view.lines])],
        )
    yield "What became of the kernels", (partial(_pair, pair) for pair in view.pairs)
    for label, one in zip(labels, view.views, strict=True):
        kernels = one.kernels.kernels
        yield f"Kernels, {label}", (partial(kernel_block, kernel) for kernel in kernels)


def _line(row: LineRow) -> tuple[str, ...]:
    place = f"{row.where}: {shortened(row.text, 100)}"
    return (place, *(_titles(titles) for titles in row.kernels))


def _titles(titles: tuple[str, ...]) -> str:
    left = len(titles) - _TITLES
    shown = "; ".join(shortened(title, 80) for title in titles[:_TITLES])
    return f"{shown}; {left} more" if left > 0 else shown or "-"


def _pair(pair: PairView) -> Markup:
    head = f"{shortened(pair.a, 60)} to {shortened(pair.b, 60)}: {', '.join(pair.facts)}"
    rows = [
        tag("li", f"{shortened(work.title, 120)}: {work.sentence}")
        for work in pair.works
        if not work.same
    ]
    return join(tag("p", head), *([tag("ul", *rows)] if rows else []), *_deeds(pair))


def _deeds(pair: PairView) -> Iterator[Markup]:
    """What one compiler did that the other did not, where there are two."""
    if pair.compilers is None:
        return
    yield tag("p", f"What {pair.compilers.a} and {pair.compilers.b} did differently:")
    rows = [
        (one.topic, *(shortened(each, 120) for each in (one.what, one.a, one.b)))
        for one in pair.compilers.deeds
    ]
    yield table(("", "", pair.compilers.a, pair.compilers.b), rows)
