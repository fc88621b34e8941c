"""Autograd ahead of time: what is saved for the backward, and what is recomputed in it."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.graph_text import GraphText
from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, more, text
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View
from dynamo_lab.view.autograd.autograd import KeptRow, LineCost, PairRow, PartitionView
from dynamo_lab.view.core.words import plural, unit

_BRIEF = 4
_BRIEF_PARTS = 4
_COMMAND = "dynamo-lab show --section autograd"


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each partition: its sentences, its costliest lines; in full every value with its reason."""
    relevant = [part for part in view.partitions if part.backward is not None or part.handled]
    if not relevant:
        return
    yield heading("Autograd", plural(len(relevant), "partition"))
    shown = relevant if page.everything else relevant[:_BRIEF_PARTS]
    texts = GraphText(view)
    for part in shown:
        yield line((part.title, "bold"), (f"  {part.method}", "dim"))
        for sentence in part.sentences:
            yield _prose(sentence)
        yield from _lines(part, page)
        if page.everything:
            yield from _in_full(part, view, texts, page)
        handled = part.handled if page.everything else part.handled[:_BRIEF]
        for sentence in handled:
            yield _prose(sentence)
        if left := len(part.handled) - len(handled):
            yield indented(more(left, unit(left, "write or view", "writes and views"), _COMMAND))
    if len(shown) < len(relevant):
        yield more(len(relevant) - len(shown), "partitions", _COMMAND)


def _prose(sentence: str, by: int = 2) -> RenderableType:
    return indented(grid(("wrap",), [(text(sentence.replace("`", "")),)]), by)


def _lines(part: PartitionView, page: Page) -> Iterator[RenderableType]:
    shown = part.lines if page.everything else part.lines[:_BRIEF]
    if not shown:
        return
    yield indented(text(f"saved by {part.by}", "dim"))
    for cost in shown:
        yield indented(_line(cost), 4)
    if left := len(part.lines) - len(shown):
        yield indented(more(left, unit(left, part.by), _COMMAND), 4)


def _line(cost: LineCost) -> Text:
    where, code = one_line(cost.where) or "no line", shortened(one_line(cost.line), 60)
    return line(
        (f"{cost.size:>7}  ", "bold"),
        (f"{plural(cost.count, 'value'):>9}  ", "dim"),
        (where, ""),
        (f"  {code}", "dim"),
    )


def _in_full(
    part: PartitionView, view: View, texts: GraphText, page: Page
) -> Iterator[RenderableType]:
    if part.saved:
        yield indented(text("saved values", "dim"))
        yield from _values(part.saved, page)
    again = [row for row in part.recomputed if not row.is_free]
    if again:
        free = len(part.recomputed) - len(again)
        aside = f", besides {plural(free, 'view or part', 'views and parts')}" if free else ""
        yield indented(text(f"recomputed in the backward{aside}", "dim"))
        yield from _values(again, page)
    joint = next((graph for graph in view.graphs if graph.id == part.joint), None)
    if joint is not None and part.pairs:
        rows = [row.code for row in texts.rows(joint)]
        yield indented(text("the joint graph: each operator, and its gradient", "dim"))
        for pair in part.pairs:
            yield from _pair(pair, rows)


def _values(rows: Sequence[KeptRow], page: Page) -> Iterator[RenderableType]:
    """One value per row; below it the reason, unless it repeats the row above's."""
    above = ""
    for row in rows:
        is_module = row.where.split(" (")[0] == row.module
        where = row.where if is_module else f"{row.where} {row.module}".strip()
        price = f"  price {row.price}" if row.price else ""
        yield indented(
            line(
                (f"{row.size:>9}  ", "bold"),
                (one_line(row.name), "cyan"),
                (f"  {row.value}", ""),
                (f"  {one_line(where)}", "dim"),
                (price, "dim"),
            )
        )
        if row.why != above:
            above = row.why
            yield _prose(row.why, 13)


def _pair(pair: PairRow, rows: Sequence[str]) -> Iterator[RenderableType]:
    where = one_line(f"{pair.where}: {pair.line}" if pair.line else pair.where)
    title = pair.operator or "sum of gradients"
    yield indented(line((title, "bold"), (f"  {where}", "dim")), 4)
    for index in pair.forward:
        yield indented(line(("forward   ", "green"), (rows[index], "")), 6)
    for index in pair.backward:
        yield indented(line(("backward  ", "magenta"), (rows[index], "")), 6)
