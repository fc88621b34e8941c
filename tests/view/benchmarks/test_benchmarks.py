from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.measure.statistics import Spread
from dynamo_lab.model.benchmarks import Benchmark, Comparison, Machine, Series, Way
from dynamo_lab.model.lowering import Buffer, Why
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.benchmarks.benchmarks import BenchView
from dynamo_lab.view.core.words import seconds
from dynamo_lab.view.timings.durations import median_text, range_text, summed

Make = Callable[[str], Recording]


def bench(recording: Recording) -> BenchView:
    found = build(recording).bench
    assert found is not None
    return found


def timed(*ways: tuple[float, ...], **options: object) -> BenchView:
    """A benchmark of forward calls with warm caches, from the times of each way."""
    made = Benchmark(
        title="f",
        ways=tuple(Way(name=f"way{at}", kind="other") for at in range(len(ways))),
        series=tuple(
            Series(way=at, phase="forward", cache="warm", loops=1, seconds=times)
            for at, times in enumerate(ways)
        ),
    )
    return bench(Recording(title="f", benchmark=replace(made, **options)))


def test_what_is_said_first(make: Make) -> None:
    sentences = [one.sentence for one in bench(make("measured")).verdicts]
    assert sentences[:3] == [
        "Tensorrt was not timed: BackendError: there is no backend `tensorrt` in this environment.",
        "Half computes something else: output 0 is off by 108,000 ULP (0.013 relative), beyond "
        "rtol 1.3e-6, atol 1e-5. Its times are not shown.",
        "Compiled is 1.43 times faster than eager (1.42 to 1.44), forward, warm caches.",
    ]
    assert "aot_eager is 1.07 times slower than eager (1.05 to 1.08), forward, warm caches." in (
        sentences
    )
    assert any("aot_eager is not distinguishable from eager" in one for one in sentences)


