"""What was measured of a call, held against the call as a whole."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.benchmarks import Benchmark, Overhead, Series
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build
from dynamo_lab.view.benchmarks.kernel_times import ProgramView
from dynamo_lab.view.benchmarks.time_marks import Call, kernel_texts
from dynamo_lab.view.timings.durations import median_text

Make = Callable[[str], Recording]


def program(recording: Recording, found: Benchmark) -> ProgramView:
    bench = build(replace(recording, benchmark=found)).bench
    assert bench is not None
    return bench.kernels.programs[0]


def measured(make: Make) -> tuple[Recording, Benchmark]:
    recording = make("measured")
    assert recording.benchmark is not None
    return recording, recording.benchmark


def test_what_exceeds_the_whole_is_not_shown_as_its_sum(make: Make) -> None:
    recording, found = measured(make)
    own = replace(found.overheads[0], whole=(100e-6,) * 12)
    short = replace(found, overheads=(own,))
    assert not program(recording, short).adds_up
    text = render(build(replace(recording, benchmark=short)), sections=("bench",))
    assert "but, measured separately," in text
    assert program(recording, found).adds_up


def test_operators_that_take_longer_than_eager_make_no_group_faster(make: Make) -> None:
    recording, found = measured(make)
    (own, *_) = found.overheads
    whole = Overhead(way=0, phase="forward", whole=(1e-6,) * 12)
    shown = program(recording, replace(found, overheads=(own, whole)))
    assert any("no group is called faster or slower" in one for one in shown.remarks)
    assert {group.warm.factor for group in shown.groups} == {""}
    assert {group.warm.outcome for group in shown.groups} == {""}
    assert {group.warm.gain for group in shown.groups} == {""}
    plenty = replace(whole, whole=(1.0,) * 12)
    shown = program(recording, replace(found, overheads=(own, plenty)))
    assert not any("no group is called" in one for one in shown.remarks)
    assert "faster" in {group.warm.outcome for group in shown.groups}


def test_kernels_that_take_longer_than_the_call_make_no_group_faster(make: Make) -> None:
    recording, found = measured(make)
    own = replace(found.overheads[0], whole=(1e-7,) * 12)
    shown = program(recording, replace(found, overheads=(own,)))
    (said,) = [one for one in shown.remarks if "no group is called" in one]
    assert said.startswith("The kernels, timed one by one, take ")
    assert {(group.warm.factor, group.warm.outcome) for group in shown.groups} == {("", "")}


def test_another_time_than_in_the_table_says_why(make: Make) -> None:
    recording, found = measured(make)
    (own, *_) = found.overheads
    timed = Series(way=own.way, phase="forward", cache="warm", loops=1, seconds=own.whole)
    same = replace(found, series=(timed,))
    assert not any("in the table" in one for one in program(recording, same).remarks)
    twice = replace(timed, seconds=tuple(2 * one for one in own.whole))
    other = replace(found, series=(twice,))
    assert any("in the table" in one for one in program(recording, other).remarks)


def test_parts_that_are_flushed_each_are_said_to_be(make: Make) -> None:
    recording, found = measured(make)
    cold = Series(way=0, phase="forward", cache="cold", loops=1, seconds=(1e-6,) * 12)
    shown = program(recording, replace(found, series=(cold,)))
    assert any("part of its gain is that" in one for one in shown.remarks)
    plenty = replace(found, series=(replace(cold, seconds=(1.0,) * 12),))
    assert not any("part of its gain is that" in one for one in program(recording, plenty).remarks)


def test_the_slowest_kernel_is_named_only_where_its_times_tell_it_apart(make: Make) -> None:
    recording, found = measured(make)
    said = program(recording, found).slowest
    assert said is not None
    assert said.sentence == "The slowest of 7 kernels takes 118 µs, 32 % of a warm call"
    assert [(one.id, one.where, one.line) for one in said.kernels] == [(1, "line 3", "line:0:3")]
    own = [one for one in found.kernels if (one.way, one.phase) == (1, "forward")]

    def changed(times: dict[int, tuple[float, ...]]) -> Benchmark:
        rows = (
            replace(one, warm=times.get(one.kernel, one.warm)) if one in own else one
            for one in found.kernels
        )
        return replace(found, kernels=tuple(rows))

    same = next(one.warm for one in own if one.kernel == 1)
    two = program(recording, changed({3: same})).slowest
    assert two is not None
    assert "The slowest of 7 kernels are not distinguishable, " in two.sentence
    assert {one.id for one in two.kernels} == {1, 3}
    alike = {one.kernel: tuple(time / 9 for time in same) for one in own}
    assert program(recording, changed(alike)).slowest is None
    one_left = {one.kernel: () for one in own if one.kernel != 1}
    assert program(recording, changed(one_left)).slowest is None
    untimed = program(recording, changed({3: ()})).slowest
    assert untimed is not None
    assert untimed.sentence.startswith("The slowest of the 6 kernels that could be timed takes")


def test_a_kernel_takes_in_lists_what_it_takes_where_the_slowest_is_named(make: Make) -> None:
    """The median of its calls' sums, which is not the sum of their medians."""
    recording, found = measured(make)
    kernels = list(found.kernels)
    at = next(i for i, one in enumerate(kernels) if (one.phase, one.calls) == ("forward", 1))
    first = replace(kernels[at], warm=(1e-3, 2e-3, 9e-3) * 4)
    kernels[at : at + 1] = [first, replace(first, warm=(9e-3, 1e-3, 2e-3) * 4)]
    timed = replace(found, kernels=tuple(kernels), groups=())
    bench = build(replace(recording, benchmark=timed)).bench
    assert bench is not None
    kernel, text = bench.kernels.kernels[0]  # the slowest comes first
    assert kernel == first.kernel
    assert text.startswith("10 ms")


def test_a_time_has_the_digits_that_its_rounds_support_wherever_it_is_told() -> None:
    """As where the slowest is named: 2.2 ms beside 2 ms would be two times to a reader."""
    rounds = (1.4e-3, 2.2e-3, 3.4e-3) * 4
    taken = spread(rounds)
    call = Call(3, rounds, taken.median, None, ())
    assert median_text(taken) == "2 ms"
    assert kernel_texts([call]) == {3: "2 ms"}
    assert call.text == "kernel 3: 2 ms"
