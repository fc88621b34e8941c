"""Two programs timed in turns, on the same arguments: which is faster, as far as can be said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler.live.eager import same_arguments
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.measure.statistics import Ratio, ratio, rounds_needed, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.compiler.program import Program
    from dynamo_lab.measure.rounds import Watch

ROUND_SECONDS = 0.005
"""Calls of so many seconds make a round: a change is answered while its reader waits."""
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class Turns:
    """The seconds of a call in each round, of two programs."""

    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def ratio(self) -> Ratio | None:
        """How many times faster the second is; None where it was stopped before a round."""
        return ratio(self.before, self.after) if self.before else None

    def __str__(self) -> str:
        found = self.ratio
        if found is None:
            return "not timed"
        medians = [f"{spread(one).median * 1e6:,.1f}" for one in (self.before, self.after)]
        return f"{medians[0]} -> {medians[1]} microseconds a call: {found.sentence}"


def take(
    before: Program,
    after: Program,
    given: Sequence[Any],
    seconds: float,
    watch: Watch | None = None,
) -> Turns:
    """Time both on these arguments, for about so many seconds."""
    kept = list(given)
    ways: dict[str, Callable[[], object]] = {}
    writes: dict[str, Callable[[], None]] = {}
    for name, program in ((BEFORE, before), (AFTER, after)):
        program.build()
        args = same_arguments(kept)
        ways[name] = _call(program, args)
        writes[name] = _restoring(program, kept, args)
    device = device_of(kept)
    plan = Plan(seconds=seconds, fewest=rounds_needed(), round_seconds=ROUND_SECONDS)
    times = take_turns(ways, device, plan, watch=watch, before=lambda name: writes[name]())
    return Turns(times[BEFORE].seconds, times[AFTER].seconds)


def _call(program: Program, args: list[Any]) -> Callable[[], object]:
    return lambda: program(list(args))


def _restoring(program: Program, kept: list[Any], args: list[Any]) -> Callable[[], None]:
    """What brings back the arguments that it writes to, before each round."""
    written = [
        (args[at], kept[at])
        for at, name in enumerate(program.graph.parameters)
        if name in program.graph.mutated
    ]

    def restore() -> None:
        with torch.no_grad():
            for mine, original in written:
                mine.copy_(original)

    return restore
