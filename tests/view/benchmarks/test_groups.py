"""Groups of kernels against the operators they replaced: no verdict that rounds do not bear."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.measure.rounds import Plan, Watch, in_turns
from dynamo_lab.render.fallback.benchmarks.benchmarks import blocks
from dynamo_lab.render.markup import join
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.benchmarks import Benchmark
    from dynamo_lab.model.recording import Recording

    Make = Callable[[str], Recording]


class Machine:
    """A clock on a machine that others want too: some calls wait, and the clock goes on slower."""

    def __init__(self, seed: int) -> None:
        self.now, self._pace, self._chance = 0.0, 1.0, random.Random(seed)

    def __call__(self) -> float:
        return self.now

    def call(self) -> float:
        """The seconds that a call of 100 microseconds took."""
        self._pace *= self._chance.uniform(0.9, 1.11)
        waits = self._chance.expovariate(200) if self._chance.random() < 0.3 else 0.0
        taken = 1e-4 * self._pace + waits
        self.now += taken
        return taken


def _one_group(made: Recording, ours: tuple[float, ...], theirs: tuple[float, ...]) -> Recording:
    """The recording with one kernel for one operator, which took these seconds."""
    found = made.benchmark
    assert found is not None
    group = next(one for one in found.groups if len(one.kernels) == len(one.eager) == 1)
    kernels, eager = list(found.kernels), list(found.eager_calls)
    kernels[group.kernels[0]] = replace(kernels[group.kernels[0]], cold=ours, warm=(), calls=1)
    eager[group.eager[0]] = replace(eager[group.eager[0]], cold=theirs, warm=(), calls=1)
    alone: Benchmark = replace(
        found, kernels=tuple(kernels), eager_calls=tuple(eager), groups=(group,)
    )
    return replace(made, benchmark=alone)


def _outcome(made: Recording, ours: tuple[float, ...], theirs: tuple[float, ...]) -> str:
    bench = build(_one_group(made, ours, theirs)).bench
    assert bench is not None
    (group,) = bench.kernels.programs[0].groups
    return group.cold.outcome


def test_the_same_work_is_never_faster_or_slower_on_a_busy_machine(make: Make) -> None:
    made, outcomes = make("measured"), list[str]()
    for seed in range(20):
        machine = Machine(seed)
        steps = {"kernel": machine.call, "operator": machine.call}
        rounds = in_turns("cold", steps, Plan(), Watch(clock=machine))
        ours, theirs = (tuple(one[name] for one in rounds) for name in steps)
        outcomes.append(_outcome(made, ours, theirs))
    assert set(outcomes) == {"alike"}


def test_a_difference_that_shows_in_every_round_is_told(make: Make) -> None:
    made = make("measured")
    assert _outcome(made, (1e-4,) * 12, (2e-4,) * 12) == "faster"
    assert _outcome(made, (2e-4,) * 12, (1e-4,) * 12) == "slower"


def test_a_busy_stretch_of_one_side_alone_is_no_difference(make: Make) -> None:
    """Kernels that were timed late, while others worked: their rounds do not belong together."""
    quiet, busy = (1e-4,) * 12, (1e-4,) * 5 + (7e-4,) * 7
    assert _outcome(make("measured"), busy, quiet) == "alike"


@pytest.mark.parametrize("rounds", [3, 10])
def test_few_rounds_tell_nothing(make: Make, rounds: int) -> None:
    assert _outcome(make("measured"), (7e-4,) * rounds, (1e-4,) * rounds) == ""


def _painted(made: Recording) -> tuple[str, str]:
    """The rows of the groups in a terminal and in the page without scripts, with their colours."""
    view = build(made)
    told = render(view, sections=("bench",), color=True).partition("kernel by kernel")[2]
    page = str(join(*blocks(view))).partition("kernel by kernel")[2]
    return told.partition("\n\n")[0], page.partition("</table>")[0]


@pytest.mark.parametrize(
    ("ours", "is_sure"), [((1e-4, 2e-4) * 6, False), ((5e-5,) * 12, True), ((9e-4,) * 12, True)]
)
def test_only_a_sure_difference_is_coloured(
    make: Make, ours: tuple[float, ...], is_sure: bool
) -> None:
    """Green says that something was won: not above rows that say that no difference is sure."""
    made = _one_group(make("measured"), ours, (2e-4, 1e-4) * 6)
    told, page = _painted(made)
    assert bool(re.search("\x1b\\[[0-9;]*3[12]m", told)) == is_sure
    assert ("color" in page) == is_sure
    view = build(made)
    assert view.bench is not None
    (group,) = view.bench.kernels.programs[0].groups
    assert bool(group.cold.gain) == is_sure
