"""The recorder: where probes put facts, and from which a recording is frozen."""

import threading
import time
import traceback
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, Protocol

import msgspec

from dynamo_lab.capture.core.environment import describe_environment
from dynamo_lab.capture.core.hooks import ORIGINAL_CODES, REAL_STACK
from dynamo_lab.capture.core.peaks import Peaks
from dynamo_lab.capture.core.sources import Texts
from dynamo_lab.errors import AbsentError, DynamoLabError
from dynamo_lab.model.attention.calls import Attention
from dynamo_lab.model.autograd import Partition
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.compiler import LabGraph
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.cuda_graphs.trees import CudaTrees
from dynamo_lab.model.decompositions import Decompositions
from dynamo_lab.model.fast_path.calls import FastPath
from dynamo_lab.model.frames import Frame, Loop
from dynamo_lab.model.fusion.fusion import Schedule
from dynamo_lab.model.fusion.memory import MemoryPlan
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.guards.costs import GuardTime
from dynamo_lab.model.guards.guards import Guard, Recompile, Refusal
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.layouts.choices import LayoutChoice
from dynamo_lab.model.logs import LogRecord
from dynamo_lab.model.lowering import Autotuning, Buffer, CudaGraphs, Lowering
from dynamo_lab.model.packages import Export, Package, PackageFailure
from dynamo_lab.model.passes import Pass, Pattern, Pipeline
from dynamo_lab.model.ranks.ranks import Rank
from dynamo_lab.model.ranks.redistributions import Redistribution
from dynamo_lab.model.ranks.splits import Split
from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.model.steps import StepTable
from dynamo_lab.model.timings import CacheCheck, Timing


class StepSource(Protocol):
    """Steps while they are recorded."""

    def freeze(self) -> StepTable:
        """The steps so far."""
        ...


class CallKeeper(Protocol):
    """Operator calls while they are recorded."""

    def freeze(self, *, is_done: bool) -> Decompositions:
        """The calls so far; after the recording, with what each becomes once somebody looks."""
        ...


class RankSource(Protocol):
    """What is known of the process as a rank of a distributed job; `model` of what it trains."""

    model: Any
    backwards: Any
    """When backwards ran, where collectives are called by threads of autograd; else None."""

    outside: Any
    """The collectives that it calls on groups that it is not in."""

    def freeze(self) -> Rank:
        """What is known so far; spans and stacks go to the recorder's texts."""
        ...

    def ending_groups(self) -> None:
        """The program is about to end its groups."""
        ...

    def wrapped(self, module: Any) -> None:
        """The code that now runs has wrapped a module in DDP."""
        ...

    def reduced(self) -> None:
        """A backward is over, in which modules under DDP may have reduced their gradients."""
        ...


