"""A recording session: installs every probe, and takes every one away again."""

import functools
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

from dynamo_lab.capture.autograd.autograd import AutogradProbes
from dynamo_lab.capture.breaks.breaks import BreakProbes
from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.timings import TimingProbes
from dynamo_lab.capture.frames.frames import FrameProbes
from dynamo_lab.capture.fusion.fusion import FusionProbes
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.capture.guards.guards import GuardProbes
from dynamo_lab.capture.guards.symbols import SymbolProbes
from dynamo_lab.capture.kernels.kernels import KernelProbes
from dynamo_lab.capture.kernels.statements import StatementProbes
from dynamo_lab.capture.lowering.buffers import BufferProbes
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.capture.lowering.stamps import Stamps
from dynamo_lab.capture.packages.packages import PackageProbes, watch_import
from dynamo_lab.capture.passes.passes import PassProbes
from dynamo_lab.capture.steps.steps import StepProbes
from dynamo_lab.errors import AlreadyRecordingError
from dynamo_lab.model.core.notes import Note

_recording = threading.Lock()  # probes sit on functions of the whole process, so one at a time


@contextmanager
def watch(recorder: Recorder[Any], *, fresh: bool = True) -> Generator[None, None, None]:
    """Record into `recorder` whatever compiles in the body, in any thread.

    With `fresh`, Dynamo first forgets what it has compiled, so that code compiled before is looked
    at again. Afterwards every watched function and setting is what it was.

    Raises:
        AlreadyRecordingError: another recording is running.
    """
    if not _recording.acquire(blocking=False):
        raise AlreadyRecordingError(
            "A recording is running already: end it before you start another, "
            "or make both parts of one `with dynamo_lab.record():`."
        )
    try:
        with ExitStack() as stack:
            stack.enter_context(compat.our_frames_skipped())
            patches = Patches(recorder.note_failure, recorder.lock)
            stack.callback(recorder.stop)
            stack.callback(patches.undo)
            for undo in _install(recorder, patches):
                stack.callback(undo)
            if fresh:
                compat.forget_compiled_code()
            yield
    finally:
        _recording.release()


def _install(recorder: Recorder[Any], patches: Patches) -> list[Callable[[], None]]:
    compilations = Compilations()
    breaks = BreakProbes(recorder, compilations)
    frames = FrameProbes(recorder, compilations, breaks)
    graphs = GraphProbes(recorder, compilations)
    graphs.on_recorded = recorder.decompositions.recorded
    undo = [frames.install(patches)]
    if recorder.reel is not None:
        StepProbes(recorder, compilations, recorder.reel).install(patches)
    for probes in (
        breaks,
        GuardProbes(recorder, compilations, frames.frame),
        graphs,
        AutogradProbes(recorder, graphs),
        recorder.decompositions,
        SymbolProbes(recorder, compilations),
        TimingProbes(recorder, compilations),
    ):
        probes.install(patches)

    @functools.cache
    def watch_inductor() -> None:
        lowering = LoweringProbes(graphs)
        lowering.install(patches)
        Stamps().install(patches)
        BufferProbes(recorder, graphs, lowering).install(patches)
        kernels = KernelProbes(recorder, compilations, lowering)
        kernels.install(patches)
        fusion = FusionProbes(recorder, graphs, lowering)
        fusion.install(patches)
        kernels.on_called = fusion.called
        StatementProbes(recorder, lowering, kernels).install(patches)
        PassProbes(recorder, compilations, lowering).install(patches)  # around what records graphs
        PackageProbes(recorder, graphs).install(patches)
        _note_missing(recorder, patches)

    if "torch._inductor.compile_fx" in sys.modules:
        watch_inductor()
    else:  # importing it takes longer than showing the first graph, so first things first
        graphs.before_backend = watch_inductor
        watch_import(patches, watch_inductor)
    return undo


def _note_missing(recorder: Recorder[Any], patches: Patches) -> None:
    recorder.notes.extend(
        Note(
            level="warning",
            about=name,
            message=f"This PyTorch has no `{name}`, so what it would tell is not recorded.",
        )
        for name in patches.missing
    )
