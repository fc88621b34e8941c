"""Seconds of compiling that a remedy would save, replayed from what was measured."""

import math
from collections.abc import Collection

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.findings.finding import Facts, Gain
from dynamo_lab.view.timings.costs import pieces
from dynamo_lab.view.timings.timings import compile_seconds, waited_seconds

_SCALE = ("create_aot_", "aot_", "_recursive_", "pass.", "Scheduler.__init__")
"""Phases that work on every node: their time is known as a whole alone, and is shared by nodes."""


def phase_seconds(recording: Recording, prefixes: tuple[str, ...]) -> float:
    """The seconds of the phases with these names, without what is nested in them."""
    own = [timing.seconds for timing in recording.timings]
    for timing in recording.timings:
        if timing.parent >= 0 and recording.timings[timing.parent].thread == timing.thread:
            own[timing.parent] -= timing.seconds
    named = zip(recording.timings, own, strict=True)
    return sum(max(0.0, spent) for timing, spent in named if timing.name.startswith(prefixes))


def of_repeats(facts: Facts, nodes: Collection[NodeKey], share: float, times: int) -> Gain | None:
    """What is saved if that which these nodes do `times` times is compiled once."""
    recording = facts.recording
    before = compile_seconds(recording)
    waited = waited_seconds(recording)
    own = (p for p in pieces(recording, waited) if p.work != "building")
    spent = sum(piece.seconds for piece in own if (piece.graph, piece.node) in nodes)
    spent += share * phase_seconds(recording, _SCALE)
    saved = spent * (1 - 1 / times) + _builds(recording, nodes, waited, times)
    if not 0 < saved < before:
        return None
    how = f"replayed: what was measured at its nodes, once instead of {times:,} times"
    return Gain(metric="seconds of compiling", before=before, after=before - saved, how=how)


def _builds(recording: Recording, nodes: Collection[NodeKey], waited: float, times: int) -> float:
    """Kernels of these nodes alone are fewer then. One that does more is built all the same."""
    inside = [
        kernel.built_in or 0.0
        for kernel in recording.kernels
        if kernel.nodes and all((kernel.graph, node) in nodes for node in kernel.nodes)
    ]
    built = sum(kernel.built_in or 0.0 for kernel in recording.kernels)
    if not inside or not built:
        return 0.0
    left = math.ceil(len(inside) / times) / len(inside)
    return sum(inside) * (1 - left) * min(1.0, waited / built)
