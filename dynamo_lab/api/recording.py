"""The recording as the user gets it: the facts, and its questions while the program lives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from msgspec import structs

from dynamo_lab.api.asked import Asked
from dynamo_lab.api.handle import Drawing, Home  # noqa: TC001 - msgspec reads annotations
from dynamo_lab.api.settings import EVALUATES_NOTHING, settings
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.live.session import Session
from dynamo_lab.model.breaks import Break as BreakFact
from dynamo_lab.model.core import kept
from dynamo_lab.model.graphs import Graph as GraphFact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from dynamo_lab.api.benchmarks.benchmarked import Benchmarked
    from dynamo_lab.api.bisections.answer import WhyWrong
    from dynamo_lab.api.edited import Edited
    from dynamo_lab.api.findings import Applied, Findings
    from dynamo_lab.api.playground.playground import Playground
    from dynamo_lab.api.runs import Waiting
    from dynamo_lab.api.trial import Trial
    from dynamo_lab.bench.bisections.reproducers import Reproducer
    from dynamo_lab.model.benchmarks import Benchmark
    from dynamo_lab.model.recording import Recording as Facts
    from dynamo_lab.record.run import Program, Run
    from dynamo_lab.render.widget import Runs
    from dynamo_lab.view.breaks.fixes import Fix
    from dynamo_lab.view.messages import Outcome
    from dynamo_lab.view.search import FoundNode


class Break(BreakFact, frozen=True, kw_only=True, dict=True):
    """A graph break with its recording, so that fixes can be tried."""

    _home: ClassVar[Home]

    @property
    def _recording(self) -> Recording:
        return Recording.of(self._home.facts, self._home.session)

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes to try, the likeliest first: each a name, a sentence, what to write."""
        from dynamo_lab.view.breaks.fixes import fixes_of

        return fixes_of(self._home.facts, self, self._home.called)

    def try_fix(self, fix: str | None = None) -> Trial[Recording]:
        """Compile the program again with a fix (the likeliest by default), and compare."""
        return self._recording.try_fix(self.id, fix)


class Graph(GraphFact, frozen=True, kw_only=True, dict=True):
    """A graph with its recording, so that it can be drawn and searched."""

    _home: ClassVar[Home]

    @property
    def _recording(self) -> Recording:
        return Recording.of(self._home.facts, self._home.session)

    def to_dot(self, **options: Unpack[Drawing]) -> str:
        """The graph as DOT: see `Recording.to_dot`."""
        return self._recording.to_dot(self.id, **options)

    def to_svg(self, **options: Unpack[Drawing]) -> str:
        """The graph as SVG: see `Recording.to_svg`."""
        return self._recording.to_svg(self.id, **options)

    def find(self, query: str) -> tuple[FoundNode, ...]:
        """The nodes that a query finds in it: see `Recording.find`."""
        return self._recording.find(query, self.id)


