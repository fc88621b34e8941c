"""A network in several ways in a terminal: one table, then what became of layouts in each."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import grid, heading, indented, line, plain, text
from dynamo_lab.view.layouts.layouts import LayoutsView, WayView

HEADS = ("", "a call", "", "kernels", "copied", "off by")


def layouts_text(view: LayoutsView, width: int = 100) -> str:
    """All of it, as text."""
    return plain(list(_items(view)), width)


def _items(view: LayoutsView) -> Iterator[RenderableType]:
    yield heading("Layouts", view.title)
    yield text(view.where, "dim")
    rows = [_row(one) for one in view.ways]
    heads = tuple(text(head, "dim") for head in HEADS)
    yield grid(("left", "right", "wrap", "right", "right", "right"), [heads, *rows])
    yield text(
        "copied: in each call, for the layout of convolutions; off by: root mean square, relative "
        "to eager's result",
        "dim",
    )
    for one in view.ways:
        if one.facts or one.convolutions:
            yield Text()
            yield from _way(one)


def _row(one: WayView) -> tuple[Text, ...]:
    if one.problem:
        return text(one.title), text(""), text(one.problem, "yellow"), text(""), text(""), text("")
    cells = (one.title, one.time, one.told, one.kernels, one.copied, one.difference)
    return tuple(map(text, cells))


def _way(one: WayView) -> Iterator[RenderableType]:
    yield line((one.title, "bold"))
    for fact in one.facts:
        yield indented(grid(("wrap",), [(text(fact),)]))
    rows = [
        (
            text(conv.where),
            text(conv.sizes, "dim"),
            text(conv.layout),
            text(conv.copied and f"{conv.copied} copied"),
            text(conv.told, "dim"),
        )
        for conv in one.convolutions
    ]
    if rows:
        yield indented(grid(("wrap", "left", "left", "left", "wrap"), rows))
