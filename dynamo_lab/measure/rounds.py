"""Rounds: ways to do the same, timed in turns, so that the machine's drift meets all alike."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.measure.devices import Device


class Plan(Struct, frozen=True, kw_only=True):
    """How much to measure.

    `seconds` is what all of it may take, about; fewer rounds are made where that is not enough,
    but `fewest` at least. A warm round repeats a call until it takes `round_seconds`, so that the
    clock's own step does not count. A cold round is one call after the caches were flushed.
    """

    rounds: int = 25
    fewest: int = 3
    warmup: int = 2
    round_seconds: float = 0.02
    seconds: float = 20.0


class Progress(Struct, frozen=True, kw_only=True):
    """How far a measurement is; `seconds_left` is None until it can be told."""

    what: str
    done: int
    total: int
    seconds_left: float | None = None


class Times(Struct, frozen=True, kw_only=True):
    """What was measured of a way: seconds a call, one for each round, each over `loops` calls."""

    loops: int
    seconds: tuple[float, ...]
    warmup: tuple[float, ...] = ()


class Watch:
    """Whoever waits for a measurement: is told how far it is, and may end it early."""

    def __init__(
        self,
        told: Callable[[Progress], None] = lambda _: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._told = told
        self.clock = clock
        self.stopped = False

    def stop(self) -> None:
        """End after the call that runs now; what was measured is kept."""
        self.stopped = True

    def tell(self, what: str, done: int, total: int, left: float | None = None) -> None:
        """Say how far it is."""
        self._told(Progress(what=what, done=done, total=total, seconds_left=left))


def take_turns(
    ways: Mapping[str, Callable[[], object]],
    device: Device,
    plan: Plan,
    *,
    cold: bool = False,
    watch: Watch | None = None,
) -> dict[str, Times]:
    """Time each way once a round; in each round another way goes first.

    Only whole rounds are kept, so that what was measured together stays together. An interrupt
    (Ctrl-C) ends it as `Watch.stop` does.
    """
    watch = watch or Watch()
    found: dict[str, list[float]] = {name: [] for name in ways}
    warmups: dict[str, list[float]] = {name: [] for name in ways}
    loops = dict.fromkeys(ways, 1)
    try:
        for name, work in ways.items():
            warmups[name] = [_once(work, device, 1, cold) for _ in range(plan.warmup)]
            if not cold:
                loops[name] = calibrated(work, device, plan.round_seconds)
        _fill(found, ways, loops, device, plan, cold, watch)
    except KeyboardInterrupt:
        watch.stop()
    whole = min(map(len, found.values()), default=0)
    return {
        name: Times(
            loops=loops[name], seconds=tuple(found[name][:whole]), warmup=tuple(warmups[name])
        )
        for name in ways
    }


def _fill(
    found: dict[str, list[float]],
    ways: Mapping[str, Callable[[], object]],
    loops: Mapping[str, int],
    device: Device,
    plan: Plan,
    cold: bool,
    watch: Watch,
) -> None:
    names, start, total = list(ways), watch.clock(), plan.rounds
    what = "cold caches" if cold else "warm caches"
    for number in range(plan.rounds):
        for step in range(len(names)):
            if watch.stopped:
                return
            name = names[(number + step) % len(names)]
            found[name].append(_once(ways[name], device, loops[name], cold))
        a_round = (watch.clock() - start) / (number + 1)
        total = min(plan.rounds, max(plan.fewest, math.ceil(plan.seconds / max(a_round, 1e-9))))
        if number + 1 >= total:
            return
        watch.tell(what, number + 1, total, a_round * (total - number - 1))


def _once(work: Callable[[], object], device: Device, loops: int, cold: bool) -> float:
    """The seconds of a call, as the mean of `loops`."""
    if cold:
        device.flush()
    return device.seconds(work, loops) / loops


def calibrated(work: Callable[[], Any], device: Device, least: float) -> int:
    """How many calls take about `least` seconds."""
    loops = 1
    while (taken := device.seconds(work, loops)) < least / 2 and loops < 1 << 20:
        loops = max(loops * 2, math.ceil(loops * min(least / max(taken, 1e-9), 100)))
    return loops
