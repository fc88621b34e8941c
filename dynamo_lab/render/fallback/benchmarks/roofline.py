"""The roofline in the script-free HTML: a table, because notebook viewers drop drawings."""

from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view.benchmarks.roofline import PointView, RooflineView

_ROWS = 20


def blocks(view: RooflineView) -> Iterator[Markup]:
    """A summary of all kernels, the measured limits, and the kernels that take longest."""
    for sentence in view.sentences:
        yield tag("p", sentence)
    roofs = "".join(f", {roof.text} in {roof.dtype}" for roof in view.roofs)
    device = shortened(view.device, 100)
    yield tag("p", f"Measured limits of {device}: copies {view.bandwidth_text}{roofs}.")
    head = ("kernel", "a call", "at the limit", "share of it", "")
    rows = [_row(point) for point in view.points[:_ROWS]]
    yield tag("table", tag("tr", *(tag("th", word) for word in head)), *rows)
    if left := len(view.points) - len(rows):
        yield tag("p", f"… {left:,} more")


def _row(point: PointView) -> Markup:
    calls = f" x{point.calls}" if point.calls > 1 else ""
    name = f"{shortened(point.name, 80)}{calls}"
    cells = (name, point.time, point.limit, point.percent, point.sentence)
    return tag("tr", *(tag("td", cell) for cell in cells))
