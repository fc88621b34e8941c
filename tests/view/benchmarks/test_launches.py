"""What is said of the launches of variants, on recordings made by hand."""

from __future__ import annotations

from msgspec.structs import replace

from dynamo_lab.model.benchmarks import Benchmark, Launches, Machine, Series, Way
from dynamo_lab.model.lowering import CudaGraphs, CudaPart
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.benchmarks.launches import saved
from dynamo_lab.view.lowering.cudagraphs import launches
from tests.view.samples.table import Table, graph

ROUNDS = tuple(1e-6 * (100 + at % 3) for at in range(15))
WAYS = (
    Way(name="eager", kind="eager", launches=Launches(kernels=9)),
    Way(name="compiled", kind="compiled", launches=Launches(kernels=5)),
    Way(name="reduce-overhead", kind="compiled", launches=Launches(graphs=1, kernels=1)),
)


def part(launched: int, *, is_recorded: bool = True) -> CudaPart:
    return CudaPart(is_recorded=is_recorded, operations=2 * launched, launches=launched)


def bench(ways: tuple[Way, ...] = WAYS, faster: float = 2.0) -> Benchmark:
    series = [
        Series(
            way=at, phase="forward", cache="warm", loops=1, seconds=tuple(t / by for t in ROUNDS)
        )
        for at, by in ((1, 1.0), (2, faster))
    ]
    return Benchmark(title="f", ways=ways, series=tuple(series))


def foreseen(*pieces: CudaPart) -> Recording:
    table = Table()
    table.input("x")
    made = graph(0, table, "post_grad")
    return Recording(
        title="f", graphs=(made,), cuda_graphs=(CudaGraphs(graph=0, asked=False, pieces=pieces),)
    )


def test_a_variant_with_cuda_graphs_is_told_beside_the_first_without() -> None:
    [(at, told)] = saved(Recording(title="f"), bench())
    assert at == 2
    begin = "A call of reduce-overhead starts 1 CUDA graph and 1 kernel; of compiled 5 kernels. "
    assert told.startswith(f"{begin}It takes 50 µs against 101 µs: 2.0")
    assert "times as fast" in told


def test_a_difference_that_is_none_is_called_so() -> None:
    [(_, told)] = saved(Recording(title="f"), bench(faster=1.0))
    assert told.endswith("not distinguishable (1.000 to 1.000).")


def test_of_few_rounds_there_is_no_verdict() -> None:
    made = bench()
    few = replace(made, series=tuple(replace(one, seconds=one.seconds[:5]) for one in made.series))
    [(_, told)] = saved(Recording(title="f"), few)
    assert "too few rounds to tell" in told
    assert "distinguishable" not in told
    assert "times as fast" not in told


def test_on_a_busy_machine_it_is_doubtful_and_the_whole_says_why() -> None:
    for load in (1.0, 9.0):
        found = replace(bench(), machine=Machine(cores=2, load=load))
        shown = build(Recording(title="f", benchmark=found)).bench
        assert shown
        [told] = [one for one in shown.verdicts if "starts" in one.sentence]
        assert told.tone == ("warning" if load > 2 else "plain")
        assert "busy" not in told.sentence
        assert sum("busy" in one for one in shown.doubts) == (load > 2)


def test_without_counts_or_without_cuda_graphs_nothing_is_said() -> None:
    assert list(saved(Recording(title="f"), bench(WAYS[:2]))) == []
    unknown = tuple(replace(way, launches=None) for way in WAYS)
    assert list(saved(Recording(title="f"), bench(unknown))) == []


def test_what_was_foretold_stands_beside_it_where_a_call_runs_all_of_it() -> None:
    recording = foreseen(part(3), part(1, is_recorded=False), part(1))
    [(_, told)] = saved(recording, bench())
    assert "Foretold: 3 in place of 5 kernels" in told
    anew = replace(recording, graphs=(replace(recording.graphs[0], compile_id="0/1"),))
    [(_, told)] = saved(anew, bench())
    assert "Foretold" not in told


def test_a_graph_that_uses_none_saves_nothing() -> None:
    left = CudaGraphs(graph=0, asked=True, mutated=(0,), pieces=(part(4),))
    assert launches(left) == (4, 4)
    assert launches(CudaGraphs(graph=0, asked=True, pieces=(part(4),))) == (4, 1)
    assert launches(CudaGraphs(graph=0, asked=True)) == (0, 0)
