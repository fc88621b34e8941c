"""The whole view of a recording: what each renderer draws."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import artifacts, packages
from dynamo_lab.view.artifacts import ArtifactView
from dynamo_lab.view.attention import attention
from dynamo_lab.view.attention.attention import AttentionView
from dynamo_lab.view.autograd import autograd
from dynamo_lab.view.autograd.autograd import PartitionView
from dynamo_lab.view.benchmarks import benchmarks
from dynamo_lab.view.benchmarks.benchmarks import BenchView
from dynamo_lab.view.bisections import bisections
from dynamo_lab.view.bisections.bisections import BisectionView
from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.breaks.stories import StoryView
from dynamo_lab.view.choices import choices
from dynamo_lab.view.choices.choice import ChoiceRow
from dynamo_lab.view.code import code, expressions
from dynamo_lab.view.code.code import SourceView
from dynamo_lab.view.code.expressions import ExpressionsView
from dynamo_lab.view.compiler import compiler
from dynamo_lab.view.compiler.compiler import CompilerView
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.links import LinksView
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.decompositions import decompositions
from dynamo_lab.view.decompositions.decompositions import DecompositionsView
from dynamo_lab.view.fast_path import fast_path
from dynamo_lab.view.fast_path.fast_path import FastPathView
from dynamo_lab.view.findings import findings
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.findings import FindingsView
from dynamo_lab.view.frames import frames, run_map
from dynamo_lab.view.frames.frames import FrameView
from dynamo_lab.view.frames.run_map import MapRow
from dynamo_lab.view.fusion import fusion
from dynamo_lab.view.fusion.fusion import FusionsView
from dynamo_lab.view.graphs import graphs
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.guards import guards, symbols
from dynamo_lab.view.guards.guards import GuardsView
from dynamo_lab.view.guards.symbols import ShapesView
from dynamo_lab.view.help.help import READINGS, Reading
from dynamo_lab.view.kernels import kernels
from dynamo_lab.view.kernels.kernels import KernelsView
from dynamo_lab.view.logs import logs
from dynamo_lab.view.logs.logs import LogsView
from dynamo_lab.view.lowering import lowering
from dynamo_lab.view.lowering.lowering import LoweringsView
from dynamo_lab.view.modules import modules
from dynamo_lab.view.modules.modules import ModulesView
from dynamo_lab.view.packages import PackageView
from dynamo_lab.view.passes import passes
from dynamo_lab.view.passes.passes import PassesView
from dynamo_lab.view.playground import DRAFT
from dynamo_lab.view.steps import steps
from dynamo_lab.view.steps.steps import StepsView
from dynamo_lab.view.summary import summary
from dynamo_lab.view.summary.summary import Summary
from dynamo_lab.view.timings import timings
from dynamo_lab.view.timings.timings import TimelineView
from dynamo_lab.view.tiny import tiny
from dynamo_lab.view.tiny.tiny import TrainingView


class NoteView(Struct, frozen=True, kw_only=True):
    """A note of the recorder, with its details."""

    level: str
    about: str
    message: str
    details: str = ""


class View(Struct, frozen=True, kw_only=True):
    """Everything to show of one recording. `main_source` is the index in `sources` shown first.

    `is_draft` is one of a text that was changed in the playground.
    """

    summary: Summary
    sources: tuple[SourceView, ...]
    main_source: int
    breaks: tuple[BreakView, ...]
    frames: tuple[FrameView, ...]
    graphs: tuple[GraphView, ...]
    guards: GuardsView
    shapes: ShapesView
    kernels: KernelsView
    timeline: TimelineView
    links: LinksView
    notes: tuple[NoteView, ...]
    environment: tuple[tuple[str, str], ...]
    expressions: ExpressionsView = ExpressionsView()
    passes: PassesView = PassesView()
    steps: StepsView | None = None
    stories: tuple[StoryView, ...] = ()
    run_map: tuple[MapRow, ...] = ()
    partitions: tuple[PartitionView, ...] = ()
    attentions: tuple[AttentionView, ...] = ()
    fast_paths: tuple[FastPathView, ...] = ()
    choices: tuple[ChoiceRow, ...] = ()
    decompositions: DecompositionsView = DecompositionsView()
    lowering: LoweringsView = LoweringsView()
    compiler: CompilerView = CompilerView()
    fusions: FusionsView = FusionsView()
    packages: tuple[PackageView, ...] = ()
    bench: BenchView | None = None
    bisection: BisectionView | None = None
    artifacts: tuple[ArtifactView, ...] = ()
    logs: LogsView = LogsView()
    readings: tuple[Reading, ...] = READINGS
    findings: FindingsView = FindingsView()
    modules: ModulesView = ModulesView()
    training: TrainingView | None = None
    is_draft: bool = False


def build(recording: Recording) -> View:
    """Everything to show of a recording, computed once for all renderers."""
    places = Places(recording)
    linked = links.build(recording)
    ancestry = Ancestry(linked)
    regions = Regions(recording, places)
    sources, main_source, places = code.seen(recording, places, ancestry, regions)
    frame_views = frames.build(recording, places)
    facts = Facts(recording, places, regions, ancestry)
    lowered = lowering.build(recording, places)
    graph_views = graphs.build(recording)
    attentions = attention.build(recording, places, ancestry)
    fast_paths = fast_path.build(recording, places)
    fusions = fusion.build(recording, places, ancestry)
    return View(
        summary=summary.build(recording, places, regions),
        sources=sources,
        main_source=main_source,
        breaks=facts.breaks,
        frames=frame_views,
        graphs=graph_views,
        guards=guards.build(recording, places),
        shapes=symbols.build(recording, places),
        kernels=kernels.build(recording, places, ancestry),
        timeline=timings.build(recording, places),
        links=linked,
        expressions=expressions.build(recording),
        notes=tuple(_note(note) for note in recording.notes),
        environment=tuple(_environment(recording.environment)),
        passes=passes.build(recording, places),
        steps=steps.build(recording, places),
        stories=facts.stories,
        run_map=run_map.build(recording, places, frame_views, facts.breaks, facts.stories),
        partitions=autograd.build(recording, places),
        attentions=attentions,
        fast_paths=fast_paths,
        choices=choices.build(recording, places, attentions, fast_paths, fusions, ancestry),
        decompositions=decompositions.build(recording, places),
        lowering=lowered,
        compiler=compiler.build(recording, places, lowered),
        fusions=fusions,
        packages=packages.build(recording),
        bench=benchmarks.build(recording, places, facts.kernel_times),
        bisection=bisections.build(recording, places, ancestry),
        artifacts=artifacts.build(recording),
        logs=logs.build(recording, places),
        findings=findings.build(facts),
        modules=modules.build(recording, places, graph_views),
        training=tiny.build(recording, places),
        is_draft=DRAFT in recording.environment.options,
    )


def _note(note: Note) -> NoteView:
    return NoteView(
        level=note.level, about=note.about, message=note.message, details=note.traceback
    )


_FIELDS = (
    ("python", "Python"),
    ("torch", "PyTorch"),
    ("triton", "Triton"),
    ("dynamo_lab", "dynamo_lab"),
    ("platform", "platform"),
    ("processor", "processor"),
    ("created", "recorded"),
)


def _environment(environment: Environment) -> Iterator[tuple[str, str]]:
    """What is known, as label and value."""
    for field, label in _FIELDS:
        if value := getattr(environment, field):
            yield label, value
    if environment.threads:
        yield "threads", str(environment.threads)
    if environment.accelerators:
        yield "accelerators", ", ".join(environment.accelerators)
    yield from environment.options.items()
