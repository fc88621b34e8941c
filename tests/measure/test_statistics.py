from __future__ import annotations

import random

import pytest

from dynamo_lab.measure.statistics import Spread, digits, ratio, rounds_needed, spread, unpaired


def noisy(seed: int, rounds: int, factor: float = 1.0) -> tuple[list[float], list[float]]:
    """Two ways on a machine that drifts and has outliers: the second takes `factor` as long."""
    chance = random.Random(seed)
    drift, base, other = 1.0, list[float](), list[float]()
    for _ in range(rounds):
        drift *= chance.uniform(0.97, 1.03)
        base.append(drift * chance.lognormvariate(0, 0.03) * chance.choice([1] * 9 + [3]))
        other.append(factor * drift * chance.lognormvariate(0, 0.03) * chance.choice([1] * 9 + [3]))
    return base, other


def test_the_same_is_never_told_apart_in_fifty_trials() -> None:
    assert not [seed for seed in range(50) if ratio(*noisy(seed, 25)).differs]


def test_a_tenth_slower_is_found() -> None:
    found = [ratio(*noisy(seed, 25, 1.1)) for seed in range(50)]
    assert sum(one.differs for one in found) >= 45
    assert all(one.value < 1 for one in found if one.differs)


def test_what_is_not_told_apart_has_an_interval_that_says_why() -> None:
    base = [1.2] * 14 + [0.9]
    found = ratio([*base, 0.9], [1.0] * 16)
    assert not found.differs
    assert found.low == 0.9


def test_few_rounds_tell_nothing_apart() -> None:
    assert rounds_needed() == 11
    few = ratio([1.0] * 10, [0.5] * 10)
    assert not few.differs
    assert few.sentence == "too few rounds to tell (2.000 to 2.000)"
    assert ratio([1.0] * 11, [0.5] * 11).differs


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    chance = random.Random(0)
    held = 0
    for _ in range(400):
        values = [3 * chance.lognormvariate(0, 0.3) for _ in range(25)]
        found = ratio(values, [1.0] * 25)
        held += found.low <= 3 <= found.high
    assert held / 400 == pytest.approx(0.957, abs=0.02)


def test_a_ratio_is_told_with_the_digits_that_its_interval_supports() -> None:
    slow = [2.0 + 0.01 * k for k in range(25)]
    assert ratio(slow, [1.0] * 25).sentence == "2.1 times faster"
    assert ratio([1.0] * 25, slow).sentence == "2.1 times slower"
    assert ratio([1.0] * 25, [1.0] * 25).sentence == "not distinguishable (1.000 to 1.000)"
    assert digits(1234.5, Spread(1000, 1234.5, 1400)) == "1234"
    assert digits(0.31, Spread(0.1, 0.31, 2.0)) == "0.3"
    assert digits(2.0, Spread(1.0, 2.0, float("inf"))) == "2"  # of times that no clock reports


def test_a_wide_spread_is_shaky() -> None:
    assert not spread([1.0, 1.01, 1.02]).is_shaky
    assert spread([1.0, 1.5, 2.0]).is_shaky
    assert spread([3.0]) == Spread(3.0, 3.0, 3.0)


def test_the_other_way_round_bounds_turn_over() -> None:
    slower = ratio([1.0] * 12, [2.0] * 6 + [2.5] * 6).above_one
    assert (slower.value, slower.low, slower.high) == pytest.approx((2.25, 2.0, 2.5), rel=0.02)
    assert slower.above_one is slower


def test_unpaired_times_of_the_same_are_never_told_apart() -> None:
    chance = random.Random(3)

    def times(factor: float) -> list[float]:
        return [factor * chance.lognormvariate(0, 0.05) for _ in range(25)]

    assert not any(unpaired(times(1), times(1)).differs for _ in range(50))
    found = [unpaired(times(1), times(1.1)) for _ in range(50)]
    assert sum(one.differs for one in found) >= 45
    assert all(one.low < one.value < one.high for one in found)


def test_the_interval_of_unpaired_times_holds_the_ratio_as_often_as_it_says() -> None:
    chance = random.Random(5)
    held = 0
    for _ in range(300):
        base = [chance.lognormvariate(0, 0.3) for _ in range(12)]
        other = [chance.lognormvariate(0, 0.3) / 2 for _ in range(15)]
        one = unpaired(base, other)
        held += one.low <= 2 <= one.high
    assert 0.92 * 300 <= held <= 0.99 * 300


def test_few_unpaired_times_tell_nothing_apart() -> None:
    assert not unpaired([2.0] * 5, [1.0] * 6).differs
    assert unpaired([2.0] * 7, [1.0] * 7).differs
    with pytest.raises(ValueError, match="no times"):
        unpaired([], [1.0])


def test_a_number_far_below_its_interval_is_not_zero() -> None:
    assert digits(0.03, Spread(0.0, 0.3, 0.9)) == "0.03"
    assert digits(0.0, Spread(0.0, 0.3, 2.9)) == "0"


def test_few_unpaired_values_are_said_to_be_few() -> None:
    assert unpaired([1.0] * 4, [2.0] * 4).sentence == "too few rounds to tell (0.500 to 0.500)"