class Recording(Asked, frozen=True, kw_only=True, dict=True):
    """Everything recorded of one run.

    Print it for a terminal, leave it as the last expression of a cell for the interactive view,
    or store it with `save` and `to_html`. Its facts are tuples: `frames`, `breaks`, `guards`,
    `recompiles`, `refusals`, `graphs`, `attentions`, `fast_paths`, `partitions`, `pipelines`,
    `passes`, `patterns`, `lowerings`, `lab_graphs`, `buffers`, `layout_choices`, `schedules`,
    `fusions`, `memory_plans`, `kernels`, `wrappers`, `packages`, `links`, `timings`, `notes`.
    """

    breaks: tuple[Break, ...] = ()
    graphs: tuple[Graph, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        facts = [BreakFact(**structs.asdict(item)) for item in self.breaks]
        structs.force_setattr(self, "breaks", tuple(facts))
        drawn = [GraphFact(**structs.asdict(item)) for item in self.graphs]
        structs.force_setattr(self, "graphs", tuple(drawn))
        home = self._home
        breaks = tuple(Break(**structs.asdict(item)) for item in facts)
        graphs = tuple(Graph(**structs.asdict(item)) for item in drawn)
        for item in (*breaks, *graphs):
            structs.force_setattr(item, "_home", home)
        structs.force_setattr(self, "breaks", breaks)
        structs.force_setattr(self, "graphs", graphs)

    @property
    def findings(self) -> Findings:
        """What is wrong, the costliest first: print them; each has `apply()`."""
        from dynamo_lab.api.findings import findings_of

        can_try = self.session.program is not None
        can_export = bool(self.session.export_calls)
        return findings_of(self, partial(_applied, self._home), can_try, can_export)

    def apply_findings(self) -> Applied[Recording]:
        """Run the program with all remedies that are safe, together, and compare.

        Raises:
            FixError: there is no program to run again, or nothing can be applied safely.
        """
        return self.findings.apply()

    def can_run_again(self, program: Program) -> None:
        """Hold the program, so that it can be lowered again, and fixes can be tried on it.

        It keeps its model and copies of its arguments alive; so if nothing broke, only when they
        are small.
        """
        from dynamo_lab.record.run import is_kept

        if is_kept(self, program):
            self.session.program = program

    def program(self) -> Program | None:
        """The program that was recorded, or None if it is not available."""
        return self.session.program

    def runs(self) -> Runs | None:
        """How a view runs the program again, or None if the program is not available."""
        return run if self.session.program else None

    def try_fix(self, break_id: int, fix: str | None = None) -> Trial[Recording]:
        """Compile the program again with a fix for this break, and compare.

        It runs twice, once eagerly, with the same seed: on copies of the arguments, and with the
        tensors that it reaches restored afterwards. Other effects happen again.

        Raises:
            FixError: there is no program to run again, no fix, or no fix of this name.
        """
        from dynamo_lab.api.trial import trial
        from dynamo_lab.live.fixes import try_fix

        tried = try_fix(self, self.session, break_id, fix)
        return trial(self, break_id, tried, recording_of(tried.run))

    def relower(
        self,
        target: str | None = None,
        options: Mapping[str, Any] | None = None,
        **switches: bool | int | str | None,
    ) -> Recording:
        """Lower the recorded program again, with other switches or for another target.

        It captures the program again and generates code, without building or running it;
        switches chosen before stay. The program itself runs eagerly, with the same arguments. A
        lowering or decomposition that was registered since then is used.

        Args:
            target: As for `dynamo_lab.lower`; by default the target of this recording.
            options: Any settings of `torch._inductor.config`, by name.
            **switches: The switches that matter most, such as `max_fusion_size=1`:
                `dynamo_lab.record.switches.SWITCHES` has a sentence for each.

        Raises:
            LoweringError: the program is not available.
            OptionError: there is no such switch, setting or target, or the value is invalid.
        """
        from dynamo_lab.record.lower import relower

        return recording_of(relower(self, self.session.program, target, options, **switches))

    def playground(self, *, seconds: float = 30.0) -> Playground[Recording]:
        """The program's text to change, lowered again without a run, as the Playground tab does.

        `seconds` is how long a text may take before it is ended.

        Raises:
            LoweringError: the program is not available, or its text is not known.
        """
        from dynamo_lab.api.playground.playground import Playground

        return Playground(self, self.session.program, seconds, recording_of)

    def with_benchmark(self, benchmark: Benchmark) -> Recording:
        """The same recording with a benchmark; it answers the same questions."""
        return Recording.of(structs.replace(self, benchmark=benchmark), self.session)

    def bench(self, **options: Any) -> Benchmarked[Recording]:
        """Time the recorded program, eager and compiled: options as for `dynamo_lab.bench`.

        Raises:
            BenchError: the program is not available.
            OptionError: there is no such option or variant.
        """
        from dynamo_lab.api.benchmarks.benchmarked import Benchmarked
        from dynamo_lab.bench.options import bench_options
        from dynamo_lab.bench.progress import progress_bar
        from dynamo_lab.bench.recorded import measured

        with progress_bar() as watch:
            found = measured(self, self.session, bench_options(**options), watch)
        return Benchmarked(Recording.of(*found))

    def time_guards(self) -> Recording:
        """The same recording with the time that its guards take by value, and without some.

        It runs the guards, in turns with copies of them that lack a part, on the program's
        arguments; it compiles nothing. A benchmark does so too.

        Raises:
            GuardsError: there are no live guards, or no program to take arguments from.
        """
        from dynamo_lab.live.guards import time_guards

        return Recording.of(time_guards(self, self.session), self.session)

    def measure_warm_start(self) -> Recording:
        """The same recording with what a warm start takes, measured.

        The program is compiled three times, in folders of their own: into empty compile caches,
        again from them, and from what `torch.compiler.save_cache_artifacts` saved of them. A new
        process also imports and loads the model, which is not counted. What the program writes is
        restored.

        Raises:
            FixError: the program is not available.
            BenchError: what it writes cannot be restored.
        """
        from dynamo_lab.bench.warm_start import with_warm_start

        return Recording.of(with_warm_start(self, self.session), self.session)

    def bisect(self) -> WhyWrong[Recording]:
        """Why the compiled program gives something else than eager: as `dynamo_lab.why_wrong`.

        It is compiled with the options that it was recorded with.

        Raises:
            BisectionError: the program is not available, or raises without being compiled.
        """
        from dynamo_lab.api.bisections.answer import WhyWrong
        from dynamo_lab.bench.bisections.run import bisected
        from dynamo_lab.bench.progress import progress_bar

        with progress_bar() as watch:
            found = bisected(self, self.session, watch)
        return WhyWrong(Recording.of(found.facts, found.session), found.held)

    def reproducer(self, graph: int | None = None, kernel: int | None = None) -> Reproducer:
        """One Python file that compiles a captured graph without this package, and compares it.

        `graph` counts the captured graphs from 0; `kernel` is the id of a kernel, whose graph is
        taken. By default it is the first. Inputs have the sizes of those that the program gave it.

        Raises:
            BisectionError: the program is not available, or there is no such graph.
        """
        from dynamo_lab.bench.bisections.reproducers import reproducer_of

        return reproducer_of(self, self.session, graph, kernel)

    def edit_kernel(
        self, kernel: int | str, code: str | Callable[[str], str], *, seconds: float = 30.0
    ) -> Edited[Recording]:
        """Edit a generated kernel, check it against the original, and compare their times.

        The edit is built as Inductor builds it, and called in its own process with the
        arguments that the program gives the original; then, if it computes the same, in the
        program, which is compared with eager. Only a correct edit is timed. Print the answer for a
        diff, the compiler's messages at their lines, the verdict and the times. A Triton kernel
        that was lowered for a GPU is checked in Triton's interpreter, and not timed. A kernel of
        the backend `lab` is built, checked and timed in its graph's program alone.

        Args:
            kernel: A kernel's id or name: `print(rec.kernels[0].code)` shows one.
            code: Its new text, C++ or Triton, or a function from the old text to the new. The
            parameters stay as they are.
            seconds: How long it may run, once built, before it counts as endless.

        Raises:
            EditError: there is no such kernel, or no program is available to run it in.
        """
        from dynamo_lab.api.edited import edited
        from dynamo_lab.live.edits import edit

        return edited(self, edit(self, self.session, kernel, code, seconds=seconds))


def _applied(home: Home, ids: tuple[int, ...] | None) -> Applied[Recording]:
    """What applying these findings did, or all that are safe."""
    from dynamo_lab.api.findings import answered
    from dynamo_lab.live.findings import applicable, apply

    chosen = applicable(home.facts) if ids is None else ids
    done = apply(home.facts, home.session, chosen)
    return answered(done, recording_of(done.after))


def run(
    recording: Facts, what: str, asked: dict[str, Any], waiting: Waiting | None = None
) -> tuple[str, Outcome, Recording]:
    """A label for the new recording, the result of the run as JSON, and the recording.

    Raises:
        DynamoLabError: it cannot be done, or there is no such request.
    """
    from dynamo_lab.api import runs

    if not settings().evaluates:
        raise DynamoLabError(EVALUATES_NOTHING)
    if not isinstance(recording, Recording):
        raise DynamoLabError("There is no program to run again: run the cell again.")
    label, told, facts, session = runs.run(recording, recording.session, what, asked, waiting)
    return label, told, Recording.of(facts, session)


def recording_of(run: Run) -> Recording:
    """The recording of a run, which owns the live parts of the run."""
    return Recording.of(run.facts, Session(run))


def load(path: str | Path, cell: int | None = None) -> Recording:
    """Read a recording that `Recording.save` wrote, or that a saved notebook keeps.

    Of a notebook (`.ipynb`), `cell` is the number of the cell as it shows it: 3 for `[3]`. It may
    be left out where one cell alone keeps a recording.

    Raises:
        RecordingFileError: the file is missing, damaged, or of no known version; or the notebook
            keeps no recording of this cell.
    """
    return kept.load(path, cell, Recording)
