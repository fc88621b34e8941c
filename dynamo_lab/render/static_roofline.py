"""The roofline in the script-free HTML: a drawing, and a table of the kernels."""

import math
from collections.abc import Iterator

from dynamo_lab.render.markup import Markup, details, join, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view.roofline import PointView, RooflineView, RoofView, flop_rate

_WIDTH, _HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 10, 14, 34
_ROWS = 60
_COLOURS = {"memory": "#4477aa", "arithmetic": "#aa3377", "": "#888888"}


def blocks(view: RooflineView) -> Iterator[Markup]:
    """What all kernels say together, the drawing, and a row a kernel."""
    said = [tag("p", sentence) for sentence in view.sentences]
    yield join(*said, _drawing(view), _caption(view))
    rows = [_row(point) for point in view.points[:_ROWS]]
    left = len(view.points) - len(rows)
    more = [tag("p", f"… {left:,} more")] if left > 0 else []
    head = tag("tr", *(tag("th", word) for word in ("kernel", "a call", "at the limit", "")))
    yield details("each kernel and its limit", tag("table", head, *rows), *more)


def _caption(view: RooflineView) -> Markup:
    roofs = "".join(f", {roof.text} in {roof.dtype}" for roof in view.roofs)
    return tag(
        "p",
        f"Measured limits of {shortened(view.device, 100)}: copies {view.bandwidth_text}{roofs}. "
        "Blue: bound by memory, violet: by arithmetic. A disc is as large as its share of a call.",
    )


def _row(point: PointView) -> Markup:
    calls = f" x{point.calls}" if point.calls > 1 else ""
    cells = (f"{shortened(point.name, 80)}{calls}", point.time, point.limit, point.sentence)
    return tag("tr", *(tag("td", cell) for cell in cells))


def _drawing(view: RooflineView) -> Markup:
    """Logarithmic axes, the roofs, a disc a kernel."""
    plot = _Plot(view)
    placed = [point for point in view.points if point.intensity and point.rate]
    most = max((point.seconds * point.calls for point in placed), default=1.0)
    return tag(
        "svg",
        *plot.axes(),
        *(plot.roof(roof) for roof in view.roofs),
        *(plot.disc(point, most) for point in placed[:500]),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"Roofline of {len(placed)} kernels",
        style=f"max-width:{_WIDTH}px;width:100%;font:10px sans-serif",
    )


class _Plot:
    """Places within the drawing."""

    def __init__(self, view: RooflineView) -> None:
        self._view = view

    def _x(self, intensity: float) -> float:
        low, high = self._view.x
        share = (math.log10(intensity) - low) / (high - low)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def _y(self, rate: float) -> float:
        low, high = self._view.y
        share = (math.log10(rate) - low) / (high - low)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)

    def axes(self) -> Iterator[Markup]:
        """A line a power of ten, with what it stands for."""
        bottom = _HEIGHT - _BOTTOM
        for power in _powers(self._view.x):
            x = self._x(10.0**power)
            yield _line(x, _TOP, x, bottom, opacity="0.15")
            yield _text(x, bottom + 12, f"{10.0**power:g}", "middle")
        for power in _powers(self._view.y):
            y = self._y(10.0**power)
            yield _line(_LEFT, y, _WIDTH - _RIGHT, y, opacity="0.15")
            yield _text(_LEFT - 5, y + 3, flop_rate(10.0**power), "end")
        yield _text((_LEFT + _WIDTH) / 2, _HEIGHT - 6, "operations a byte that is moved", "middle")

    def roof(self, roof: RoofView) -> Markup:
        """Memory's slope up to the ridge, and level from there."""
        view = self._view
        start = max(10.0 ** view.x[0], 10.0 ** view.y[0] / view.bandwidth)
        ridge = max(start, roof.flops / view.bandwidth)
        rise = min(start * view.bandwidth, roof.flops)
        level = self._y(roof.flops)
        return join(
            _line(self._x(start), self._y(rise), self._x(ridge), level),
            _line(self._x(ridge), level, _WIDTH - _RIGHT, level),
            _text(_WIDTH - _RIGHT, level - 4, f"{roof.dtype} {roof.text}", "end"),
        )

    def disc(self, point: PointView, most: float) -> Markup:
        """A kernel, as large as its share of a call's time."""
        return tag(
            "circle",
            tag("title", f"{shortened(point.name, 80)}: {point.time}. {point.sentence}"),
            cx=str(self._x(point.intensity or 1.0)),
            cy=str(self._y(point.rate or 1.0)),
            r=f"{3 + 7 * math.sqrt(point.seconds * point.calls / most):.1f}",
            fill=_COLOURS["" if point.is_small else point.bound],
            fill_opacity="0.6",
        )


def _powers(axis: tuple[int, int]) -> range:
    low, high = axis
    return range(low, high + 1, math.ceil((high - low) / 8) or 1)


def _line(x1: float, y1: float, x2: float, y2: float, opacity: str = "") -> Markup:
    places = {"x1": str(x1), "y1": str(y1), "x2": str(x2), "y2": str(y2)}
    return tag("line", stroke="currentColor", stroke_opacity=opacity, **places)


def _text(x: float, y: float, content: str, anchor: str) -> Markup:
    return tag("text", content, x=str(x), y=str(y), fill="currentColor", text_anchor=anchor)
