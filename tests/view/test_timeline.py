"""The phases of compiling and their totals, in which each second counts once."""

from collections.abc import Callable

import pytest

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing
from dynamo_lab.view import build

Make = Callable[[str], Recording]


def test_phases_nest_and_totals_count_each_second_once(make: Make) -> None:
    timeline = build(make("branch_and_print")).timeline
    assert [(p.name, p.depth) for p in timeline.phases] == [
        ("_compile.compile_inner", 0),
        ("bytecode_tracing", 1),
        ("backend_compile", 1),
        ("_compile.compile_inner", 0),
    ]
    assert timeline.seconds == 1.5
    assert timeline.totals == (
        ("_compile.compile_inner", 0.75, 0.5),
        ("backend_compile", 0.5, pytest.approx(1 / 3)),
        ("bytecode_tracing", pytest.approx(0.25), pytest.approx(1 / 6)),
    )


def test_what_other_threads_do_meanwhile_is_told_apart() -> None:
    timings = (
        Timing("wait", 0.0, 1.0),
        Timing("g++", 0.0, 1.0, 0, thread=7),
        Timing("link", 0.5, 0.25, 1, thread=7),
        Timing("g++", 0.5, 1.0, thread=8),
        Timing("backward", 2.0, 1.0, thread=9),
    )
    timeline = build(Recording(title="t", timings=timings)).timeline
    assert timeline.totals == (
        ("wait", 1.0, pytest.approx(0.4)),
        ("backward", 1.0, pytest.approx(0.4)),
    )
    assert timeline.parallel == (("g++", 1.75), ("link", 0.25))


def test_shares_never_sum_to_more_than_all() -> None:
    processes = tuple(Timing("compile_file", 0.1 * i, 1.0, 0) for i in range(5))
    timings = (Timing("async_compile.wait", 0.0, 2.0), *processes)
    totals = build(Recording(title="t", timings=timings)).timeline.totals
    assert sum(share for *_, share in totals) == pytest.approx(1)


def test_a_cycle_of_parents_ends() -> None:
    timings = (Timing("a", 0.0, 1.0, 1), Timing("b", 0.0, 1.0, 0))
    assert len(build(Recording(title="t", timings=timings)).timeline.phases) == 2
