"""A recording session: installs every probe, and removes every one again."""

import functools
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

from dynamo_lab.capture.attention import hooks as attention_hooks
from dynamo_lab.capture.attention.attention import AttentionProbes
from dynamo_lab.capture.autograd import hooks as autograd_hooks
from dynamo_lab.capture.autograd.autograd import AutogradProbes
from dynamo_lab.capture.breaks import hooks as breaks_hooks
from dynamo_lab.capture.breaks.breaks import BreakProbes
from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core import hooks as core_hooks
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches, Probes
from dynamo_lab.capture.core.private import missing_in
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.timings import TimingProbes
from dynamo_lab.capture.core.undo import Changes, Undo
from dynamo_lab.capture.decompositions import hooks as decompositions_hooks
from dynamo_lab.capture.decompositions.decompositions import DecompositionProbes
from dynamo_lab.capture.fast_path import hooks as fast_path_hooks
from dynamo_lab.capture.fast_path.fast_path import FastPathProbes
from dynamo_lab.capture.frames import hooks as frames_hooks
from dynamo_lab.capture.frames.assumed import AssumedProbes
from dynamo_lab.capture.frames.frames import FrameProbes
from dynamo_lab.capture.frames.stances import StanceProbe
from dynamo_lab.capture.graphs import hooks as graphs_hooks
from dynamo_lab.capture.graphs.caches import CacheProbes
from dynamo_lab.capture.graphs.expressions import ExpressionProbes
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.capture.graphs.scalars import ScalarProbes
from dynamo_lab.capture.graphs.tracing import TracingProbes
from dynamo_lab.capture.guards import hooks as guards_hooks
from dynamo_lab.capture.guards.guards import GuardProbes
from dynamo_lab.capture.guards.live_guards import Checks
from dynamo_lab.capture.guards.refusals import RefusalProbes
from dynamo_lab.capture.guards.symbols import SymbolProbes
from dynamo_lab.capture.kernels.announced import AnnouncedProbes
from dynamo_lab.capture.logs import hooks as logs_hooks
from dynamo_lab.capture.logs.live import LogProbes
from dynamo_lab.capture.lowering import hooks as lowering_hooks
from dynamo_lab.capture.lowering.imported import when_imported
from dynamo_lab.capture.packages.exports import ExportProbes
from dynamo_lab.capture.packages.packaging import PackagingProbes
from dynamo_lab.capture.ranks.backwards import BackwardProbes
from dynamo_lab.capture.ranks.members import MemberProbes
from dynamo_lab.capture.ranks.meshes import MeshProbes
from dynamo_lab.capture.ranks.models import ModelProbes
from dynamo_lab.capture.ranks.redistributions import RedistributionProbes
from dynamo_lab.capture.ranks.reducers import ReducerProbes
from dynamo_lab.capture.ranks.splits import SplitProbes
from dynamo_lab.capture.steps import hooks as steps_hooks
from dynamo_lab.capture.steps.columns import StepColumns
from dynamo_lab.capture.steps.steps import StepProbes
from dynamo_lab.errors import AlreadyRecordingError

R = TypeVar("R", bound=Recorder)

_TABLES = (
    core_hooks,
    frames_hooks,
    breaks_hooks,
    guards_hooks,
    graphs_hooks,
    attention_hooks,
    fast_path_hooks,
    autograd_hooks,
    decompositions_hooks,
)
"""The private names that every recording depends on."""

_running: dict[str, Undo] = {}
"""The recording that runs: probes sit on functions of the whole process, so one at a time."""


class Watch(Changes[R]):
    """Records into a recorder whatever compiles in a block; what the block raises is its failure.

    Raises:
        AlreadyRecordingError: another recording is running.
    """

    def __init__(self, recorder: R, make: Callable[[Undo], R]) -> None:
        super().__init__(make)
        self._recorder = recorder

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is not None:
                self._recorder.fail(error)
        finally:
            self.close()


