"""A program in several precisions: a row each, what changed, and the errors of each module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from dynamo_lab.render.terminal.core.parts import grid, indented, plain, text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from dynamo_lab.view.precision.trial import TrialView

HEAD = ("precision", "result", "error", "largest", "eager", "compiled", "written")
UNITS = "errors against float64, in units in the last place of float32: the median and the largest"


def trial_text(view: TrialView, width: int = 100) -> str:
    """A program that was tried, as text."""
    columns = ("left", "left", *("right",) * 5)
    rows = [tuple(text(title, "dim") for title in HEAD)]
    rows += [
        tuple(map(text, (w.name, w.dtype, w.error, w.largest, w.eager, w.compiled, w.written)))
        for w in view.ways
    ]
    items: list[RenderableType] = [text(f"on {view.device}; {UNITS}"), grid(columns, rows), Text()]
    for way in view.ways:
        told = [*filter(None, [way.told]), *way.changed]
        if told:
            items.append(text(way.name, "bold"))
            items += [indented(grid(("wrap",), [(text(one),)])) for one in told]
    if len(view.modules) > 1:
        names = tuple(way.name for way in view.ways)
        table = [tuple(text(title, "dim") for title in ("median error", *names))]
        table += [(text(row.module), *map(text, row.errors)) for row in view.modules]
        items += [Text(), grid(("left", *("right",) * len(names)), table)]
    return plain(items, width)
