"""What a user calls a thing, its way, and what is said where there is no such thing."""

import pytest

from dynamo_lab.errors import JourneyError
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.journey import renderable
from dynamo_lab.view import build
from dynamo_lab.view.journey.journey import TITLES, journey
from dynamo_lab.view.journey.names import entity_of
from tests.view import samples


def test_every_station_has_a_stop_or_says_why() -> None:
    way = journey(build(samples.assembled()), "line 1")
    assert [station.title for station in way.stations] == list(TITLES.values())
    assert all(bool(station.stops) != bool(station.missing) for station in way.stations)
    printed = as_text(renderable(way))
    assert all(title in printed for title in TITLES.values())


def test_a_thing_is_found_by_what_it_is_called() -> None:
    view = build(samples.assembled())
    main = view.sources[view.main_source].id
    assert entity_of(view, "line 1") == f"line:{main}:1"
    assert entity_of(view, "model.py:6").endswith(":6")
    assert entity_of(view, "kernel 0") == "kernel:0"
    assert entity_of(view, view.kernels.kernels[0].name) == "kernel:0"


@pytest.mark.parametrize(
    "asked",
    ["line 999", "nobody.py:3", "kernel 99", "kernel 0 line 1", "node:0:999", "nothing", ""],
)
def test_what_is_not_there_is_refused_in_a_sentence(asked: str) -> None:
    with pytest.raises(JourneyError, match=r"[.]$"):
        entity_of(build(samples.assembled()), asked)
