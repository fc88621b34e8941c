"""Several recordings of one program: their numbers, and your lines with the kernels of each."""

from collections import Counter
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from dynamo_lab.render.terminal import findings
from dynamo_lab.render.terminal.core.parts import MARGIN, Grid, grid, heading, line, text
from dynamo_lab.render.terminal.ranks.ranks import parts
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view.compare.compilers import CompilersView
from dynamo_lab.view.compare.side_by_side import LineRow, PairView, SideBySideView, sizes

_LINES = 40
_DEEDS = 20  # of one topic


def side_by_side(view: SideBySideView) -> RenderableType:
    """The recordings in columns, and what the kernels of the first became in each other one."""
    return Group(*_sections(view))


def _sections(view: SideBySideView) -> Iterator[RenderableType]:
    if view.ranks is not None:
        yield from parts(view.ranks, ", ".join(view.labels))
        yield Text()
    else:
        yield line((f" {shortened(view.views[0].summary.title, 60)} ", "bold reverse"))
    for label, one in zip(view.labels, view.views, strict=True):
        if one.summary.target or one.summary.failure:
            message = one.summary.failure or one.summary.target
            yield line((f"{label}: ", "bold"), (message, "red" if one.summary.failure else "dim"))
    yield _numbers(view)
    for label, one in zip(view.labels, view.views, strict=True):
        yield from findings.brief(shortened(label, 60), one.findings)
    if view.lines:
        yield Text()
        yield heading("Your lines, and the kernels that they led to")
        for row in view.lines[:_LINES]:
            yield from _line(row, view.labels)
        if len(view.lines) > _LINES:
            yield text(f"{MARGIN}… {len(view.lines) - _LINES:,} more lines", "dim")
    from_first = [
        pair
        for pair in view.pairs
        if pair.a == view.labels[0] and (pair.facts or pair.works or pair.compilers)
    ]
    if from_first:
        yield Text()
        yield heading("Kernels", f"from {view.labels[0]} to each other")
        for pair in from_first:
            yield from changes(pair)
        for pair in from_first:
            if pair.compilers:
                yield from deeds(pair.compilers)


def changes(pair: PairView) -> Iterator[RenderableType]:
    """What the kernels of one recording became in another."""
    yield line((f"{MARGIN}{pair.b}: ", "bold"), (", ".join(pair.facts), ""), wrap=True)
    for work in pair.works:
        if not work.same:
            yield line(
                (f"{MARGIN * 2}{one_line(work.title)}", ""),
                (f"  {work.where}", "dim"),
                (f"  {work.sentence}", "yellow"),
            )


def deeds(of: CompilersView) -> Iterator[RenderableType]:
    """What each compiler did that the other did not."""
    yield Text()
    yield heading("What they did differently", f"{of.a}, and {of.b}")
    if not of.deeds:
        yield text(f"{MARGIN}nothing that was recorded", "dim")
        return
    head = (text(""), text(of.a, "bold"), text(of.b, "bold"))
    topics = list(dict.fromkeys(one.topic for one in of.deeds))
    rows: list[tuple[Text, ...]] = [head]
    for topic in topics:
        rows.append((text(topic, "dim"), text(""), text("")))
        own = [one for one in of.deeds if one.topic == topic]
        rows += [
            (text(f"{MARGIN}{one_line(d.what)}"), text(one_line(d.a)), text(one_line(d.b)))
            for d in own[:_DEEDS]
        ]
        if len(own) > _DEEDS:
            rows.append((text(f"{MARGIN}… {len(own) - _DEEDS:,} more", "dim"), text(""), text("")))
    yield grid(("wrap", "wrap", "wrap"), rows)


def _numbers(view: SideBySideView) -> Grid:
    head = [text(name, "dim") for name, _ in sizes(view.views[0])]
    rows = [
        (text(shortened(label, 60), "bold"), *(text(f"{number:,}") for _, number in sizes(one)))
        for label, one in zip(view.labels, view.views, strict=True)
    ]
    return grid(("left", *("right" for _ in head)), [(Text(), *head), *rows])


def _line(row: LineRow, labels: tuple[str, ...]) -> Iterator[RenderableType]:
    yield line((f"{MARGIN}{row.where}  ", "dim"), (shortened(row.text, 120), ""))
    if len(set(row.kernels)) == 1:
        yield _kernels("in all", row.kernels[0], len("in all"))
        return
    width = max(map(cell_len, labels))
    for label, titles in zip(labels, row.kernels, strict=True):
        yield _kernels(label, titles, width)


def _kernels(label: str, titles: tuple[str, ...], width: int) -> Text:
    counted = Counter(map(one_line, titles))
    shown = [
        title if times == 1 else f"{title} ({times} times)" for title, times in counted.items()
    ]
    name = shortened(label, 60)
    space = " " * (width - cell_len(name) + 2)
    return line((f"{MARGIN * 3}{name}{space}", "cyan"), ("; ".join(shown) or "-", ""))
