"""A program in several precisions: a row each, what changed, and the errors of each module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from dynamo_lab.render.terminal.core.parts import grid, indented, plain, text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from dynamo_lab.view.precision.kernels import KernelsView
    from dynamo_lab.view.precision.trial import PrecisionView, TrialView

HEAD = (
    "precision",
    "result",
    "error",
    "largest",
    "eager",
    "compiled",
    "kernels",
    "peak",
    "written",
)
PICTURE = ("wrong bits of float32's 24, by the median error", "time of a call")
_LONGEST = 24
UNITS = "errors against float64, in units in the last place of float32: the median and the largest"


def trial_text(view: TrialView, width: int = 100) -> str:
    """A program that was tried, as text."""
    columns = ("left", "left", *("right",) * 7)
    rows = [tuple(text(title, "dim") for title in HEAD)]
    rows += [tuple(map(text, _cells(way))) for way in view.ways]
    items: list[RenderableType] = [text(f"on {view.device}; {UNITS}"), grid(columns, rows), Text()]
    items += [text(view.unlike, "yellow"), Text()] if view.unlike else []
    items += [*_picture(view), Text()]
    for way in view.ways:
        kernels = (f"{one.where}: {_named(one)}" for one in way.lines)
        alone = (f"PyTorch's own kernel: {one}" for one in way.alone)
        told = [*filter(None, [way.told]), *way.changed, *kernels, *alone]
        if told:
            items.append(text(way.name, "bold"))
            items += [indented(grid(("wrap",), [(text(one),)])) for one in told]
    if len(view.modules) > 1:
        names = tuple(way.name for way in view.ways)
        table = [tuple(text(title, "dim") for title in ("median error", *names))]
        table += [(text(row.module), *map(text, row.errors)) for row in view.modules]
        items += [Text(), grid(("left", *("right",) * len(names)), table)]
    return plain(items, width)


def _cells(way: PrecisionView) -> tuple[str, ...]:
    errors, times = (way.error, way.largest), (way.eager, way.compiled)
    return (way.name, way.dtype, *errors, *times, way.kernels, way.peak, way.written)


def _picture(view: TrialView) -> list[RenderableType]:
    """Bars: the bits that are wrong, and the time."""
    rows = [tuple(text(title, "dim") for title in ("", PICTURE[0], PICTURE[1]))]
    rows += [
        (text(way.name), text(_bar(way.lost), "yellow"), text(_bar(way.slow), "cyan"))
        for way in view.ways
        if way.lost is not None
    ]
    return [grid(("left", "left", "left"), rows)] if len(rows) > 1 else []


def _bar(share: float | None) -> str:
    if share is None:
        return ""
    return "█" * round(share * _LONGEST) or "▏"


def _named(one: KernelsView) -> str:
    return f"{', '.join(one.before) or 'no kernel'} -> {', '.join(one.after) or 'no kernel'}"
