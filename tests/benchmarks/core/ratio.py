"""Ways to do the same thing, measured in turns, and what may be said of the result.

Times on a shared machine drift. So the ways take turns, each round gives one ratio of two of them,
and the ratio that counts is the median of the rounds'.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from statistics import geometric_mean

from msgspec import Struct

from dynamo_lab.measure.statistics import SHAKY, Spread, spread
from dynamo_lab.model.core.host import version_of
from dynamo_lab.render.tables import table

Measure = Callable[[], float]
"""Does the work once and returns what it took."""


class Line(Struct, frozen=True, kw_only=True):
    """A row of a report. `budget` is the most that the median may be; None leaves it free."""

    name: str
    value: Spread
    unit: str = "s"
    budget: float | None = None

    @property
    def verdict(self) -> str:
        """'met', 'over', or nothing without a budget."""
        if self.budget is None:
            return ""
        return "met" if self.value.median <= self.budget else "over"


def processor_seconds() -> float:
    """What this process took of the processor, with its children that have ended.

    Beside a wall clock's time: what else runs on the machine hardly changes it.
    """
    return sum(os.times()[:4])


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that `percent` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-percent * len(ordered) // 100) - 1)]


def ratio(base: Sequence[float], other: Sequence[float]) -> Spread:
    """`other / base`, round by round."""
    return spread([b / a for a, b in zip(base, other, strict=True)])


def take_turns(
    measures: Sequence[Measure],
    rounds: int,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[tuple[float, ...], ...]:
    """The values of each measure, one a round; in each round another measure goes first."""
    values: list[list[float]] = [[] for _ in measures]
    for number in range(rounds):
        progress(number)
        for step in range(len(measures)):
            which = (number + step) % len(measures)
            values[which].append(measures[which]())
    return tuple(map(tuple, values))


def timed(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> Measure:
    """A measure of the seconds that `work` takes."""

    def measure() -> float:
        start = clock()
        work()
        return clock() - start

    return measure


def with_mean(lines: Sequence[Line], budget: float) -> list[Line]:
    """The lines, and their medians' geometric mean."""
    middle = geometric_mean([one.value.median for one in lines])
    return [*lines, Line(name="geometric mean", value=spread([middle]), unit="", budget=budget)]


def report(title: str, lines: Sequence[Line], rounds: int) -> str:
    """The result as a table with medians, quartiles, budgets and verdicts."""
    head = ("", "median", "quartiles", "budget", "")
    rows = [
        (
            line.name,
            _quantity(line.value.median, line.unit),
            f"{_quantity(line.value.low, line.unit)} to {_quantity(line.value.high, line.unit)}",
            "" if line.budget is None else _quantity(line.budget, line.unit),
            line.verdict,
        )
        for line in lines
    ]
    doubts = [
        f"! {line.name}: quartiles lie more than {SHAKY:.0%} of the median apart."
        for line in lines
        if line.budget is not None and line.value.is_shaky and rounds > 1
    ]
    return "\n".join([f"{title} ({_rounds(rounds)})", *table([head, *rows]), *doubts, machine()])


def machine() -> str:
    """Where this ran, in a line."""
    versions = [f"{name} {version_of(name) or 'not installed'}" for name in ("torch", "triton")]
    parts = [platform.platform(), f"{os.cpu_count()} CPUs", f"Python {platform.python_version()}"]
    return ", ".join([*parts, *versions])


def timed_twice(work: Callable[[], object]) -> tuple[Measure, list[float]]:
    """A measure of the seconds that `work` takes, and where it puts those of the processor."""
    taken: list[float] = []

    def on_the_processor() -> None:
        start = processor_seconds()
        work()
        taken.append(processor_seconds() - start)

    return timed(on_the_processor), taken


def options(description: str | None, rounds: int) -> argparse.Namespace:
    """The command line that each benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=rounds, help=f"rounds (default {rounds})")
    parsed = parser.parse_args()
    if parsed.rounds < 1:
        parser.error("--rounds takes a number from 1")
    return parsed


def announce(rounds: int) -> Callable[[int], None]:
    """Says which round begins, on stderr, so that what a benchmark prints stays its result."""
    return lambda number: print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)


def _rounds(number: int) -> str:
    return "1 round" if number == 1 else f"{number} rounds"


def _quantity(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"
    if unit == "B":
        return f"{value / 1e6:.2f} MB" if value >= 1e6 else f"{value / 1e3:.0f} kB"
    return f"{value:.3f}{unit}"
