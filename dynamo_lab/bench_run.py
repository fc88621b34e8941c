"""A benchmark as it is made: compile, check, time; whatever ends it early, the rest is kept."""

from __future__ import annotations

import copy
import datetime
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from dynamo_lab.errors import DynamoLabError
from dynamo_lab.explore import record, runnable
from dynamo_lab.kernel_times import KernelTimes, joined, time_kernels
from dynamo_lab.measure.limits import limits_of
from dynamo_lab.measure.memory import peak_of
from dynamo_lab.measure.rounds import Plan, Watch, take_turns
from dynamo_lab.measure.ways import candidates
from dynamo_lab.model.benchmarks import (
    Benchmark,
    Cache,
    Comparison,
    KernelTime,
    Limits,
    Phase,
    Series,
    Work,
)
from dynamo_lab.programs import Choice
from dynamo_lab.recording import Recording
from dynamo_lab.rerun import reachable, without_trace
from dynamo_lab.view.work import Works

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    import torch


class Wish(Struct, frozen=True, kw_only=True):
    """What is asked of a benchmark: `dynamo_lab.bench` says what each is."""

    ways: Any = ("compiled",)
    training: bool = False
    optimizer: Any = None
    loss: Any = None
    grad: bool = False
    cold: bool = True
    kernels: bool = True
    tolerance: Any = None
    plan: Plan = Plan()


class BenchRun:
    """One benchmark of one program."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        wish: Wish,
        watch: Watch,
        title: str,
    ) -> None:
        from dynamo_lab.measure.devices import device_of
        from dynamo_lab.measure.subject import Subject

        self._wish, self._watch, self._title = wish, watch, title
        self._roots = [fn, args, dict(kwargs), wish.optimizer]
        tensors = {id(t): t for t in _tensors(self._roots)}
        self._device = device_of(tensors.values())
        options: Any = {"grad": wish.grad, "loss": wish.loss, "optimizer": wish.optimizer}
        self._subject = Subject(fn, args, kwargs, _leaves(fn, tensors), **options)
        self._phases: tuple[Phase, ...] = ("forward", "step") if wish.training else ("forward",)
        self._candidates = candidates(wish.ways)
        self._ways = [one.way for one in self._candidates]
        self._made: dict[int, Callable[..., Any]] = {}
        choice = Choice(grad=True if wish.training else wish.grad)
        self._program = runnable(fn, tuple(args), kwargs, choice)
        self._recording = Recording(title=title)
        self._series: list[Series] = []
        self._comparisons: list[Comparison] = []
        self._recorded_way: int | None = None
        self._kernels = KernelTimes()
        self._limits: Limits | None = None

    def made(self) -> Recording:
        """The recording of the first compiled way, with the benchmark."""
        from dynamo_lab.capture.compat import empty_compile_caches
        from dynamo_lab.measure import machine

        before = machine.describe_machine(self._device.name)
        with empty_compile_caches(), without_trace(self._roots), _kept(self._wish.optimizer):
            try:
                self._compile()
                self._check()
                self._weigh()
                self._time()
                if self._wish.kernels:
                    self._time_kernels()
            except KeyboardInterrupt:
                self._watch.stop()
        clocks = (*before.clocks_mhz, *machine.clock(self._device.name))
        found = Benchmark(
            title=self._title,
            state="stopped" if self._watch.stopped else "done",
            machine=structs.replace(before, clocks_mhz=clocks),
            ways=tuple(self._ways),
            series=tuple(self._series),
            comparisons=tuple(self._comparisons),
            kernels=self._kernels.kernels,
            eager_calls=self._kernels.eager_calls,
            groups=self._kernels.groups,
            overheads=self._kernels.overheads,
            limits=self._limits,
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )
        made = self._recording.with_benchmark(found)
        made.can_run_again(self._program)
        return made

    def _compile(self) -> None:
        """Call every way once in each phase; the first that compiles is recorded."""
        for at, candidate in enumerate(self._candidates):
            self._watch.tell(f"compiling {candidate.way.name}", at, len(self._candidates))
            is_first = candidate.way.kind == "compiled" and not self._recording.frames
            try:
                self._made[at] = candidate.made(self._subject.fn)
                seconds = self._recorded(at) if is_first else self._first_calls(at)
            except Exception as error:
                if at == 0:
                    raise  # the program itself fails
                self._drop(at, _told(error))
                continue
            if candidate.way.kind == "compiled":
                self._ways[at] = structs.replace(self._ways[at], compile_seconds=seconds)

    def _recorded(self, at: int) -> float:
        recorder = None
        self._recorded_way = at
        try:
            with record(self._title) as recorder:
                return self._first_calls(at)
        finally:
            if recorder is not None:
                self._recording = recorder.recording

    def _first_calls(self, at: int) -> float:
        """What the first call of each phase takes beyond the second."""
        beyond = 0.0
        for phase in self._phases:
            call = self._subject.call(self._made[at], phase)
            first, second = self._device.seconds(call), self._device.seconds(call)
            beyond += max(0.0, first - second)
        return beyond

    def _drop(self, at: int, problem: str) -> None:
        """A way that cannot be timed is shown with the reason."""
        self._made.pop(at, None)
        self._ways[at] = structs.replace(self._ways[at], problem=problem)

    def _check(self) -> None:
        """Hold what each way computes against eager, and both against float64."""
        from dynamo_lab.measure.checks import compare, is_wrong, not_compared

        for phase in self._phases:
            eager = self._results(0, phase)
            is_random = _differ(eager, self._results(0, phase, seed=1))
            exact = None if is_random else self._exact(phase)
            for at in [at for at in self._made if at]:
                self._watch.tell(f"checking {self._ways[at].name}", at, len(self._ways))
                if is_random:
                    why = "the program draws random numbers: for dropout, call .eval() first"
                    found = not_compared(why, way=at, phase=phase)
                else:
                    results = self._results(at, phase)
                    allowed = self._wish.tolerance
                    found = compare(eager, results, exact, way=at, phase=phase, tolerance=allowed)
                self._comparisons += found
                if is_wrong(found):
                    self._drop(at, "it computes something else than eager")

    def _results(self, at: int, phase: Phase, seed: int = 0) -> dict[str, torch.Tensor]:
        import torch

        untyped: Any = torch
        with without_trace(self._roots):
            untyped.manual_seed(seed)
            found = self._subject.results(self._made[at], phase)
            return {name: value.detach().clone() for name, value in found.items()}

    def _exact(self, phase: Phase) -> Mapping[str, torch.Tensor] | None:
        """What the program computes in float64; None where it does not run so."""
        try:
            with without_trace(self._roots):
                exact = self._subject.exact()
                return None if exact is None else exact.results(exact.fn, phase)
        except Exception:  # a dtype is written into the program, or memory is short
            return None

    def _weigh(self) -> None:
        """The most memory that a call of each way holds, in training a step's."""
        for at, way in self._made.items():
            self._watch.tell(f"weighing {self._ways[at].name}", at, len(self._ways))
            peak = peak_of(self._subject.call(way, self._phases[-1]), self._device)
            self._ways[at] = structs.replace(self._ways[at], peak_bytes=peak)

    def _time(self) -> None:
        caches: tuple[Cache, ...] = ("warm", "cold") if self._wish.cold else ("warm",)
        for phase in self._phases:
            for cache in caches:
                if self._watch.stopped:
                    return
                self._time_in_turns(phase, cache)

    def _time_in_turns(self, phase: Phase, cache: Cache) -> None:
        calls = {str(at): self._subject.call(way, phase) for at, way in self._made.items()}
        found = take_turns(
            calls, self._device, self._wish.plan, cold=cache == "cold", watch=self._watch
        )
        for at, times in found.items():
            if times.seconds:
                kept: Any = structs.asdict(times)
                self._series.append(Series(way=int(at), phase=phase, cache=cache, **kept))

    def _time_kernels(self) -> None:
        """Each kernel of the way that was recorded, against the operators that it replaced."""
        at = self._recorded_way
        if at not in self._made or not self._recording.kernels:
            return
        for phase in self._phases:
            if self._watch.stopped:
                return
            found = time_kernels(
                self._recording,
                self._subject,
                self._made[at],
                phase=phase,
                way=at,
                cold=self._wish.cold,
                device=self._device,
                plan=self._wish.plan,
                watch=self._watch,
            )
            self._kernels = joined(self._kernels, found)
        works = Works(self._recording)
        self._kernels = structs.replace(
            self._kernels, kernels=tuple(_with_work(one, works) for one in self._kernels.kernels)
        )
        self._limits = limits_of(self._device, watch=self._watch)


