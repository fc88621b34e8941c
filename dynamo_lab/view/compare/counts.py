"""What two recordings are counted by; None where a recording cannot know it."""

from collections.abc import Callable

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.compare.misses import frames_that_matter
from dynamo_lab.view.guards.compilations import recompilations
from dynamo_lab.view.guards.order import in_order
from dynamo_lab.view.timings.timings import compile_seconds

SECONDS = "compile seconds"


def _kept(recording: Recording) -> int | None:
    """The bytes that are kept for the backward, if it is known how it was cut off."""
    if not recording.partitions and any(graph.is_backward for graph in recording.graphs):
        return None
    return sum(part.activation_bytes for part in recording.partitions)


def _run_again(recording: Recording) -> int | None:
    if _kept(recording) is None:
        return None
    return sum(not item.is_free for part in recording.partitions for item in part.recomputed)


COUNTS: dict[str, Callable[[Recording], float | None]] = {
    "frames": lambda r: len(frames_that_matter(r)),
    "graphs": lambda r: len(r.captured_graphs()),
    "breaks": lambda r: len(r.breaks),
    "guards": lambda r: len(in_order(r.guards)),
    "recompiles": recompilations,
    "operators": lambda r: sum(graph.operators for graph in r.captured_graphs()),
    "kernels": lambda r: len(r.kernels),
    "bytes kept": _kept,
    "run again": _run_again,
    SECONDS: compile_seconds,
}