def test_where_only_kernels_were_timed_it_is_said_what_was_not(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    alone = replace(recording.benchmark, series=(), comparisons=())
    only = "Only the kernels were timed: whole calls were not compared, and neither were results."
    assert bench(replace(recording, benchmark=alone)).state == only
    warm = replace(alone, eager_calls=(), groups=())
    only = "Only the kernels were timed, with warm caches: nothing was compared with eager."
    assert bench(replace(recording, benchmark=warm)).state == only
    early = replace(alone, state="stopped")
    assert bench(replace(recording, benchmark=early)).state.startswith("It was stopped before")
    assert bench(recording).state == ""


def test_no_times_of_what_is_wrong(make: Make) -> None:
    found = bench(make("measured"))
    assert {row.name for section in found.sections for row in section.rows} == {
        "eager", "compiled", "max-autotune", "aot_eager",
    }  # fmt: skip


def test_a_wrong_gradient_hides_the_step_alone(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    wrong = Comparison(way=1, phase="step", value="gradient of x", verdict="wrong", reason="NaN")
    found = bench(replace(recording, benchmark=replace(recording.benchmark, comparisons=(wrong,))))
    shown = {section.title: [row.name for row in section.rows] for section in found.sections}
    assert "compiled" in shown["forward, warm caches"]
    assert "compiled" not in shown["a training step, warm caches"]
    assert found.verdicts[1].sentence == (
        "Compiled, in a training step, computes something else: gradient of x. NaN "
        "Its times are not shown."
    )


def test_closer_to_float64_than_eager(make: Make) -> None:
    by_way = {(one.name, one.phase): one for one in bench(make("measured")).agreements}
    assert by_way["compiled", "forward"].sentence.endswith("; closer to float64 than eager")
    assert by_way["max-autotune", "step"].sentence.endswith("than eager in 4 of 5")
    assert (
        by_way["aot_eager", "step"].sentence == "the same as eager, bit for bit (5 values compared)"
    )


def test_when_compiling_pays_off(make: Make) -> None:
    forward, cold, step = bench(make("measured")).sections
    told = {row.name: row.pays_off for row in forward.rows}
    assert told["compiled"].startswith("pays off after 71,000 calls")
    assert told["aot_eager"] == "never pays off: it is slower"
    assert not any(row.pays_off for row in cold.rows)
    assert next(row for row in step.rows if row.name == "aot_eager").pays_off == ""


def test_what_is_all_but_zero_is_not_told_in_ulp() -> None:
    tiny = Comparison(way=1, phase="forward", value="output", verdict="close", absolute=1.2e-9,
                      relative=2.0, ulp=115_994_688)  # fmt: skip
    found = timed((1.0,), (1.0,), comparisons=(tiny,))
    assert found.agreements[0].sentence == (
        "close to eager: output is off by at most 1.2e-9 (it is nearly zero: 2 relative) "
        "(1 value compared)"
    )


def test_what_is_wrong_is_told_once() -> None:
    ways = (Way(name="eager", kind="eager"), Way(name="other", kind="other", problem="wrong"))
    wrong = Comparison(way=1, phase="forward", value="output", verdict="wrong", ulp=7)
    found = timed((1.0,), ways=ways, comparisons=(wrong,))
    assert [one.sentence for one in found.verdicts] == [
        "Other computes something else: output is off by 7 ULP. Its times are not shown."
    ]


def test_too_few_rounds_are_said() -> None:
    found = timed((2.0, 2.1, 2.0), (1.0, 1.0, 1.1))
    assert found.verdicts[0].sentence == (
        "way1 cannot be distinguished from way0: 3 rounds are too few, 11 are needed "
        "(forward, warm caches)."
    )
    assert found.sections[0].rows[1].doubts == ("3 rounds: a difference needs 11 to show",)


def test_shaky_times_are_said() -> None:
    found = timed((1.0, 1.5) * 8)
    assert found.sections[0].rows[0].doubts == ("noisy: its quartiles are more than 10 % apart",)


def test_what_makes_all_times_doubtful() -> None:
    machine = Machine(clocks_mhz=(3400.0, 2100.0), load=9.24, cores=4)
    assert timed((1.0,), machine=machine).doubts == (
        "The clock frequency changed while measuring: 3,400 then 2,100 MHz.",
        "The machine was busy in the minute before: 9.2 processes wanted to run on 4 cores, so "
        "times may be far off. Measure again when it is idle.",
    )
    found = timed((1.0,) * 12, (2.0,) * 12, machine=machine)
    assert found.verdicts[0].tone == "warning"
    told = [*(one.sentence for one in found.verdicts), *found.doubts]
    assert sum("busy" in one for one in told) == 1
    assert not timed((1.0,), machine=Machine(clocks_mhz=(3400.0, 3390.0), load=1.0, cores=4)).doubts


def test_what_was_compiled_otherwise_than_recorded_is_said() -> None:
    asked = {"mode": "max-autotune", "fullgraph": "True"}
    ways = (
        Way(name="eager", kind="eager"),
        Way(name="compiled", kind="compiled", options={"mode": "max-autotune"}),
    )
    assert timed((1.0,), ways=ways, recorded_with=asked).doubts == (
        "The recording was made with `fullgraph=True`, and compiled was compiled without: `ways` "
        "of `rec.bench` takes options of `torch.compile`.",
    )
    ways = (ways[0], Way(name="so", kind="compiled", options=asked))
    assert not timed((1.0,), ways=ways, recorded_with=asked).doubts


def test_times_below_the_clock_are_not_divided() -> None:
    found = timed((0.0,) * 12, (1.0,) * 12)
    assert found.sections[0].rows[1].factor == ""
    assert "has no times to compare it with" in found.verdicts[0].sentence


def test_groups_that_lose_come_first_and_say_why(make: Make) -> None:
    forward, step = bench(make("measured")).kernels.programs
    assert forward.title == "compiled, forward"
    first = forward.groups[0]
    assert (first.title, first.operators, first.cold.outcome) == ("linear", "addmm", "slower")
    assert first.why == (
        "Slower than eager: the library's extern_kernels.addmm takes longer here than in eager."
    )
    assert (first.line, first.where) == ("line:0:3", "line 3")
    assert [group.cold.rank for group in forward.groups] == list(range(6))
    small = next(group for group in step.groups if group.operators == "4 sum")
    assert "launching them takes most of the time" in small.why
    last = forward.groups[-1]
    assert last.why == "A copy into another layout, for which eager runs nothing."
    assert last.cold.eager is None
    assert last.cold.factor == ""


def test_a_call_of_a_kernel_counts_as_often_as_it_is_called(make: Make) -> None:
    step = bench(make("measured")).kernels.programs[1]
    small = next(group for group in step.groups if group.operators == "4 sum")
    assert small.cold.kernels == pytest.approx(4 * 3.1e-6, rel=0.05)


def test_the_parts_add_up_to_the_whole(make: Make) -> None:
    for program in bench(make("measured")).kernels.programs:
        whole = float(program.whole.split()[0]) * 1e-6
        assert sum(part.seconds for part in program.parts) == pytest.approx(whole, rel=0.01)


def test_parts_beyond_the_whole_are_noise(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    for whole, said in (
        (345e-6, "more than the whole, which is within the noise"),
        (200e-6, "not consistent"),
    ):
        short = replace(recording.benchmark.overheads[0], whole=(whole,) * 12)
        benchmark = replace(recording.benchmark, overheads=(short,))
        program = bench(replace(recording, benchmark=benchmark)).kernels.programs[0]
        assert said in program.remainder
    assert [part.name for part in program.parts] == ["7 kernels", "guards, allocation and Python"]


def test_what_overhead_may_be_is_not_called_inconsistent(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    long = replace(recording.benchmark.overheads[0], whole=(3e-3,) * 12, stubbed=())
    benchmark = replace(recording.benchmark, overheads=(long,))
    program = bench(replace(recording, benchmark=benchmark)).kernels.programs[0]
    assert "no kernel (overhead was not measured)" in program.remainder
    assert "not consistent" not in program.remainder


def test_a_gpu_waits_where_python_takes_longer(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    machine = Machine(device="NVIDIA H200")
    found = bench(replace(recording, benchmark=replace(recording.benchmark, machine=machine)))
    program = found.kernels.programs[0]
    assert [part.name for part in program.parts] == ["7 kernels", "the GPU waits"]
    assert program.remainder.startswith("The CPU waits for the GPU: its guards")
    slow = replace(recording.benchmark.overheads[0], stubbed=(1e-2,) * 12)
    waiting = replace(recording.benchmark, machine=machine, overheads=(slow,))
    program = bench(replace(recording, benchmark=waiting)).kernels.programs[0]
    assert program.remainder.startswith("The GPU waits for the CPU, whose guards")


def test_a_library_kernel_has_the_lines_of_each_of_its_calls(make: Make) -> None:
    recording = make("measured")
    assert recording.benchmark is not None
    kernels = list(recording.kernels)
    kernels[1] = replace(kernels[1], nodes=(2, 4))
    first, second = (recording.benchmark.kernels[at] for at in (1, 3))
    calls = (replace(first, line=10, buffers=("buf1",)),
             replace(second, kernel=1, line=12, buffers=("buf3",)))  # fmt: skip
    buffers = tuple(
        Buffer(id=at, name=name, graph=1, kind="extern", form="", during=0, nodes=(node,),
               why=Why(cause="output"))
        for at, (name, node) in enumerate((("buf1", 2), ("buf3", 4)))
    )  # fmt: skip
    times = bench(
        replace(
            recording,
            kernels=tuple(kernels),
            buffers=buffers,
            benchmark=replace(recording.benchmark, kernels=calls, groups=()),
        )
    ).kernels
    assert times.kernels == ((1, "234 µs, 63 %"),)
    assert {number: text for _, number, text, _ in times.lines} == {3: "118 µs", 5: "116 µs"}


def test_times_where_else_they_are_shown(make: Make) -> None:
    kernels = bench(make("measured")).kernels
    assert dict(kernels.kernels)[1] == "118 µs, 32 %"
    of_nodes = {(graph, node): text for graph, node, _, text in kernels.nodes}
    assert of_nodes[1, 2] == "kernel 1: 118 µs, 32 %"
    assert of_nodes[0, 2] == "eager: 104 µs"
    of_lines = {number: (text, told) for _, number, text, told in kernels.lines}
    assert of_lines[3] == ("118 µs", "kernel 1: 118 µs, 32 %")
    assert of_lines[7] == ("≤ 19.0 µs", "kernel 4: 19.0 µs, 5.1 %, shared with 1 more line")


def test_no_benchmark_no_view(make: Make) -> None:
    assert build(make("branch_and_print")).bench is None


def test_times_have_the_digits_that_their_spread_supports() -> None:
    assert median_text(Spread(1.40e-3, 1.4234e-3, 1.45e-3)) == "1.42 ms"
    assert median_text(Spread(1.0e-3, 1.4234e-3, 1.8e-3)) == "1.4 ms"
    assert range_text(Spread(118e-6, 122e-6, 131e-6)) == "118 to 131 µs"
    assert median_text(Spread(0.85012, 0.85012, 0.85012)) == "850.1 ms"
    assert median_text(Spread(0.0, 0.0, 0.0)) == "0.000 ns"
    assert [seconds(1.34e-6), seconds(0.0213), seconds(3e-10)] == ["1.3 µs", "21 ms", "0.3 ns"]


def test_sums_pair_rounds_where_they_can() -> None:
    assert summed([((1.0, 3.0), 1), ((3.0, 1.0), 2)]) == Spread(5.5, 6.0, 6.5)
    assert summed([((1.0,), 1), ((2.0, 2.0), 1)]) == Spread(3.0, 3.0, 3.0)
    assert summed([((), 1)]) is None


def test_what_was_written_by_hand_is_shown_as_it_is() -> None:
    hand = Way(name="C++", kind="baseline", code="int x;\n</script>", language="cpp")
    found = bench(Recording(title="f", benchmark=Benchmark(title="f", ways=(hand,))))
    assert (found.ways[0].code, found.ways[0].language) == (hand.code, "cpp")


def test_what_is_held_outside_operators_is_the_generated_codes_only_where_there_is_some(
    make: Make,
) -> None:
    """In eager code Python makes tensors of numbers outside any operator: none generated it."""
    recording = make("measured")
    found = recording.benchmark
    assert found is not None
    eager, compiled = found.courses
    (nameless,) = compiled.holders
    other = replace(eager, holders=(*eager.holders, replace(nameless, bytes=8, count=1)))
    view = bench(replace(recording, benchmark=replace(found, courses=(other, compiled))))
    assert view.memory is not None
    told = [[holder.operator for holder in one.holders] for one in view.memory.courses]
    assert told[0] == ["2 allocations, mm", "gelu", "outside any operator"]
    assert told[1] == ["2 allocations, generated code"]
