"""The recording: everything recorded of one run."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.assembly import Assembly
from dynamo_lab.model.attention.calls import Attention
from dynamo_lab.model.autograd import Partition
from dynamo_lab.model.benchmarks import Benchmark
from dynamo_lab.model.bisections import Bisection
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.compiler import LabGraph
from dynamo_lab.model.core.artifacts import Artifact
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.core.references import Ref
from dynamo_lab.model.core.sources import Source, Span, Stack
from dynamo_lab.model.cuda_graphs.trees import CudaTrees
from dynamo_lab.model.decompositions import Decompositions
from dynamo_lab.model.fast_path.calls import FastPath
from dynamo_lab.model.frames import Frame, Loop
from dynamo_lab.model.fusion.fusion import Fusion, Schedule, fusions
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
from dynamo_lab.model.steps import StepTable
from dynamo_lab.model.timings import CacheCheck, CompileMemory, Timing, WarmStart
from dynamo_lab.model.tiny import Training


class Failure(Struct, frozen=True, kw_only=True):
    """The exception that ended the recorded program, as text. `span` is the user's line.

    One that is `caught` did not end it: what failed was PyTorch's, and the program went on.
    """

    type: str
    message: str
    traceback: str
    span: Annotated[int | None, Ref("spans")] = None
    caught: bool = False


class Recording(Struct, frozen=True, kw_only=True):
    """Everything recorded of one run: immutable, and saved as one JSON file.

    Ids of frames, breaks, graphs, partitions, buffers, kernels and wrappers are their positions in
    these tuples; spans and stacks are shared, so that other facts name them by index. `target` is
    what the program was lowered for, if its code was not built or run.
    """

    title: str
    target: str = ""
    state: Literal["recording", "done"] = "done"
    sources: tuple[Source, ...] = ()
    spans: tuple[Span, ...] = ()
    stacks: tuple[Stack, ...] = ()
    frames: tuple[Frame, ...] = ()
    breaks: tuple[Break, ...] = ()
    guards: tuple[Guard, ...] = ()
    guard_times: tuple[GuardTime, ...] = ()
    recompiles: tuple[Recompile, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    shape_facts: tuple[ShapeFact, ...] = ()
    graphs: tuple[Graph, ...] = ()
    redistributions: tuple[Redistribution, ...] = ()
    splits: tuple[Split, ...] = ()
    attentions: tuple[Attention, ...] = ()
    fast_paths: tuple[FastPath, ...] = ()
    partitions: tuple[Partition, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    lowerings: tuple[Lowering, ...] = ()
    lab_graphs: tuple[LabGraph, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    layout_choices: tuple[LayoutChoice, ...] = ()
    schedules: tuple[Schedule, ...] = ()
    memory_plans: tuple[MemoryPlan, ...] = ()
    cuda_graphs: tuple[CudaGraphs, ...] = ()
    cuda_trees: tuple[CudaTrees, ...] = ()
    autotunings: tuple[Autotuning, ...] = ()
    exports: tuple[Export, ...] = ()
    packages: tuple[Package, ...] = ()
    package_failures: tuple[PackageFailure, ...] = ()
    assemblies: tuple[Assembly, ...] = ()
    links: tuple[LinkTable, ...] = ()
    timings: tuple[Timing, ...] = ()
    compile_memory: CompileMemory | None = None
    unrolled: tuple[Loop, ...] = ()
    caches: tuple[CacheCheck, ...] = ()
    warm_start: WarmStart | None = None
    pipelines: tuple[Pipeline, ...] = ()
    passes: tuple[Pass, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    film: StepTable | None = None
    decompositions: Decompositions = Decompositions()
    benchmark: Benchmark | None = None
    bisection: Bisection | None = None
    training: Training | None = None
    artifacts: tuple[Artifact, ...] = ()
    logs: tuple[LogRecord, ...] = ()
    notes: tuple[Note, ...] = ()
    environment: Environment = Environment()
    failure: Failure | None = None
    rank: Rank | None = None
    seconds: float = 0.0

    @property
    def fusions(self) -> tuple[Fusion, ...]:
        """Every verdict on a pair, in every schedule."""
        return tuple(found for schedule in self.schedules for found in fusions(schedule))

    def captured_graphs(self) -> tuple[Graph, ...]:
        """The graphs that Dynamo captured, without the bodies of higher-order operators."""
        return tuple(g for g in self.graphs if g.stage == "dynamo" and g.parent is None)
