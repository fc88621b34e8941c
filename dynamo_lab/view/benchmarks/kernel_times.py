"""Kernel by kernel: what each program's kernels take, and what of a call they leave."""

from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.measure.statistics import Spread, spread
from dynamo_lab.model.benchmarks import Benchmark, Group, KernelTime, Overhead, Phase
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.kernel_groups import Context, KernelGroupView, group_view, ranked
from dynamo_lab.view.benchmarks.time_marks import (
    calls_of,
    kernel_texts,
    line_times,
    node_times,
    overhead_of,
)
from dynamo_lab.view.benchmarks.timed_nodes import TimedNodes
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import percent, plural, seconds
from dynamo_lab.view.timings.durations import median_text, rounded, summed

PHASES: dict[Phase, str] = {"forward": "forward", "step": "a training step"}
"""How each phase is called."""


class SumPart(Struct, frozen=True, kw_only=True):
    """A part of a whole call."""

    name: str
    seconds: float
    text: str
    share: str


class ProgramView(Struct, frozen=True, kw_only=True):
    """The kernels of one way in one phase; `parts` add up to the whole, which `remainder` tells."""

    way: int
    phase: Phase
    title: str
    groups: tuple[KernelGroupView, ...]
    whole: str
    parts: tuple[SumPart, ...]
    remainder: str
    problem: str = ""


class KernelTimesView(Struct, frozen=True, kw_only=True):
    """Programs kernel by kernel, and times where else they are shown.

    `kernels` are (id, text); `nodes` (graph, node, seconds, text) of the kernel that computes a
    node, or of eager's operator; `lines` (source, line, text, explanation).
    """

    programs: tuple[ProgramView, ...] = ()
    kernels: tuple[tuple[int, str], ...] = ()
    nodes: tuple[tuple[int, int, float, str], ...] = ()
    lines: tuple[tuple[int, int, str, str], ...] = ()


def build(
    recording: Recording,
    found: Benchmark,
    places: Places,
    ancestry: Ancestry,
) -> KernelTimesView:
    """The kernels' times, empty where none were measured."""
    nodes = TimedNodes(recording)
    timed = (*found.kernels, *(one for one in found.overheads if one.stubbed or one.problem))
    keys: dict[tuple[int, Phase], None] = dict.fromkeys((one.way, one.phase) for one in timed)
    programs = tuple(
        _program(
            way,
            phase,
            _context(recording, found, places, ancestry, nodes, way, phase),
            is_first=at == 0,
        )
        for at, (way, phase) in enumerate(keys)
    )
    calls = calls_of(found, nodes)
    return KernelTimesView(
        programs=tuple(one for one in programs if one.groups or one.whole),
        kernels=tuple(kernel_texts(calls).items()),
        nodes=tuple(node_times(found, calls)),
        lines=tuple(line_times(recording, places, ancestry, calls)),
    )


def _context(
    recording: Recording,
    found: Benchmark,
    places: Places,
    ancestry: Ancestry,
    nodes: TimedNodes,
    way: int,
    phase: Phase,
) -> Context:
    overhead = overhead_of(found, way, phase)
    return Context(
        recording=recording,
        found=found,
        places=places,
        ancestry=ancestry,
        nodes=nodes,
        whole=spread(overhead.whole) if overhead and overhead.whole else None,
        launch=spread(overhead.launch) if overhead and overhead.launch else None,
    )


def _program(way: int, phase: Phase, context: Context, *, is_first: bool) -> ProgramView:
    found = context.found
    own = {at for at, one in enumerate(found.kernels) if (one.way, one.phase) == (way, phase)}
    groups = [group for group in found.groups if own.intersection(group.kernels)]
    gone = [at for group in found.groups if not group.kernels for at in group.eager]
    if is_first and gone:  # views, and what nobody reads: one row tells of them all
        groups.append(Group(kernels=(), eager=tuple(gone)))
    overhead = overhead_of(found, way, phase)
    parts, remainder = _sum([found.kernels[at] for at in sorted(own)], overhead, context)
    return ProgramView(
        way=way,
        phase=phase,
        title=f"{found.ways[way].name}, {PHASES[phase]}",
        groups=ranked([group_view(group, context) for group in groups]),
        whole=median_text(context.whole) if context.whole else "",
        parts=parts,
        remainder=remainder,
        problem=overhead.problem if overhead else "",
    )


def _sum(
    kernels: Sequence[KernelTime], overhead: Overhead | None, context: Context
) -> tuple[tuple[SumPart, ...], str]:
    """The parts of a whole call, and what is to be said of what they leave."""
    inside = summed([(one.warm, 1) for one in kernels])
    whole = context.whole
    if whole is None or inside is None:
        return (), ""
    stubbed = spread(overhead.stubbed) if overhead and overhead.stubbed else None
    count, calls = len({one.kernel for one in kernels}), sum(one.calls for one in kernels)
    name = (
        plural(count, "kernel") if calls == count else f"{calls} calls of {plural(count, 'kernel')}"
    )
    parts = [_part(name, inside.median, whole)]
    untimed = sum(not one.warm for one in kernels)
    missing = f" {plural(untimed, 'kernel')} could not be timed." if untimed else ""
    if context.found.machine.device not in ("", "cpu"):
        parts += _waits(whole.median - inside.median, whole)
        meanwhile = f" They take {seconds(stubbed.median)} on the processor." if stubbed else ""
        return tuple(parts), f"{_WAITING}{meanwhile}{missing}"
    if stubbed:
        parts.append(_part(_OVERHEAD, stubbed.median, whole))
    left = whole.median - inside.median - (stubbed.median if stubbed else 0.0)
    if left > 0:
        parts.append(_part("not accounted for", left, whole))
    return tuple(parts), _remainder(left, whole, stubbed is not None) + missing


_FITS = 0.1
"""The share of the whole by which its parts may miss it."""

_OVERHEAD = "guards, allocation and Python"
_WAITING = (
    "A GPU works while the processor prepares what comes next: it waits where guards, allocation "
    "and Python take longer than its kernels."
)


def _waits(left: float, whole: Spread) -> list[SumPart]:
    return [_part("the device waits", left, whole)] if left > 0 else []


def _part(name: str, taken: float, whole: Spread) -> SumPart:
    return SumPart(
        name=name,
        seconds=rounded(taken),
        text=seconds(taken),
        share=percent(taken / whole.median) if whole.median > 0 else "",
    )


def _remainder(left: float, whole: Spread, has_stubbed: bool) -> str:
    share = percent(abs(left) / whole.median) if whole.median > 0 else ""
    if abs(left) > _FITS * whole.median:
        return (
            f"The parts and the whole were measured apart, and differ by {share}: they do not fit "
            "together. Measure again on a quiet machine."
        )
    if left < 0:
        return f"The parts add up to {share} more than the whole, which is noise."
    what = (
        "neither kernels nor overhead" if has_stubbed else "no kernel (overhead was not measured)"
    )
    return f"{share} of the whole call is in {what}."
