"""Statistics of benchmarks, with clocks and measures that we make up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dynamo_lab.measure.statistics import Spread, spread
from tests.benchmarks.core import ratio as ratios
from tests.benchmarks.core.ratio import Line, percentile, ratio, take_turns, timed

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_the_ratio_is_taken_round_by_round() -> None:
    """A machine that slows down by ten does not change it; a ratio of medians would."""
    found = ratio((1.0, 10.0, 1.0, 10.0), (1.1, 11.0, 1.1, 11.0))
    assert found.median == pytest.approx(1.1)
    assert found.high == pytest.approx(found.low)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3.0], Spread(3.0, 3.0, 3.0)),
        ([1.0, 2.0, 3.0, 4.0, 5.0], Spread(2.0, 3.0, 4.0)),
        ([5.0, 1.0, 4.0, 2.0, 3.0], Spread(2.0, 3.0, 4.0)),
        ([1.0, 3.0], Spread(1.5, 2.0, 2.5)),
    ],
)
def test_quartiles(values: list[float], expected: Spread) -> None:
    assert spread(values) == expected


@pytest.mark.parametrize(("percent", "expected"), [(50, 10), (95, 19), (100, 20), (0, 1)])
def test_percentiles(percent: float, expected: float) -> None:
    assert percentile(list(range(1, 21)), percent) == expected
    assert percentile([7.0], percent) == 7.0


def test_they_take_turns_and_neither_always_goes_first() -> None:
    calls: list[str] = []

    def measure(name: str, value: float) -> float:
        calls.append(name)
        return value

    values = take_turns([lambda: measure("a", 1.0), lambda: measure("b", 2.0)], 3)
    assert "".join(calls) == "abbaab"
    assert values == ((1.0, 1.0, 1.0), (2.0, 2.0, 2.0))


def test_progress_is_told_before_each_round() -> None:
    told: list[int] = []
    take_turns([lambda: 1.0], 2, told.append)
    assert told == [0, 1]


def test_time_comes_from_the_clock_around_the_work() -> None:
    ticks: Iterator[float] = iter([10.0, 12.5])
    done: list[int] = []
    assert timed(lambda: done.append(1), lambda: next(ticks))() == 2.5
    assert done == [1]


@pytest.mark.parametrize(
    ("budget", "verdict"), [(None, ""), (1.05, "met"), (1.049, "over"), (1.0, "over")]
)
def test_the_verdict(budget: float | None, verdict: str) -> None:
    line = Line(name="ratio", value=Spread(1.0, 1.05, 1.1), unit="", budget=budget)
    assert line.verdict == verdict


def test_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratios, "machine", lambda: "a machine")
    lines = [
        Line(name="plain", value=Spread(11.9, 12.0, 12.1)),
        Line(name="a ratio", value=Spread(1.0, 1.03, 1.2), unit="", budget=1.05),
        Line(name="size", value=Spread(2e6, 2e6, 2e6), unit="B", budget=1e6),
        Line(name="import", value=Spread(0.01, 0.0101, 0.0102), budget=0.15),
    ]
    assert (
        ratios.report("GPT-2", lines, 5)
        == """\
GPT-2 (5 rounds)
         median   quartiles           budget
plain    12.00 s  11.90 s to 12.10 s
a ratio  1.030    1.000 to 1.200      1.050     met
size     2.00 MB  2.00 MB to 2.00 MB  1.00 MB   over
import   10.1 ms  10.0 ms to 10.2 ms  150.0 ms  met
! a ratio: quartiles lie more than 10% of the median apart.
a machine"""
    )