def watch(
    recorder: R, *, fresh: bool = True, first: Callable[[Undo], None] = lambda undo: None
) -> Watch[R]:
    """Record into `recorder` whatever compiles in the block, in any thread.

    With `fresh`, Dynamo first forgets what it has compiled, so that code compiled before is traced
    again. `first` makes changes that the probes are put around. Afterwards every watched function
    and setting is restored.
    """

    def make(undo: Undo) -> R:
        _take_turn(undo)
        first(undo)
        compat.skip_our_frames(undo)
        undo.add(recorder.stop)
        tables = list(_TABLES)
        undo.add(_note_missing, recorder, tables)
        _install(recorder, undo, tables)
        if fresh:
            compat.forget_compiled_code()
        return recorder

    return Watch(recorder, make)


def _take_turn(undo: Undo) -> None:
    undo.add(_end_turn, undo)
    if _running.setdefault("recording", undo) is not undo:
        raise AlreadyRecordingError(
            "A recording is running already: end it before you start another, "
            "or make both parts of one `with dynamo_lab.record():`."
        )


def _end_turn(undo: Undo) -> None:
    if _running.get("recording") is undo:
        del _running["recording"]


def _install(recorder: Recorder, undo: Undo, tables: list[ModuleType]) -> None:
    """Install the probes, and later those of Inductor."""
    patches = Patches(recorder.note_failure, recorder.lock, undo)
    compilations = Compilations()
    breaks = BreakProbes(recorder, compilations)
    frames = FrameProbes(recorder, compilations, breaks)
    graphs = GraphProbes(recorder, compilations)
    recorder.checks = Checks()
    recorder.decompositions = decompositions = DecompositionProbes()
    graphs.on_splitting = SplitProbes(recorder, compilations).install
    expressions = ExpressionProbes(recorder, compilations, graphs)
    attention = AttentionProbes(recorder)
    graphs.on_recorded = (decompositions.recorded, attention.recorded, expressions.recorded)
    tracing = TracingProbes(recorder, undo)
    meshes, models = MeshProbes(recorder), ModelProbes(recorder, undo)
    graphs.on_captured = (tracing.captured, meshes.captured, models.captured)
    caches = CacheProbes(recorder, compilations, graphs)
    exports = ExportProbes(recorder, graphs, undo)
    frames.install(patches, undo)
    install = functools.partial(_install_one, recorder, patches)
    stances = StanceProbe(recorder)
    install(stances)
    install(RefusalProbes(recorder, frames.of_call, stances))
    install(AssumedProbes(recorder))
    if isinstance(recorder.steps, StepColumns):
        tables.append(steps_hooks)
        install(StepProbes(recorder, compilations, recorder.steps))
    if recorder.asked_logs:
        tables.append(logs_hooks)
        install(LogProbes(recorder, recorder.asked_logs, undo))
    for probes in (
        breaks,
        GuardProbes(recorder, compilations, frames.frame, frames.failed),
        graphs,
        ScalarProbes(compilations, graphs.replaced),
        AutogradProbes(recorder, graphs),
        FastPathProbes(recorder, compilations),
        decompositions,
        SymbolProbes(recorder, compilations),
        TimingProbes(recorder, compilations),
        tracing,
        expressions,
        caches,
        exports,
        PackagingProbes(recorder),
        RedistributionProbes(recorder, compilations),
        meshes,
        models,
        ReducerProbes(recorder),
        MemberProbes(recorder, undo),
        BackwardProbes(recorder),
        AnnouncedProbes(recorder, graphs, undo),
    ):
        install(probes)

    @functools.cache
    def watch_inductor() -> None:
        from dynamo_lab.capture import inductor  # which most backends never need

        tables.extend(inductor.TABLES)
        for probes in inductor.probes(recorder, compilations, graphs, exports):
            install(probes)
        caches.install_inductor(patches)

    if lowering_hooks.COMPILE_FX.is_loaded:
        watch_inductor()
    else:
        when_imported(patches, undo, watch_inductor)


def _install_one(recorder: Recorder, patches: Patches, probes: Probes) -> None:
    """Install probes; those that this PyTorch does not support become a note."""
    try:
        probes.install(patches)
    except Exception as error:
        recorder.note_failure(type(probes).__name__, error)


def _note_missing(recorder: Recorder, tables: list[ModuleType]) -> None:
    """Report which names this PyTorch lacks that the recording depends on."""
    for path, sentence in missing_in(tables).items():
        recorder.note_absent(path, sentence)
