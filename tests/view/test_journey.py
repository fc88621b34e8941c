"""What a user calls a thing, its way, and what is said where there is no such thing."""

import pytest
from msgspec.structs import replace

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
    ("asked", "text"),
    [
        ("line 1: act(x)", "act(x)"),
        ("line 1: act( x )", "act(x)"),
        ("line 1: +", "act(x) + 1"),
        ("line 2: y.sum() > 0", "y.sum() > 0"),
        ("line 2: sum", "y.sum()"),
        ("model.py:6: gelu", "torch.nn.functional.gelu(x)"),
        ("model.py, line 6: gelu(x)", "torch.nn.functional.gelu(x)"),
    ],
)
def test_an_expression_is_found_by_its_text(asked: str, text: str) -> None:
    view = build(samples.assembled())
    kind, index = entity_of(view, asked).split(":")
    assert (kind, view.expressions.shown[int(index)].text) == ("expression", text)


def test_a_way_from_an_expression_leaves_out_the_others_of_its_line() -> None:
    view = build(samples.assembled())
    captured = {
        asked: [stop.text for stop in journey(view, asked).stations[1].stops]
        for asked in ("line 1", "line 1: act(x)", "line 1: +")
    }
    assert captured == {"line 1": ["gelu", "y"], "line 1: act(x)": ["gelu"], "line 1: +": ["y"]}
    assert [stop.entity for stop in journey(view, "line 1").stations[0].stops[:2]] == [
        entity_of(view, "line 1"),
        entity_of(view, "line 1: +"),
    ]


def test_where_columns_are_not_known_it_is_said() -> None:
    recording = samples.assembled()
    lines = replace(
        recording, graphs=tuple(replace(one, expressions=()) for one in recording.graphs)
    )
    with pytest.raises(JourneyError, match="tells the line of an operation and not its columns"):
        entity_of(build(lines), "line 1: act(x)")
    assert entity_of(build(lines), "line 1") == "line:0:1"


@pytest.mark.parametrize(
    "asked",
    [
        "line 1: nothing",
        "line 1:",
        "expression:99",
        "line 999",
        "nobody.py:3",
        "kernel 99",
        "kernel 0 line 1",
        "node:0:999",
        "nothing",
        "",
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(asked: str) -> None:
    with pytest.raises(JourneyError, match=r"[.]$"):
        entity_of(build(samples.assembled()), asked)
