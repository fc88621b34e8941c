"""A running benchmark: compile, check, time; if it ends early, what was measured is kept."""

from __future__ import annotations

import datetime
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.bench.checks import Asked, Checks, off
from dynamo_lab.bench.kernel_times import KernelTimes, joined, time_kernels, time_until_told
from dynamo_lab.bench.memory import weigh
from dynamo_lab.bench.optimizers import refuse_no_step, started
from dynamo_lab.bench.settled import settle
from dynamo_lab.bench.start import reached_tensors
from dynamo_lab.capture.core.compat import empty_compile_caches, many_ways, warm_up_inductor
from dynamo_lab.capture.core.undo import Whole, held
from dynamo_lab.errors import AlreadyRecordingError, DynamoLabError
from dynamo_lab.live.guards import timed
from dynamo_lab.live.session import Session
from dynamo_lab.measure.checks import is_wrong
from dynamo_lab.measure.limits import limits_of
from dynamo_lab.measure.profiler import launches_of
from dynamo_lab.measure.rounds import Watch, take_turns
from dynamo_lab.measure.variants import INDUCTOR, backend_of, candidates, recorded_way
from dynamo_lab.model.benchmarks import (
    OPTIMIZER,
    Benchmark,
    Cache,
    Comparison,
    Limits,
    MemoryCourse,
    Overhead,
    Phase,
    Series,
)
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.explore import record, runnable
from dynamo_lab.record.reach import leaves, reachable, stored_by_cell
from dynamo_lab.record.replay import told
from dynamo_lab.record.run import Choice, Run
from dynamo_lab.view.benchmarks.work import Works

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from dynamo_lab.bench.options import BenchOptions