class Recorder:
    """Facts so far. Probes of several threads write here, each under `lock`.

    `on_phase` is called with the name of each phase of compilation that starts. Steps are recorded
    if `steps` is given, and of PyTorch's logs those that `asked_logs` names as `TORCH_LOGS` would.

    Live objects for later questions (`checks`, `joints`, `written`) are put here by the probes that
    make them, and read by whoever needs them: the recorder only holds them.
    """

    def __init__(
        self,
        title: str,
        cell_label: Callable[[str], str | None] = lambda path: None,
        clock: Callable[[], float] = time.perf_counter,
        steps: StepSource | None = None,
        asked_logs: str = "",
    ) -> None:
        self.title = title
        self.asked_logs = asked_logs
        self.target = ""
        self.lock = threading.RLock()
        self.texts = Texts(cell_label)
        self.frames: list[Frame] = []
        self.breaks: list[Break] = []
        self.guards: list[Guard] = []
        self.guard_times: list[GuardTime] = []
        self.recompiles: list[Recompile] = []
        self.refusals: list[Refusal] = []
        self.symbols: list[Symbol] = []
        self.shape_facts: list[ShapeFact] = []
        self.graphs: list[Graph] = []
        self.redistributions: list[Redistribution] = []
        self.splits: list[Split] = []
        self.attentions: list[Attention] = []
        self.fast_paths: list[FastPath] = []
        self.partitions: list[Partition] = []
        self.kernels: list[Kernel] = []
        self.wrappers: list[Wrapper] = []
        self.lowerings: list[Lowering] = []
        self.lab_graphs: list[LabGraph] = []
        self.buffers: list[Buffer] = []
        self.layout_choices: list[LayoutChoice] = []
        self.schedules: list[Schedule] = []
        self.memory_plans: list[MemoryPlan] = []
        self.cuda_graphs: list[CudaGraphs] = []
        self.cuda_trees: Callable[[], tuple[CudaTrees, ...]] = tuple
        self.autotunings: list[Autotuning] = []
        self.cuda_graphs_of_target: tuple[tuple[bool, bool], frozenset[int]] = (
            (False, False),
            frozenset(),
        )
        self.exports: list[Export] = []
        self.packages: list[Package] = []
        self.package_failures: list[PackageFailure] = []
        self.logs: list[LogRecord] = []
        self.links: list[LinkTable] = []
        self.timings: list[Timing] = []
        self.peaks = Peaks()
        self.unrolled: list[Loop] = []
        self.caches: list[CacheCheck] = []
        self.pipelines: list[Pipeline] = []
        self.passes: list[Pass] = []
        self.patterns: list[Pattern] = []
        self.steps = steps
        self.notes: list[Note] = []
        self.checks: Any = None
        self.joints: dict[int, Any] = {}
        self.export_calls: dict[int, Any] = {}
        self.written: dict[int, Any] = {}
        self.decompositions: CallKeeper | None = None
        self.failure: Failure | None = None
        self.rank: RankSource | None = None
        self.options: dict[str, str] = {}
        self.on_phase: Callable[[str], None] = lambda name: None
        self.clock = clock
        self.started = clock()
        self.stopped: float | None = None

    def now(self) -> float:
        """Seconds since the recording started."""
        return self.clock() - self.started

    def update(self, table: list[Any], index: int, **changes: Any) -> None:
        """Replace a fact by one with these fields changed."""
        with self.lock:
            table[index] = msgspec.structs.replace(table[index], **changes)

    def note_failure(self, about: str, error: BaseException) -> None:
        """Record a probe's failure, once for each probe and message."""
        if isinstance(error, AbsentError):
            if all(note.about != error.path for note in self.notes):
                self.note_absent(error.path, str(error))
            return
        text = "".join(traceback.format_exception(error))
        note = Note(
            level="failure",
            about=about,
            message=f"The recording misses what `{about}` saw: {type(error).__name__}: {error}",
            traceback=text,
        )
        with self.lock:
            if all((note.about, note.message) != (n.about, n.message) for n in self.notes):
                self.notes.append(note)

    def note_absent(self, path: str, sentence: str) -> None:
        """Record that this PyTorch lacks a private name, with the latest message."""
        with self.lock:
            others = [note for note in self.notes if note.about != path]
            self.notes[:] = [*others, Note(level="warning", about=path, message=sentence)]

    def fail(self, error: BaseException, *, caught: bool = False) -> None:
        """Record the exception that ended the recorded program, or that it is about to catch.

        Of those that it catches the first counts, as long as none ends it.
        """
        if caught and self.failure is not None:
            return
        self.failure = Failure(
            type=type(error).__name__,
            message=str(error),
            traceback="".join(traceback.format_exception(error)),
            span=self._place(error),
            caught=caught,
        )

    def _place(self, error: BaseException) -> int | None:
        """The user's innermost line, unless only compiled code knows it."""
        # Dynamo's errors carry the user's stack, because they are raised far from the user's code
        stack = [one for one in REAL_STACK.of(error) or () if self.texts.is_users(one.filename)]
        if stack:
            return self.texts.span_of_summary(stack[-1])
        steps = list(traceback.walk_tb(error.__traceback__))
        # a limit of its own, because `sys.tracebacklimit` would leave steps out
        told = traceback.extract_tb(error.__traceback__, limit=len(steps))
        own = [
            (one, at)
            for one, at in zip(told, steps, strict=True)
            if self.texts.is_users(one.filename)
        ]
        of_node = self._line_of_node(error)
        # a refused kernel of a backward is raised where the user calls for all of the gradients
        is_ours = of_node is not None and isinstance(error, DynamoLabError)
        if is_ours or not own or _runs_graph(*own[-1][1]):
            return of_node
        return self.texts.span_of_summary(own[-1][0])

    def _line_of_node(self, error: BaseException) -> int | None:
        """The user's line of the node that a backend was at: FX tells it at the message's end."""
        _, told, stack = str(error).rpartition("\nOriginal traceback:\n")
        return self.texts.users_span_of_text(stack) if told else None

    def stop(self) -> None:
        """Fix the length of the recording."""
        self.stopped = self.now()
        for frame in self.frames:
            if frame.outcome == "compiling":  # `aot_compile` captures without Dynamo's compilation
                captured = bool(frame.attempts) and frame.attempts[-1].outcome == "compiled"
                self.update(self.frames, frame.id, outcome="compiled" if captured else "skipped")

    def freeze(self) -> Recording:
        """What is known now, as a separate recording."""
        with self.lock:
            rank = self._rank()  # first, because it may add lines
            cuda_trees = self.cuda_trees()
            sources, spans, stacks = self.texts.freeze()
            return Recording(
                title=self.title,
                target=self.target,
                state="recording" if self.stopped is None else "done",
                sources=sources,
                spans=spans,
                stacks=stacks,
                frames=tuple(self.frames),
                breaks=tuple(self.breaks),
                guards=tuple(self.guards),
                guard_times=tuple(self.guard_times),
                recompiles=tuple(self.recompiles),
                refusals=tuple(self.refusals),
                symbols=tuple(self.symbols),
                shape_facts=tuple(self.shape_facts),
                graphs=tuple(self.graphs),
                redistributions=tuple(self.redistributions),
                splits=tuple(self.splits),
                attentions=tuple(self.attentions),
                fast_paths=tuple(self.fast_paths),
                partitions=tuple(self.partitions),
                kernels=tuple(self.kernels),
                wrappers=tuple(self.wrappers),
                lowerings=tuple(self.lowerings),
                lab_graphs=tuple(self.lab_graphs),
                buffers=tuple(self.buffers),
                layout_choices=tuple(self.layout_choices),
                schedules=tuple(self.schedules),
                memory_plans=tuple(self.memory_plans),
                cuda_graphs=tuple(self.cuda_graphs),
                cuda_trees=cuda_trees,
                autotunings=tuple(self.autotunings),
                exports=tuple(self.exports),
                packages=tuple(self.packages),
                package_failures=tuple(self.package_failures),
                logs=tuple(self.logs),
                links=tuple(self.links),
                timings=tuple(self.timings),
                compile_memory=self.peaks.told(),
                unrolled=tuple(self.unrolled),
                caches=tuple(self.caches),
                pipelines=tuple(self.pipelines),
                passes=tuple(self.passes),
                patterns=tuple(self.patterns),
                decompositions=self._calls(),
                film=self.steps.freeze() if self.steps else None,
                notes=tuple(self.notes),
                environment=describe_environment(self.options),
                failure=self.failure,
                rank=rank,
                seconds=self.now() if self.stopped is None else self.stopped,
            )

    def _rank(self) -> Rank | None:
        if self.rank is None:
            return None
        try:
            return self.rank.freeze()
        except Exception as error:
            self.note_failure("ranks", error)
            return None

    def _calls(self) -> Decompositions:
        if self.decompositions is None:
            return Decompositions()
        return self.decompositions.freeze(is_done=self.stopped is not None)

    @property
    def recording(self) -> Recording:
        """The recording of what happened so far."""
        return self.freeze()


def _runs_graph(frame: FrameType, line: int) -> bool:
    """Whether code that Dynamo wrote was in a graph: it has only the function's first line then.

    Of a function of one line that is the right one, graph or not.
    """
    code = frame.f_code
    is_dynamos = any(name.startswith("__compiled_fn") for name in code.co_names)
    return is_dynamos and line == code.co_firstlineno and not _has_one_line(code)


def _has_one_line(written: CodeType) -> bool:
    """Whether the code that Dynamo wrote this for has one line."""
    code = ORIGINAL_CODES.get().get(written)
    return code is not None and len({line for *_, line in code.co_lines() if line}) == 1
