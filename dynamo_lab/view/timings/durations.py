"""Measured times in words, with as many digits as their spread supports."""

import math
from collections.abc import Sequence

from dynamo_lab.measure.statistics import Ratio, Spread, digits, spread
from dynamo_lab.view.core.words import unit_of

_SIGNIFICANT = 4
"""No time is shown with more digits than these, however small its spread."""


def median_text(found: Spread) -> str:
    """'1.42 ms'."""
    size, unit = unit_of(found.median)
    return f"{_number(found.median, found, size)} {unit}"


def range_text(found: Spread) -> str:
    """'1.40 to 1.45 ms': the quartiles, in the unit of the median."""
    size, unit = unit_of(found.median)
    low, high = (_number(value, found, size) for value in (found.low, found.high))
    return f"{low} to {high} {unit}"


def interval_text(found: Ratio) -> str:
    """'1.38 to 1.45'."""
    return f"{digits(found.low, found)} to {digits(found.high, found)}"


def _number(value: float, found: Spread, size: float) -> str:
    scaled = Spread(found.low / size, found.median / size, found.high / size)
    places = _SIGNIFICANT - 1 - math.floor(math.log10(max(abs(scaled.median), 1e-3)))
    least = 10.0 ** -max(0, places)
    wide = Spread(0.0, scaled.median, max(scaled.high - scaled.low, least))
    return digits(value / size, wide)


def summed(rows: Sequence[tuple[Sequence[float], float]]) -> Spread | None:
    """The spread of a sum of things, each timed in rounds and counted so many times.

    Rounds belong together where all have as many; else medians and quartiles are added, which
    tells a wider spread than the sum has.
    """
    timed = [(seconds, factor) for seconds, factor in rows if seconds]
    if not timed:
        return None
    if len({len(seconds) for seconds, _ in timed}) == 1:
        return spread(totals(timed))
    parts = [(spread(seconds), factor) for seconds, factor in timed]
    return Spread(
        sum(part.low * factor for part, factor in parts),
        sum(part.median * factor for part, factor in parts),
        sum(part.high * factor for part, factor in parts),
    )


def totals(rows: Sequence[tuple[Sequence[float], float]]) -> list[float]:
    """The sum of each round; of as many rounds as all have."""
    rounds = min((len(seconds) for seconds, _ in rows), default=0)
    return [sum(seconds[at] * factor for seconds, factor in rows) for at in range(rounds)]


def rounded(seconds: float) -> float:
    """A time as far as a drawing can show it, so that pages stay small."""
    return float(f"{seconds:.5g}")