def _with_work(timed: KernelTime, works: Works) -> KernelTime:
    work = works.of(timed.kernel, timed.buffers)
    return structs.replace(timed, work=work) if isinstance(work, Work) else timed


def _tensors(roots: Sequence[Any]) -> list[torch.Tensor]:
    import torch

    return [found for found in reachable(roots) if isinstance(found, torch.Tensor)]


def _leaves(fn: Any, tensors: Mapping[int, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors that get gradients: a module's parameters by name, others by number."""
    import torch

    named = fn.named_parameters() if isinstance(fn, torch.nn.Module) else ()
    names = {id(value): str(name) for name, value in named}
    found = [t for t in tensors.values() if t.requires_grad and t.is_leaf]
    return {names.get(id(t), f"tensor {at}"): t for at, t in enumerate(found)}


def _differ(a: Mapping[str, torch.Tensor], b: Mapping[str, torch.Tensor]) -> bool:
    """Whether another seed gave something else."""
    import torch

    pairs = [(x.nan_to_num(), y.nan_to_num()) for x, y in zip(a.values(), b.values(), strict=True)]
    return not all(x.shape == y.shape and torch.equal(x, y) for x, y in pairs)


def _told(error: Exception) -> str:
    """Why a way did not run: our own errors are sentences."""
    if isinstance(error, DynamoLabError):
        return str(error)
    first = str(error).strip().partition("\n")[0][:200]
    return f"it raised {type(error).__name__}: {first}"


@contextmanager
def _kept(optimizer: Any) -> Generator[None, None, None]:
    """Afterwards an optimizer's state is what it was."""
    if optimizer is None:
        yield
        return
    before = copy.deepcopy(optimizer.state_dict())
    try:
        yield
    finally:
        optimizer.load_state_dict(before)
