"""The roofline as a table: each kernel against the machine's limits. Also the limits alone."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.model.benchmarks import Limits
from dynamo_lab.render.terminal.core.parts import Page, grid, line, listing, more, plain, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view.benchmarks.roofline import PointView, RooflineView, flop_rate
from dynamo_lab.view.core.words import size

_BRIEF = 8
_BAR = 10
_SHORT = "not measured: too little memory"
_NAME = 28
_COMMAND = "dynamo-lab show --section bench"
_COLUMNS = ("left", "right", "right", "left", "right", "wrap")
_HEAD = ("kernel", "a call", "at the limit", "share of it", "", "")


def rows(view: RooflineView, page: Page) -> Iterator[RenderableType]:
    """A summary of all kernels, the machine's limits, and a row per kernel."""
    for sentence in view.sentences:
        yield text(sentence)
    yield line((_limits_of(view), "dim"), wrap=True)
    for number, program in enumerate(view.programs):
        own = [point for point in view.points if point.program == number]
        if len(view.programs) > 1:
            yield line((program, "bold"))
        shown = own if page.everything else own[:_BRIEF]
        head = tuple(Text(word, style="dim") for word in _HEAD)
        yield from listing(_COLUMNS, [head, *map(_row, shown)], page.width)
        if left := len(own) - len(shown):
            yield more(left, "kernels", _COMMAND)


def _limits_of(view: RooflineView) -> str:
    roofs = "".join(f", {roof.text} in {roof.dtype}" for roof in view.roofs)
    return f"Measured limits of {one_line(view.device)}: copies {view.bandwidth_text}{roofs}"


def _row(point: PointView) -> tuple[Text, ...]:
    calls = f" x{point.calls}" if point.calls > 1 else ""
    name = one_line(point.name)
    name = name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
    return (
        Text(f"{name}{calls}", style="cyan"),
        Text(point.time),
        Text(point.limit, style="dim"),
        Text(_bar(point.share), style="" if point.share is None else _style(point.share)),
        Text(point.percent),
        Text(_limit(point), style="" if point.share is not None else "dim"),
    )


def _limit(point: PointView) -> str:
    """Which limit it has; no repetition of what other columns say already."""
    if point.is_small:
        return "too small to judge"
    if point.is_cached:
        return "not judged: warm caches"
    return point.sentence if point.share is None else f"{point.bound}, {point.reached}"


def _bar(share: float | None) -> str:
    if share is None:
        return ""
    filled = min(_BAR, max(0, round(share * _BAR)))
    return "█" * filled + "░" * (_BAR - filled)


def _style(share: float) -> str:
    return "green" if share >= 0.6 else "yellow" if share >= 0.3 else "red"


def limits_text(limits: Limits) -> str:
    """The limits of a machine, as lines to print."""
    known = limits.bandwidth
    copying = (f"{size(int(known))}/s", "read and written") if known else ("", _SHORT)
    found = [("memory, copying", *copying)]
    for dtype, rate in limits.flops.items():
        at = (
            f"from {rate / known:.3g} operations per byte on, arithmetic is the limit"
            if known
            else ""
        )
        found.append((f"products in {dtype}", flop_rate(rate), at))
    table = grid(("left", "right", "left"), [[Text(cell) for cell in row] for row in found])
    title = line((one_line(limits.device), "bold"), (f"  measured {limits.measured}", "dim"))
    return plain([title, table], 100)
