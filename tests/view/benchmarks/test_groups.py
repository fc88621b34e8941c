"""Groups of kernels against the operators they replaced: no verdict that rounds do not bear."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.measure.rounds import Plan, Watch, in_turns
from dynamo_lab.model.benchmarks import Group
from dynamo_lab.render.fallback.benchmarks.benchmarks import blocks
from dynamo_lab.render.markup import join
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.benchmarks import Benchmark
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.benchmarks.benchmarks import BenchView

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


def test_what_left_no_kernel_is_one_row(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    groups = (Group(kernels=(), eager=(5,)), Group(kernels=(0,), eager=(0,)),
              Group(kernels=(), eager=(7,)))  # fmt: skip
    found = _bench(replace(recording, benchmark=replace(recording.benchmark, groups=groups)))
    last = found.kernels.programs[0].groups[-1]
    assert (last.title, last.operators) == ("no kernel: none of these is left to run",
                                            "amax, div")  # fmt: skip


def test_a_kernel_and_an_operator_that_were_not_matched_are_not_said_to_have_no_other(
    make: Make,
) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    apart = (Group(kernels=(1,), eager=()), Group(kernels=(), eager=(2,)))
    kernel = recording.kernels[recording.benchmark.kernels[1].kernel]
    assert kernel.graph is not None
    called = recording.graphs[kernel.graph].nodes[kernel.nodes[0]].target
    calls = list(recording.benchmark.eager_calls)
    for operator, title, why in [
        (called, "no kernel is known to do these", "Which of eager's operators it replaces"),
        ("aten.cos.default", "no kernel: none of these is left to run", "It replaces no operator"),
    ]:
        calls[2] = replace(calls[2], operator=operator)
        found = replace(recording.benchmark, groups=apart, eager_calls=tuple(calls))
        groups = _bench(replace(recording, benchmark=found)).kernels.programs[0].groups
        assert {bool(group.kernels): group.title for group in groups}[False] == title
        assert {bool(group.kernels): group.why for group in groups}[True].startswith(why)


def test_what_is_gone_stands_apart_from_what_was_not_matched(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    calls = list(recording.benchmark.eager_calls)
    calls[0] = replace(calls[0], operator="aten.view.default")
    apart = (Group(kernels=(1,), eager=()), Group(kernels=(), eager=(0,)),
             Group(kernels=(), eager=(1,)))  # fmt: skip
    found = replace(recording.benchmark, groups=apart, eager_calls=tuple(calls))
    groups = _bench(replace(recording, benchmark=found)).kernels.programs[0].groups
    assert {(group.title, group.operators) for group in groups if not group.kernels} == {
        ("no kernel is known to do these", "addmm"),
        ("no kernel: none of these is left to run", "view"),
    }


def test_a_copy_that_is_named_after_a_view_is_not_said_to_be_one_of_eagers(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    at = recording.benchmark.kernels[1].kernel
    kernel = replace(recording.kernels[at], name="cpp_fused_permute_0", language="cpp")
    assert kernel.graph is not None
    graphs = list(recording.graphs)
    nodes = graphs[kernel.graph].nodes
    turned = tuple("aten.permute.default" if "addmm" in one else one for one in nodes.strings)
    graphs[kernel.graph] = replace(graphs[kernel.graph], nodes=replace(nodes, strings=turned))
    calls = list(recording.benchmark.eager_calls)
    calls[0] = replace(calls[0], operator="aten.permute.default")
    apart = (Group(kernels=(1,), eager=()), Group(kernels=(), eager=(0,)))
    made = replace(
        recording,
        graphs=tuple(graphs),
        kernels=(*recording.kernels[:at], kernel, *recording.kernels[at + 1 :]),
        benchmark=replace(recording.benchmark, groups=apart, eager_calls=tuple(calls)),
    )
    groups = _bench(made).kernels.programs[0].groups
    assert {group.why for group in groups if group.kernels} == {
        "A copy into another layout, for which eager runs nothing."
    }
    assert {group.title for group in groups if not group.kernels} == {
        "no kernel: none of these is left to run"
    }


def _bench(recording: Recording) -> BenchView:
    found = build(recording).bench
    assert found is not None
    return found
