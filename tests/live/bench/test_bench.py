"""`lab.bench` on real programs: what it finds and keeps, never how long things take."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.api.recording import run
from dynamo_lab.bench.options import BenchOptions
from dynamo_lab.bench.run import BenchRun
from dynamo_lab.errors import BenchError, OptionError
from dynamo_lab.measure.rounds import Plan, Progress, Watch
from dynamo_lab.measure.statistics import rounds_needed
from dynamo_lab.model.core import codec
from dynamo_lab.model.validate import validate
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live

QUICK: dict[str, Any] = {"rounds": 3, "seconds": 0.3, "kernels": False}


def program(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x * 2, -1).sum(0)


@pytest.fixture
def model() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.GELU())


def test_a_program_that_runs_its_own_backward_is_measured_with_gradients() -> None:
    weight = torch.ones(8, 8, requires_grad=True)

    def train(x: torch.Tensor) -> torch.Tensor:
        loss = (x @ weight).tanh().sum()
        loss.backward()
        return loss.detach()

    told: list[str] = []
    watch = Watch(lambda progress: told.append(progress.what))
    options = BenchOptions(kernels=False, plan=Plan(rounds=3, seconds=0.3))
    facts, session = BenchRun(train, (torch.randn(4, 8),), {}, options, watch, "train").made()
    assert facts.benchmark is not None
    assert [way.problem for way in facts.benchmark.ways] == ["", ""]
    assert {one.way for one in facts.benchmark.series} == {0, 1}
    assert session.program is not None
    assert session.program.choice.grad is None  # and so whenever it is run again
    assert weight.grad is None
    assert {"calling eager", "compiling compiled"} <= {*told}


def test_a_model_whose_forward_takes_gradients_is_trained_when_it_is_run_again() -> None:
    class Force(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(3, 1)

        def forward(self, at: torch.Tensor) -> torch.Tensor:
            energy = self.linear(at).tanh().sum()
            return torch.autograd.grad(energy, at, create_graph=True)[0]

    at = torch.randn(4, 3, requires_grad=True)
    plan = Plan(rounds=3, seconds=0.3)
    options = BenchOptions(training=True, kernels=False, plan=plan, ways=("eager",))
    _, session = BenchRun(Force(), (at,), {}, options, Watch(), "force").made()
    assert session.program is not None
    assert session.program.choice.grad is True


@pytest.mark.slow
def test_a_training_step_is_checked_timed_and_leaves_nothing(model: torch.nn.Module) -> None:
    optimizer = torch.optim.Adam(model.parameters())
    before = {name: value.clone() for name, value in model.state_dict().items()}
    found = lab.bench(model, torch.randn(4, 8), training=True, optimizer=optimizer, **QUICK)
    facts, recording = found.facts, found.recording
    assert [way.name for way in facts.ways] == ["eager", "compiled"]
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert not optimizer.state
    assert {(one.way, one.phase, one.cache) for one in facts.series} == {
        (way, phase, cache)
        for way in (0, 1)
        for phase in ("forward", "step")
        for cache in ("warm", "cold")
    }
    assert {len(one.seconds) for one in facts.series} == {3}
    assert {one.value for one in facts.comparisons if one.phase == "step"} == {
        "output",
        *(f"gradient of {name}" for name, _ in model.named_parameters()),
        *(f"buffer {name} after the call" for name, _ in model.named_buffers()),
    }
    assert all(one.verdict in ("equal", "close") for one in facts.comparisons)
    assert all(one.error_ulp is not None for one in facts.comparisons)
    assert recording.kernels
    assert any(wrapper.is_backward for wrapper in recording.wrappers)
    assert validate(codec.decode(codec.encode(recording))) is None


def test_what_is_wrong_or_fails_is_not_timed() -> None:
    ways = {
        "aot": "aot_eager",
        "wrong": lambda x: program(x) + 1e-3,
        "fails": lambda x: x.reshape(7, 7, 7),
        "short": lambda x: (),
    }
    facts = lab.bench(program, torch.randn(4, 8), ways=ways, **QUICK).facts
    problems = {way.name: way.problem for way in facts.ways}
    assert problems["eager"] == problems["aot"] == ""
    assert problems["wrong"].startswith("its results differ from eager's: output is off by 0.")
    assert problems["short"] == (
        "its results differ from eager's: results: it gives 0 tensors, eager 1 tensor"
    )
    assert problems["fails"].startswith("it raised RuntimeError: ")
    assert {facts.ways[one.way].name for one in facts.series} == {"eager", "aot"}


def test_random_programs_are_timed_but_not_compared() -> None:
    dropout = torch.nn.Dropout(0.5)
    facts = lab.bench(dropout, torch.randn(64), ways="aot_eager", **QUICK).facts
    assert [one.verdict for one in facts.comparisons] == ["not compared"]
    assert "random" in facts.comparisons[0].reason
    assert facts.series


def test_a_recording_can_be_benchmarked_and_one_without_a_program_says_so() -> None:
    recording = lab.explore(program, torch.randn(4, 8), backend="aot_eager")
    found = recording.bench(ways="aot_eager", **QUICK)
    assert found.facts.title == "program"
    assert found.recording.program() is not None
    loaded = codec.decode(codec.encode(recording), type=lab.Recording)
    with pytest.raises(BenchError, match="no program"):
        loaded.bench()


class Heard:
    """What a view hears of a run."""

    def __init__(self) -> None:
        self.on_stop: Callable[[], None] = lambda: None
        self.told: list[str] = []

    def tell(self, what: str, fraction: float | None, seconds_left: float | None) -> None:
        self.told.append(what)


def two_kernels(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x @ x, y.sin()


def test_a_view_has_the_kernels_timed_and_nothing_else() -> None:
    waiting = Heard()
    recording = lab.explore(two_kernels, torch.randn(512, 512), torch.randn(8))
    label, outcome, made = run(recording, "time_kernels", {}, waiting)
    found = made.benchmark
    assert (label, outcome) == ("kernels timed", {"state": "done"})
    assert found is not None
    assert {one.kernel for one in found.kernels if one.warm} == {one.id for one in made.kernels}
    assert (found.series, found.comparisons, found.courses, found.limits) == ((), (), (), None)
    assert found.changes is None  # nothing was compared that would tell
    assert (found.eager_calls, [one.cold for one in found.kernels]) == ((), [(), ()])
    assert [(one.stubbed, one.launch) for one in found.overheads] == [((), ())]
    [rounds] = {len(one.warm) for one in found.kernels}
    assert rounds >= rounds_needed()
    assert all(way.compile_seconds is None for way in found.ways), "caches were not empty"
    assert "timing kernels, not told apart yet" in waiting.told
    assert not [what for what in waiting.told if what.startswith(("checking", "measuring"))]
    validate(made)
    shown = build(made).bench
    assert shown is not None
    assert len(shown.kernels.kernels) == len(made.kernels)
    assert shown.state.startswith("Only the kernels were timed, with warm caches")
    [timed] = shown.kernels.programs
    if timed.slowest is None:  # something else took the processor's time: then it is said
        assert any("these are not times of a call" in remark for remark in timed.remarks)
    else:
        assert [made.kernels[one.id].language for one in timed.slowest.kernels] == ["extern"]


@pytest.mark.slow
@pytest.mark.parametrize("grad", [None, True, False])
def test_the_kernels_that_are_timed_are_those_of_the_recording(grad: bool | None) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.LayerNorm(8))
    recording = lab.explore(model, torch.randn(4, 8), grad=grad)
    _, _, made = run(recording, "time_kernels", {}, Heard())
    assert made.benchmark is not None
    assert [one.code for one in made.kernels] == [one.code for one in recording.kernels]
    assert {one.kernel for one in made.benchmark.kernels if one.warm} == {
        one.id for one in recording.kernels
    }
    lowered = [graph for graph in recording.graphs if graph.stage == "post_grad"]
    assert any(graph.is_backward for graph in lowered) == (grad is True)


def test_what_is_stopped_is_kept() -> None:
    def tell(progress: Progress) -> None:
        if progress.what == "warm caches" and progress.done == 2:
            watch.stop()

    watch = Watch(tell)
    options = BenchOptions(ways="aot_eager", plan=Plan(seconds=0.5))
    run = BenchRun(program, (torch.randn(4, 8),), {}, options, watch, "program")
    facts = run.made()[0].benchmark
    assert facts is not None
    assert facts.state == "stopped"
    assert [len(one.seconds) for one in facts.series] == [2, 2]


def test_bad_options_are_refused() -> None:
    with pytest.raises(
        OptionError, match=r"no variant 'quick'.*compiled, compiled\+optimizer, default"
    ):
        lab.bench(program, torch.randn(2), ways="quick")
    with pytest.raises(OptionError, match="No round"):
        lab.bench(program, torch.randn(2), rounds=0)
    with pytest.raises(OptionError, match="cannot be called"):
        lab.bench(3)  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_a_way_writes_is_compared_and_gradients_of_arguments_are_held_against_float64() -> (
    None
):
    def write(out: torch.Tensor, x: torch.Tensor) -> None:
        out.copy_(x * 2)

    def other(out: torch.Tensor, x: torch.Tensor) -> None:
        out.copy_(x * 3)

    facts = lab.bench(write, torch.zeros(4), torch.randn(4), ways={"other": other}, **QUICK).facts
    assert facts.ways[1].problem
    assert [one.value for one in facts.comparisons] == ["argument 0 after the call"]

    x = torch.randn(8, 8, requires_grad=True)
    facts = lab.bench(program, x, ways="aot_eager", training=True, **QUICK).facts
    (gradient,) = [one for one in facts.comparisons if one.value.startswith("gradient")]
    assert gradient.error_ulp is not None


def test_a_way_that_fails_while_it_is_timed_is_dropped_and_the_others_go_on() -> None:
    calls = itertools.count()  # a list would be restored before each round

    def tires(x: torch.Tensor) -> torch.Tensor:
        if next(calls) > 5:
            raise RuntimeError("tired")
        return program(x)

    facts = lab.bench(program, torch.randn(4, 8), ways={"tires": tires}, **QUICK).facts
    assert facts.ways[1].problem == "it raised RuntimeError: tired"
    assert {one.way for one in facts.series if one.cache == "cold"} == {0}


@pytest.mark.slow
def test_many_backends_are_all_compiled_and_what_is_compiled_is_refused() -> None:
    used: set[str] = set()

    def backend(name: str) -> dict[str, Any]:
        def run(module: Any, _: Any) -> Any:
            def call(*args: Any) -> Any:
                used.add(name)
                return module(*args)

            return call

        return {"backend": run}

    names = [f"b{number}" for number in range(10)]
    lab.bench(program, torch.randn(4), ways={name: backend(name) for name in names}, **QUICK)
    assert used == set(names)
    with pytest.raises(OptionError, match="compiled already"):
        lab.bench(torch.compile(program), torch.randn(4))


def test_sparse_results_are_compared_and_slight_chance_is_no_dropout() -> None:
    ways = {"same": lambda x: x.to_sparse(), "compiled": "aot_eager"}
    facts = lab.bench(lambda x: x.to_sparse(), torch.eye(3), ways=ways, **QUICK).facts
    assert [one.verdict for one in facts.comparisons] == ["equal"]
    assert facts.ways[2].problem == "it was not compiled: Dynamo captured no graph of it"
    calls: list[int] = []

    def rounds_otherwise(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return x * (1 + 1e-7 * (len(calls) % 2))

    ways = {"wrong": lambda x: x * 100}
    facts = lab.bench(rounds_otherwise, torch.randn(4), ways=ways, **QUICK).facts
    assert facts.ways[1].problem


def breaking(x: torch.Tensor) -> torch.Tensor:
    return x + 1 if x.sum() > 0 else x


def test_options_that_the_recording_had_and_the_benchmark_has_not_are_kept() -> None:
    failed = lab.explore(breaking, torch.ones(4), fullgraph=True, backend="eager")
    assert failed.failure is not None
    found = failed.bench(**QUICK, ways={"whole": {"backend": "eager"}})
    assert found.facts.recorded_with == {"backend": "eager", "fullgraph": "True"}
    assert "The recording was made with `fullgraph=True`" in str(found)


@pytest.mark.slow
def test_what_compiles_at_every_call_has_no_time_and_is_recorded_so() -> None:
    class Counts(torch.nn.Module):
        steps = 0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.steps += 1
            return x * self.steps

    found = lab.bench(Counts(), torch.randn(8), seconds=0.5, kernels=False)
    said = " ".join(str(found).split())
    assert "Compiled was not timed: it is compiled anew at every call" in said
    assert "times faster than eager" not in said
    assert len(found.recording.recompiles) > 2
    assert "steps" in str(found.recording.findings[0])
