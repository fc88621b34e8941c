from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.api.diff import diff
from dynamo_lab.model.benchmarks import Benchmark, Machine
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.benchmark_diff import benchmark_diff, incomparable

Make = Callable[[str], Recording]


def measured(make: Make, name: str) -> Benchmark:
    found = make(name).benchmark
    assert found is not None
    return found


def test_ways_in_both_are_compared(make: Make) -> None:
    found = benchmark_diff(measured(make, "measured"), measured(make, "measured_otherwise"))
    assert found.reasons == ()
    sentences = {(one.way, one.title): one.sentence for one in found.changes}
    assert sentences["compiled", "forward, warm caches"] == "1.25 times faster (1.24 to 1.26)"
    assert sentences["eager", "forward, warm caches"].startswith("not distinguishable")
    assert not any(way == "half" for way, _ in sentences)  # it is wrong in both
    assert found.doubt == ""


def test_a_base_that_differs_is_a_doubt(make: Make) -> None:
    a = measured(make, "measured")
    slower = tuple(replace(one, seconds=tuple(t * 1.3 for t in one.seconds)) for one in a.series)
    assert benchmark_diff(a, replace(a, series=slower)).doubt.startswith("eager itself differs")


def test_another_machine_is_refused_with_the_reasons(make: Make) -> None:
    found = benchmark_diff(measured(make, "measured"), measured(make, "measured_elsewhere"))
    assert found.changes == ()
    assert found.reasons == (
        "different device: cpu, then cuda: NVIDIA H200",
        "different PyTorch: 2.13.0, then 2.11.0",
    )


def test_settings_count_and_what_is_not_known_does_not() -> None:
    def on(**facts: object) -> Benchmark:
        return Benchmark(title="f", machine=replace(Machine(), **facts))

    assert incomparable(on(threads=4), on()) == ()
    assert incomparable(on(settings={"precision": "high"}), on(settings={"other": "1"})) == ()
    assert incomparable(on(settings={"precision": "high"}), on(settings={"precision": "low"})) == (
        "different precision: high, then low",
    )


def test_a_diff_of_recordings_tells_of_their_benchmarks(make: Make) -> None:
    text = str(diff(make("measured"), make("measured_otherwise")))
    assert "compiled      forward, warm caches          370 µs" in text
    assert "b is 1.25 times faster" in text
    text = str(diff(make("measured"), make("measured_elsewhere")))
    assert "times are not compared:\n  different device: cpu, then cuda: NVIDIA H200" in text
    assert diff(make("measured"), make("branch_and_print")).benchmarks is None
