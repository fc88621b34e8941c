"""What can be said of measured times: medians, an interval of their ratio, and how many digits.

Times on a shared machine drift, so variants take turns, and what counts is the ratio of each round.
The interval of the median of these ratios is that of the sign test (order statistics), which
assumes nothing of their distribution: see Conover, Practical Nonparametric Statistics, 3.2.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct, structs

CONFIDENCE = 0.95
"""How sure the interval of a ratio is that is shown."""

_SURE = 0.999
"""The confidence at which two variants are reported as different."""

_ALIKE = 0.01
"""Two variants are reported as different only beyond this: two copies of one kernel may differ by
as much because of their addresses in memory."""

SHAKY = 0.1
"""The share of the median between the quartiles above which a time is not reliable."""


class Spread(Struct, frozen=True):
    """The middle half of some values, in their unit."""

    low: float
    median: float
    high: float

    @property
    def is_shaky(self) -> bool:
        """Whether the values are too spread out to rely on their median."""
        return self.high - self.low > SHAKY * abs(self.median)


class Ratio(Struct, frozen=True, kw_only=True):
    """How many times faster one variant is than another: above 1 it is faster.

    `low` and `high` bound the median ratio with a confidence of 95 %; where two are not
    distinguishable, with one of 99.9 %, which a reported difference requires. Where there are not
    `enough` rounds to show any difference, they are the extremes. `differs` is whether the two are
    significantly different.
    """

    value: float
    low: float
    high: float
    differs: bool
    enough: bool = True

    @property
    def sentence(self) -> str:
        """The ratio in words, with the digits that its interval supports."""
        if not self.differs:
            return f"{self.undecided} ({digits(self.low, self)} to {digits(self.high, self)})"
        word = "faster" if self.value > 1 else "slower"
        above = self.above_one
        return f"{digits(above.value, above)} times {word}"

    @property
    def undecided(self) -> str:
        """Why there is no verdict, where the two do not differ."""
        return "not distinguishable" if self.enough else "too few rounds to tell"

    @property
    def above_one(self) -> "Ratio":
        """The same the other way round if it is below 1: how many times slower."""
        if self.value >= 1:
            return self
        low, high = 1 / self.high, 1 / self.low
        return structs.replace(self, value=1 / self.value, low=low, high=high)


def spread(values: Sequence[float]) -> Spread:
    """Median and quartiles; of one value, that value."""
    if len(values) < 2:
        return Spread(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(low, median, high)


def ratio(base: Sequence[float], other: Sequence[float]) -> Ratio:
    """How many times faster `other` is than `base`, from rounds that belong together.

    Raises:
        ValueError: the numbers of rounds differ, or there are none.
    """
    ratios = sorted(a / b for a, b in zip(base, other, strict=True))
    enough = len(ratios) >= rounds_needed()
    return _told(ratios, partial(_interval, ratios), enough)


def unpaired(base: Sequence[float], other: Sequence[float]) -> Ratio:
    """How many times faster `other` is than `base`, from values that do not belong together.

    The median of all ratios of one to another (Hodges and Lehmann's shift, of logarithms), with the
    interval that the test of Mann and Whitney gives: see Hollander, Wolfe and Chicken,
    Nonparametric Statistical Methods, 4.2 and 4.3. Drift between the two is not detected.

    Raises:
        ValueError: there are no values of one.
    """
    if not base or not other:
        raise ValueError("There are no times of one of the two.")
    ratios = sorted(a / b for a in base for b in other)
    count, others = len(base), len(other)
    enough = 2 / math.comb(count + others, count) <= 1 - _SURE
    interval = partial(_unpaired_interval, ratios, count, others)
    return _told(ratios, interval, enough)


def _told(
    ratios: Sequence[float],
    interval: Callable[[float], tuple[float, float]],
    enough: bool,
) -> Ratio:
    low, high = interval(_SURE)
    differs = enough and (low > 1 + _ALIKE or high < 1 / (1 + _ALIKE))
    if differs:
        low, high = interval(CONFIDENCE)
    value = statistics.median(ratios)
    return Ratio(value=value, low=low, high=high, differs=differs, enough=enough)


def _unpaired_interval(
    ordered: Sequence[float], count: int, others: int, confidence: float
) -> tuple[float, float]:
    """Order statistics of all ratios; of values too few to be sure, the extremes."""
    deviation = math.sqrt(count * others * (count + others + 1) / 12)
    width = statistics.NormalDist().inv_cdf((1 + confidence) / 2) * deviation
    drop = max(0, math.floor(count * others / 2 - width) - 1)
    return ordered[drop], ordered[-1 - drop]


def rounds_needed() -> int:
    """The fewest rounds after which a difference can be significant."""
    return math.ceil(1 - math.log2(1 - _SURE))


def _interval(ordered: Sequence[float], confidence: float) -> tuple[float, float]:
    """The narrowest pair of order statistics that hold the median with this confidence."""
    count, drop = len(ordered), 0
    while 2 * (drop + 1) < count and 1 - 2 * _below(count, drop + 1) >= confidence:
        drop += 1
    return ordered[drop], ordered[-1 - drop]


def _below(count: int, wanted: int) -> float:
    """The chance that at most `wanted` of `count` values lie below their median."""
    return sum(math.comb(count, k) for k in range(wanted + 1)) / 2**count


def digits(value: float, interval: Spread | Ratio) -> str:
    """A number with no more decimals than its interval supports, three at most, but its first."""
    width = interval.high - interval.low
    if not math.isfinite(width):  # of times that no clock reports
        return f"{value:.0f}"
    places = 3 if width <= 0 else max(0, -math.floor(math.log10(width)))
    first = -math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{max(0, min(max(places, first), 3))}f}"
