from __future__ import annotations

import pytest

from dynamo_lab.model.benchmarks import Benchmark, Series, Way
from dynamo_lab.view.benchmarks.break_even import BreakEven, break_even, of_times

ROUNDS = 25


def near(value: float, by: float = 0.0) -> tuple[float, ...]:
    """Rounds around a value, no further than a share of it."""
    return tuple(value * (1 + by * (k - ROUNDS // 2) / ROUNDS) for k in range(ROUNDS))


def bench(*, compiling: float | None, base: float, other: float) -> Benchmark:
    series = [
        Series(way=way, phase="forward", cache="warm", loops=1, seconds=near(seconds))
        for way, seconds in enumerate((base, other))
    ]
    ways = (Way(name="eager", kind="eager"),
            Way(name="compiled", kind="compiled", compile_seconds=compiling))  # fmt: skip
    return Benchmark(title="", ways=ways, series=tuple(series))


def test_compiling_for_three_seconds_to_save_a_millisecond() -> None:
    found = of_times(2.9, near(3e-3), near(2e-3))
    assert found == BreakEven(
        verdict="pays off",
        sentence="pays off after 2,900 calls: compilation takes 2.9 s",
        calls=2900,
        low=2900,
        high=2900,
    )


def test_the_interval_is_that_of_what_is_saved() -> None:
    found = of_times(2.9, near(3e-3, by=0.2), near(2e-3))
    assert found.calls is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.calls == 2900 < found.high
    assert found.sentence == "pays off after 2,900 calls (2,700 to 3,200): compilation takes 2.9 s"


def test_one_call_may_be_enough() -> None:
    assert of_times(0.1, near(2.0), near(1.0)).sentence.startswith("pays off after 1 call:")


def test_what_is_slower_never_does_and_what_is_alike_cannot_be_told() -> None:
    assert of_times(1.0, near(1.0), near(1.1)).sentence == "never: it is slower"
    assert of_times(1.0, near(1.0), near(1.0)).sentence == "unknown: not distinguishable"
    few = of_times(1.0, near(2.0)[:5], near(1.0)[:5])
    assert (few.verdict, few.calls) == ("unknown", None)
    assert few.sentence == "unknown: 11 rounds are needed"


def test_only_what_was_compiled_and_timed_can_pay_off() -> None:
    made = bench(compiling=1.0, base=2.0, other=1.0)
    found = break_even(made, 1)
    assert found is not None
    assert found.calls == 1
    assert break_even(made, 0) is None
    assert break_even(made, 1, "step") is None
    assert break_even(bench(compiling=None, base=2.0, other=1.0), 1) is None
    assert break_even(bench(compiling=1.0, base=0.0, other=1.0), 1) is None


@pytest.mark.parametrize("value", [0.0, -1.0, 1e-320, 1e300, float("nan"), float("inf")])
def test_what_no_clock_could_have_told_is_left_out(value: float) -> None:
    assert break_even(bench(compiling=value, base=2.0, other=1.0), 1) is None
    assert break_even(bench(compiling=1.0, base=value, other=1.0), 1) is None


@pytest.mark.parametrize(("calls", "shown"), [(7.0, "7"), (123.0, "130"), (98_765.0, "99,000")])
def test_calls_are_told_with_two_digits(calls: float, shown: str) -> None:
    assert of_times(calls, near(2.0), near(1.0)).sentence.startswith(f"pays off after {shown} call")
