from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.measure.devices import Cpu
from dynamo_lab.measure.rounds import Plan, Progress, Watch, calibrated, in_turns, take_turns
from dynamo_lab.measure.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeClock:
    """Stands still, but for the work that says how long it takes."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[str] = []
        self.drift = 1.0

    def __call__(self) -> float:
        return self.now

    def work(self, name: str, seconds: float) -> Callable[[], None]:
        def run() -> None:
            self.calls.append(name)
            self.drift *= 1.001
            self.now += seconds * self.drift

        return run


class FlushedCpu(Cpu):
    """Counts how often its caches were flushed instead of flushing them."""

    flushed = 0

    def flush(self) -> None:
        self.flushed += 1


def test_a_planted_tenth_is_found_though_the_machine_slows_down() -> None:
    clock = FakeClock()
    ways = {"old": clock.work("old", 0.01), "new": clock.work("new", 0.011)}
    found = take_turns(ways, Cpu(clock), Plan(), watch=Watch(clock=clock))
    told = ratio(found["old"].seconds, found["new"].seconds)
    assert told.differs
    assert 1 / told.value == pytest.approx(1.1, abs=0.02)


def test_no_round_is_made_after_those_that_are_enough() -> None:
    told: list[Progress] = []
    steps = {"a": lambda: 1, "b": lambda: 2}
    kept = in_turns("x", steps, Plan(rounds=9), Watch(told.append), lambda rounds: len(rounds) == 4)
    assert kept == [{"a": 1, "b": 2}] * 4
    assert [one.done for one in told] == [1, 2, 3]


def test_ways_take_turns_in_going_first_and_warm_ups_are_apart() -> None:
    clock = FakeClock()
    ways = {name: clock.work(name, 0.02) for name in "ab"}
    plan = Plan(rounds=4, warmup=1)
    found = take_turns(ways, Cpu(clock), plan, watch=Watch(clock=clock))
    assert clock.calls[-8:] == list("abbaabba")
    assert [len(times.warmup) for times in found.values()] == [1, 1]
    assert [len(times.seconds) for times in found.values()] == [4, 4]


def test_short_calls_are_repeated_until_the_clock_can_tell() -> None:
    clock = FakeClock()
    found = take_turns({"short": clock.work("short", 1e-6)}, Cpu(clock), Plan(rounds=3))
    assert 5_000 <= found["short"].loops <= 50_000


def test_cold_rounds_flush_before_each_single_call() -> None:
    clock, plan = FakeClock(), Plan(rounds=3, warmup=1)
    device = FlushedCpu(clock)
    found = take_turns({"a": clock.work("a", 1e-6)}, device, plan, cold=True)
    assert found["a"].loops == 1
    assert device.flushed == len(clock.calls) == 4


def test_slow_ways_get_fewer_rounds_within_the_time_given() -> None:
    clock = FakeClock()
    plan = Plan(seconds=10.0)
    found = take_turns(
        {"slow": clock.work("slow", 2.0)}, Cpu(clock), plan, watch=Watch(clock=clock)
    )
    assert 3 <= len(found["slow"].seconds) <= 6


def test_what_is_stopped_keeps_its_whole_rounds() -> None:
    clock, told = FakeClock(), list[Progress]()

    def tell(progress: Progress) -> None:
        told.append(progress)
        if progress.done == 5:
            watch.stop()

    watch = Watch(tell, clock)
    ways = {name: clock.work(name, 0.02) for name in "ab"}
    found = take_turns(ways, Cpu(clock), Plan(), watch=watch)
    assert [len(times.seconds) for times in found.values()] == [5, 5]
    left = told[0].seconds_left
    assert left is not None
    assert left == pytest.approx(24 * 0.04, rel=0.2)


def test_an_interrupt_keeps_its_whole_rounds() -> None:
    clock = FakeClock()
    plain = clock.work("b", 0.02)

    def interrupted() -> None:
        plain()
        if clock.calls.count("b") == 9:
            raise KeyboardInterrupt

    watch = Watch(clock=clock)
    ways = {"a": clock.work("a", 0.02), "b": interrupted}
    found = take_turns(ways, Cpu(clock), Plan(), watch=watch)
    assert watch.stopped
    assert len(found["a"].seconds) == len(found["b"].seconds) > 0


class Interrupted(FakeClock):
    """Some other process takes the processor for a while, whenever the chance says so."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._chance = random.Random(seed)

    def work(self, name: str, seconds: float) -> Callable[[], None]:
        def run() -> None:
            self.now += seconds + self._interruption(seconds)

        return run

    def _interruption(self, seconds: float) -> float:
        return self._chance.expovariate(20) if self._chance.random() < 5 * seconds else 0.0


@pytest.mark.parametrize("seed", range(20))
def test_the_same_work_twice_is_alike_on_a_busy_machine(seed: int) -> None:
    clock = Interrupted(seed)
    first = iter([0.05])

    def with_start() -> None:  # what a round begins with is the same for any number of calls
        clock.now += next(first, 0.0)
        clock.work("edited", 1e-4)()

    ways = {"original": clock.work("original", 1e-4), "edited": with_start}
    found = take_turns(ways, Cpu(clock), Plan(warmup=0), watch=Watch(clock=clock))
    loops = [times.loops for times in found.values()]
    assert max(loops) < 4 * min(loops)
    assert not ratio(found["original"].seconds, found["edited"].seconds).differs


def test_one_interruption_does_not_end_the_calibration() -> None:
    clock, late = FakeClock(), iter([0.3])

    def work() -> None:
        clock.now += 1e-6 + next(late, 0.0)

    assert calibrated(work, Cpu(clock), 0.02) > 5_000


def test_a_long_call_is_calibrated_by_one() -> None:
    clock = FakeClock()
    assert calibrated(clock.work("long", 2.0), Cpu(clock), 0.02) == 1
    assert len(clock.calls) == 1
