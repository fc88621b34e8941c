"""The way of one thing through the compiler, a station a row."""

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from dynamo_lab.render.text import one_line
from dynamo_lab.view.journey.journey import JourneyStop, JourneyView, Station

_MOST = 8
"""The most stops of a station that are printed; the others are counted."""


def renderable(way: JourneyView) -> RenderableType:
    """The stations in the compiler's order; what is asked for is bold."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for station in way.stations:
        table.add_row(station.title, _stops(station, way.entity))
    return table


def _stops(station: Station, entity: str) -> Text:
    if not station.stops:
        return Text(station.missing, style="dim")
    shown = [_stop(stop, entity) for stop in station.stops[:_MOST]]
    if left := len(station.stops) - _MOST:
        shown += [Text(f"and {left:,} more", style="dim")] if left > 0 else []
    between = "\n" if station.name in ("code", "kernel") else ", "
    return Text(between).join(shown)


def _stop(stop: JourneyStop, entity: str) -> Text:
    backward = " (backward)" if stop.is_backward else ""
    style = "bold" if stop.entity == entity else ""
    return Text(f"{one_line(stop.text)}{backward}", style=style)
