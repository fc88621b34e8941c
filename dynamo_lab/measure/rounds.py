"""Rounds: variants timed in turns, so that the machine's drift affects all of them equally."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.measure.devices import Device

T = TypeVar("T")


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
    """How far a measurement is; `seconds_left` is None until it can be estimated."""

    what: str
    done: int
    total: int
    seconds_left: float | None = None


class Times(Struct, frozen=True, kw_only=True):
    """The times of a variant: seconds per call, one for each round, each over `loops` calls."""

    loops: int
    seconds: tuple[float, ...]
    warmup: tuple[float, ...] = ()


class Watch:
    """The observer of a measurement: receives its progress, and may end it early."""

    def __init__(
        self,
        on_progress: Callable[[Progress], None] = lambda _: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._on_progress = on_progress
        self.clock = clock
        self.stopped = False

    def stop(self) -> None:
        """End after the call that runs now; what was measured is kept."""
        self.stopped = True

    def tell(self, what: str, done: int, total: int, left: float | None = None) -> None:
        """Report the progress."""
        self._on_progress(Progress(what=what, done=done, total=total, seconds_left=left))


def take_turns(
    ways: Mapping[str, Callable[[], object]],
    device: Device,
    plan: Plan,
    *,
    cold: bool = False,
    watch: Watch | None = None,
    before: Callable[[str], object] = lambda _: None,
) -> dict[str, Times]:
    """Time each variant once per round; in each round another one goes first.

    `before` is called with the variant's name before it is timed, and its own time does not count.
    Only whole rounds are kept, so that what was measured together stays together. An interrupt
    (Ctrl-C) ends it as `Watch.stop` does.
    """
    watch = watch or Watch()
    warmups: dict[str, list[float]] = {name: [] for name in ways}
    loops = dict.fromkeys(ways, 1)
    rounds: list[dict[str, float]] = []
    try:
        for name, work in ways.items():
            before(name)
            warmups[name] = [_once(work, device, 1, cold) for _ in range(plan.warmup)]
            if not cold:
                before(name)
                loops[name] = calibrated(work, device, plan.round_seconds)
        timed = {
            name: prepared(partial(before, name), partial(_once, work, device, loops[name], cold))
            for name, work in ways.items()
        }
        rounds = in_turns("cold caches" if cold else "warm caches", timed, plan, watch)
    except KeyboardInterrupt:
        watch.stop()
    return {
        name: Times(
            loops=loops[name],
            seconds=tuple(row[name] for row in rounds),
            warmup=tuple(warmups[name]),
        )
        for name in ways
    }


def in_turns(
    what: str,
    steps: Mapping[str, Callable[[], T]],
    plan: Plan,
    watch: Watch,
    is_enough: Callable[[list[dict[str, T]]], bool] = lambda _: False,
) -> list[dict[str, T]]:
    """What each step gave, by name, for each whole round; in each round another goes first.

    No further round is made once `is_enough` says so of those so far.
    """
    kept: list[dict[str, T]] = []
    names, start, total = list(steps), watch.clock(), plan.rounds
    try:
        while len(kept) < total and names:
            found: dict[str, T] = {}
            for step in range(len(names)):
                if watch.stopped:
                    return kept
                name = names[(len(kept) + step) % len(names)]
                found[name] = steps[name]()
            kept.append(found)
            if is_enough(kept):
                return kept
            a_round = (watch.clock() - start) / len(kept)
            enough = math.ceil(plan.seconds / max(a_round, 1e-9))
            total = min(plan.rounds, max(plan.fewest, enough))
            watch.tell(what, len(kept), total, a_round * (total - len(kept)))
    except KeyboardInterrupt:
        watch.stop()
    return kept


def prepared(before: Callable[[], object], step: Callable[[], T]) -> Callable[[], T]:
    """A step that something else precedes."""

    def both() -> T:
        before()
        return step()

    return both


def _once(work: Callable[[], object], device: Device, loops: int, cold: bool) -> float:
    """The seconds of a call, as the mean of `loops`."""
    if cold:
        device.flush()
    return device.seconds(work, loops) / loops


def calibrated(work: Callable[[], Any], device: Device, least: float) -> int:
    """How many calls take about `least` seconds.

    An interruption makes a short call look long, and a round of too few calls measures mostly how
    it begins: what took long enough has to do so again.
    """
    loops = 1
    while (taken := _quickest(work, device, loops, least / 2)) < least / 2 and loops < 1 << 20:
        loops = max(loops * 2, math.ceil(loops * min(least / max(taken, 1e-9), 100)))
    return loops


_AGAIN = 4
_NO_INTERRUPTION = 1.0
"""Seconds that no interruption takes."""


def _quickest(work: Callable[[], Any], device: Device, loops: int, enough: float) -> float:
    """The shortest of several times, or the first that is below `enough`."""
    shortest = math.inf
    for _ in range(1 + _AGAIN):
        shortest = min(shortest, device.seconds(work, loops))
        if not enough <= shortest < _NO_INTERRUPTION:
            break
    return shortest