class BenchRun:
    """One benchmark of one program."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        options: BenchOptions,
        watch: Watch,
        title: str,
    ) -> None:
        from dynamo_lab.measure.devices import device_of
        from dynamo_lab.measure.subject import Subject, named_leaves

        self._options, self._watch, self._title = options, watch, title
        self._is_whole = not options.only_kernels
        self._backend = options.backend or INDUCTOR
        self._candidates = candidates(options.ways, self._backend)
        program = [fn, args, dict(kwargs)]
        ways = [*options.ways.values()] if hasattr(options.ways, "keys") else []
        others = [way for way in ways if callable(way)]
        self._roots = [*program, options.optimizer, options.loss, *others]
        self._device = device_of(reachable(program))
        called: Any = {name: getattr(options, name) for name in ("grad", "loss", "optimizer")}
        named = named_leaves(fn, args, kwargs, leaves(self._roots))
        called["reached"] = reached_tensors(fn, program)
        called["stored"] = stored_by_cell(fn)
        self._subject = Subject(fn, args, kwargs, named, **called)
        self._phases = options.phases
        self._ways = [one.way for one in self._candidates]
        refuse_no_step(self._ways, options.optimizer, options.training)
        self._made: dict[int, Callable[..., Any]] = {}
        choice = Choice(grad=True if options.training else options.grad)
        self._program = runnable(fn, tuple(args), kwargs, choice)
        self._run = Run(facts=Recording(title=title))
        self._series: list[Series] = []
        self._comparisons: list[Comparison] = []
        self._courses: list[MemoryCourse] = []
        self._left: list[tuple[str, ...]] = []  # by each call of a phase, where that is known
        self._recorded_way: int | None = None
        self._kernels = KernelTimes()
        self._limits: Limits | None = None
        self._caches = ExitStack()

    def made(self) -> tuple[Recording, Session]:
        """The facts of the first variant that the backend compiles, with the benchmark."""
        from dynamo_lab.measure import machine

        with self._device.current():
            before = machine.describe_machine(self._device.name)
        parts = [self._compile]
        parts += [self._check, self._weigh, self._time] if self._is_whole else []
        parts += [self._time_kernels] if self._options.kernels else []
        # the last: a profiler can make later calls slower
        parts += [self._count_launches] if self._is_whole else []
        first = self._subject.first_call(self._phases[-1])
        at_start = started(self._roots, self._options.optimizer, self._ways, first)
        with Whole(self._caches), many_ways(), at_start as (self._start, self._twins):
            try:
                for part in parts:
                    if not self._watch.stopped:
                        part()
            except KeyboardInterrupt:
                self._watch.stop()
        if self._subject.takes_gradients and not self._options.training:
            self._program.choice = structs.replace(self._program.choice, grad=None)
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
            courses=tuple(self._courses),
            limits=self._limits,
            changes=self._changed() if len(self._left) == len(self._phases) else None,
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )
        facts = structs.replace(self._run.facts, benchmark=found)
        facts = timed(facts, self._run, self._program) if self._is_whole else facts
        return facts, Session(self._run.with_program(self._program))

    def _changed(self) -> tuple[str, ...]:
        """What differs between the calls of one round: nothing of the data that they start with."""
        steps = (OPTIMIZER,) if self._options.optimizer and self._options.training else ()
        return tuple(dict.fromkeys(name for names in (*self._left, steps) for name in names))

    def _compile(self) -> None:
        """Call every variant once in each phase, the one that is recorded last.

        Each has its own compile caches. The last one's stay active, for when kernels are timed.
        Where that is all, the caches are those of the process: how long it compiles is not told.
        """
        self._recorded_way = recorded_way(self._ways, self._backend)
        if self._recorded_way is not None and self._is_whole:
            self._watch.tell("warming up the compiler", 0, len(self._ways))
            warm_up_inductor(self._device.name)
        order = sorted(range(len(self._ways)), key=lambda at: at == self._recorded_way)
        for done, at in enumerate(order):
            if self._watch.stopped:
                return
            doing = "compiling" if self._ways[at].kind == "compiled" else "calling"
            self._watch.tell(f"{doing} {self._ways[at].name}", done, len(self._ways))
            self._compile_one(at)

    def _compile_one(self, at: int) -> None:
        if self._ways[at].kind == "compiled" and self._is_whole:
            held(self._caches.enter_context, empty_compile_caches())
        with self._may_fail(at):
            self._made[at] = self._candidates[at].made(self._subject.fn)
            if at in self._twins:
                step = self._candidates[at].made(self._twins[at].step)
                self._subject.step_with(self._made[at], step)
            seconds = self._recorded(at) if at == self._recorded_way else self._first_calls(at)
            if self._ways[at].kind == "compiled" and self._is_whole:
                known = {"compile_seconds": sum(seconds.values()), "compile_by_phase": seconds}
                self._ways[at] = structs.replace(self._ways[at], **known)
            if at == self._recorded_way and not self._run.facts.captured_graphs():
                self._drop(at, "it was not compiled: Dynamo captured no graph of it")

    def _recorded(self, at: int) -> dict[str, float]:
        recorder = None
        try:
            recording = record(self._title)
            with closing(recording), recording as recorder:
                return self._first_calls(at)
        finally:
            if recorder is not None:
                self._run = Run.of(recorder, recorder.recording)

    def _first_calls(self, at: int) -> dict[str, float]:
        """The time of the first call of each phase beyond the second's."""
        beyond: dict[str, float] = {}
        for phase in self._phases:
            of = self._subject
            call = of.call(self._made[at], phase) if at else of.first_call(phase)
            first, second = self._fresh_seconds(call), self._fresh_seconds(call)
            beyond[phase] = max(0.0, first - second)
            if self._ways[at].kind == "compiled":
                settle(call)
        return beyond

    def _fresh_seconds(self, call: Callable[[], object]) -> float:
        self._start.again()
        return self._device.seconds(call)

    @contextmanager
    def _may_fail(self, at: int) -> Generator[None, None, None]:
        """A variant that raises is dropped, with the reason; if eager raises, the program fails."""
        try:
            yield
        except AlreadyRecordingError:
            raise
        except Exception as error:
            if at == 0:
                raise
            self._drop(at, _reason(error))

    def _drop(self, at: int, problem: str) -> None:
        """A variant that cannot be timed is shown with the reason."""
        self._made.pop(at, None)
        self._ways[at] = structs.replace(self._ways[at], problem=problem)

    def _check(self) -> None:
        """Compare each variant's results with eager, and both with float64."""
        for phase in self._phases:
            each = self._options.plan.seconds / (len(self._made) + 1)  # eager against itself: two
            asked = Asked(self._options.tolerance, each, self._watch.clock)
            checks = Checks(self._subject, self._made[0], phase, self._start, asked)
            self._left += [checks.changes] if checks.is_restored else []
            for at in [at for at in self._made if at]:
                if self._watch.stopped:
                    return
                self._watch.tell(f"checking {self._ways[at].name}", at, len(self._ways))
                with self._may_fail(at):
                    stepped = checks.of_step(at, self._made[at]) if at in self._twins else ()
                    self._hold(at, (*checks.of(at, self._made[at]), *stepped))

    def _hold(self, at: int, found: Sequence[Comparison]) -> None:
        self._comparisons += found
        if is_wrong(found):
            self._drop(at, f"its results differ from eager's: {off(found)}")

    def _weigh(self) -> None:
        """The peak memory of a call of each variant, in training of a step."""
        for at, way in list(self._made.items()):
            if self._watch.stopped:
                return
            self._watch.tell(f"measuring the memory of {self._ways[at].name}", at, len(self._ways))
            with self._may_fail(at):
                call = self._subject.call(way, self._phases[-1])
                self._start.again()
                self._prepare(call)
                course, peak = weigh(call, self._device, with_lines=at == 0)
                if course:
                    phase = self._phases[-1]
                    self._courses.append(structs.replace(course, way=at, phase=phase))
                self._ways[at] = structs.replace(self._ways[at], peak_bytes=peak)

    def _count_launches(self) -> None:
        """What a call of each variant starts on the GPU, in training of a step."""
        for at, way in list(self._made.items()):
            call = self._subject.call(way, self._phases[-1])
            with self._may_fail(at):
                self._start.again()
                self._prepare(call)
                launches = launches_of(call, self._device)
                self._ways[at] = structs.replace(self._ways[at], launches=launches)

    def _time(self) -> None:
        caches: tuple[Cache, ...] = ("warm", "cold") if self._options.cold else ("warm",)
        for phase in self._phases:
            for cache in caches:
                # a variant that fails is dropped, and the others take their turns again
                while 0 in self._made and not self._watch.stopped:
                    if self._time_in_turns(phase, cache):
                        break

    def _time_in_turns(self, phase: Phase, cache: Cache) -> bool:
        """Whether all variants ran to the end."""
        calls = {str(at): self._guarded(at, phase) for at in self._made}
        options: Any = {"cold": cache == "cold", "watch": self._watch}
        self._start.again()

        def before(name: str) -> None:
            self._prepare(calls[name])

        try:
            found = take_turns(calls, self._device, self._options.plan, before=before, **options)
        except _FailedError as failed:
            self._drop(failed.way, _reason(failed.error))
            return False
        for at, times in found.items():
            if times.seconds:
                kept: Any = structs.asdict(times)
                self._series.append(Series(way=int(at), phase=phase, cache=cache, **kept))
        return True

    def _prepare(self, call: Callable[[], object]) -> None:
        """Restore what calls write. What a program keeps for its next call is there when timed."""
        self._start.quickly()
        if self._start.is_written:
            call()

    def _guarded(self, at: int, phase: Phase) -> Callable[[], object]:
        """A call whose error names the variant that failed."""
        call = self._subject.call(self._made[at], phase)

        def guarded() -> object:
            try:
                return call()
            except Exception as error:
                raise _FailedError(at, error) from error

        return guarded

    def _time_kernels(self) -> None:
        """Each kernel of the recorded variant, against the operators that it replaced if asked."""
        at = self._recorded_way
        if at is None or at not in self._made or not self._run.facts.kernels:
            return
        options: Any = {"device": self._device, "plan": self._options.plan, "watch": self._watch}
        options |= {"way": at, "start": self._start}
        if self._is_whole:
            options |= {"cold": self._options.cold, "backend": backend_of(self._ways[at])}
        times: Any = time_kernels if self._is_whole else time_until_told
        for phase in self._phases:
            if self._watch.stopped:
                return
            fns = self._run.facts, self._subject, self._made[at]
            try:
                found = times(*fns, phase=phase, **options)
            except Exception as error:  # what was measured before is kept
                problem = f"The kernels were not timed: {told(error)}."
                found = KernelTimes(overheads=(Overhead(way=at, phase=phase, problem=problem),))
            self._kernels = joined(self._kernels, found)
        works = Works(self._run.facts)
        kernels = tuple(works.added(one) for one in self._kernels.kernels)
        self._kernels = structs.replace(self._kernels, kernels=kernels)
        if self._is_whole:
            self._limits = limits_of(self._device, watch=self._watch)


def _reason(error: Exception) -> str:
    """Why a variant is not timed: our own errors are sentences."""
    return str(error) if isinstance(error, DynamoLabError) else f"it raised {told(error)}"


class _FailedError(Exception):
    """A variant raised while it was timed."""

    def __init__(self, way: int, error: Exception) -> None:
        super().__init__(way)
        self.way, self.error = way, error
