"""Tracks of slices, as trace viewers draw them: compile phases by thread, and kernels in a call."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.benchmarks import Benchmark, KernelTime, Phase
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.time_marks import overhead_of
from dynamo_lab.view.benchmarks.timed_nodes import TimedNodes
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.origins import modules_of
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.kernels.kernels import stacks_of
from dynamo_lab.view.timings.timings import explain

_LAST = 2**63 - 1  # the last nanosecond that viewers count to
_CLOCK = 100_000  # consecutive phases may seem to overlap by so many nanoseconds


class Slice(Struct, frozen=True, kw_only=True):
    """A stretch of time: nanoseconds from the trace's start, and facts by name."""

    name: str
    start: int
    end: int
    facts: dict[str, str | int] = {}


class Track(Struct, frozen=True, kw_only=True):
    """Slices in order of start; each lies within the one around it, or follows the previous one."""

    name: str
    slices: tuple[Slice, ...]


class TrackGroup(Struct, frozen=True, kw_only=True):
    """Tracks that belong together."""

    name: str
    tracks: tuple[Track, ...]


def build(recording: Recording) -> tuple[TrackGroup, ...]:
    """The compilation, and after it a call of each program whose kernels were timed."""
    places = Places(recording)
    groups = [TrackGroup(name="compilation", tracks=_phases(recording, places))]
    if recording.benchmark is not None:
        groups += _programs(recording, recording.benchmark, places, _end(groups))
    return tuple(group for group in groups if group.tracks)


def _end(groups: Sequence[TrackGroup]) -> int:
    ends = [one.end for group in groups for track in group.tracks for one in track.slices]
    return max(ends, default=0)


def _phases(recording: Recording, places: Places) -> tuple[Track, ...]:
    facts = _facts_of_compilations(recording, places)
    threads: dict[int, list[Slice]] = {}
    for one in recording.timings:
        said = {"what it does": explain(one.name), **facts.get(one.compile_id, {})}
        if one.compile_id:
            said["compile id"] = one.compile_id
        start = _after(0, one.start)
        made = Slice(
            name=one.name,
            start=start,
            end=_after(start, one.seconds),
            facts={name: value for name, value in said.items() if value},
        )
        threads.setdefault(one.thread, []).append(made)
    return tuple(
        Track(name=_named(thread, lane), slices=slices)
        for thread, found in sorted(threads.items())
        for lane, slices in enumerate(_lanes(found))
    )


def _after(start: int, seconds: float) -> int:
    """A time in seconds after a start in nanoseconds, within a clock's range even if damaged."""
    known = min(max(0.0, seconds), _LAST / 1e9)  # in this order, NaN becomes 0
    return min(_LAST, start + round(known * 1e9))


def _named(thread: int, lane: int) -> str:
    name = "main thread" if thread == 0 else f"worker {thread}"
    return f"{name}, beside it {lane}" if lane else name


def _facts_of_compilations(recording: Recording, places: Places) -> dict[str, dict[str, str]]:
    """The frame of each compile id, and the user's line where it begins, else its modules."""
    names = frame_names(recording)
    found: dict[str, dict[str, str]] = {}
    for frame in recording.frames:
        for attempt in frame.attempts:
            begins = places.line_of(frame.span)
            at = _begun(begins, attempt.compile_id, recording, places)
            found.setdefault(attempt.compile_id, {"frame": names[frame.id], **at})
    return found


def _begun(line: Line, compile_id: str, recording: Recording, places: Places) -> dict[str, str]:
    """The line; for a library's wrapper, the first of the user's lines in the graph, or modules."""
    if not places.is_library(line):
        return _at(line, places)
    nodes = [
        (graph.id, node)
        for graph in recording.captured_graphs()
        if graph.compile_id == compile_id
        for node in range(len(graph.nodes))
    ]
    stacks = (recording.graphs[graph].nodes.stack[node] for graph, node in nodes)
    found = (places.own_line(stack) for stack in stacks if stack >= 0)
    own = next((line for line in found if line and not places.is_library(line)), None)
    if own is None and (modules := modules_of(nodes, recording)):
        return {"modules": modules}
    return _at(own or line, places)


def _at(line: Line, places: Places) -> dict[str, str]:
    return {"line": places.where_named(line), "code": places.text(line).strip()}


def _lanes(slices: Sequence[Slice]) -> Iterator[tuple[Slice, ...]]:
    """Slices in as few lanes as possible, nested; overlaps within clock steps are corrected."""
    lanes: list[tuple[list[Slice], list[int]]] = []
    for one in sorted(slices, key=lambda one: (one.start, -one.end)):
        for kept, ends in lanes:
            if (placed := _placed(one, ends)) is not None:
                kept.append(placed)
                ends.append(placed.end)
                break
        else:
            lanes.append(([one], [one.end]))
    return (tuple(kept) for kept, _ in lanes)


def _placed(one: Slice, ends: list[int]) -> Slice | None:
    """The slice fitted into a lane whose open slices end at `ends`; None if it does not fit."""
    while ends and ends[-1] <= one.start:
        ends.pop()
    if not ends or one.end <= ends[-1]:
        return one
    if one.end <= ends[-1] + _CLOCK:
        return replace(one, end=ends[-1])
    if one.start >= ends[-1] - _CLOCK:
        later = replace(one, start=ends[-1])
        ends.pop()
        return _placed(later, ends)
    return None


def _programs(
    recording: Recording, found: Benchmark, places: Places, start: int
) -> Iterator[TrackGroup]:
    """For each variant and phase one call: the medians of its kernels in the order of the calls.

    A GPU or a busy processor has gaps between them whose places were not measured: the call
    drawn around them has the time beyond its kernels at its end.
    """
    ancestry, nodes = Ancestry(links.build(recording)), TimedNodes(recording)
    keys: dict[tuple[int, Phase], None] = dict.fromkeys((k.way, k.phase) for k in found.kernels)
    for way, phase in keys:
        at = start
        slices: list[Slice] = []
        own = [one for one in found.kernels if (one.way, one.phase) == (way, phase)]
        for one in sorted(own, key=lambda one: _order(one, recording)):
            times = one.warm or tuple(seconds * one.calls for seconds in one.cold)
            if times:
                end = _after(at, spread(times).median)
                facts = _facts_of_kernel(one, recording, places, ancestry, nodes)
                name = recording.kernels[one.kernel].name
                slices.append(Slice(name=name, start=at, end=end, facts=facts))
                at = end
        if slices:
            title = f"{found.ways[way].name}, {'forward' if phase == 'forward' else 'training'}"
            call = _call(found, way, phase, start, at)
            track = Track(name="one call, medians of its kernels", slices=(call, *slices))
            yield TrackGroup(name=f"kernels of {title}", tracks=(track,))


def _call(found: Benchmark, way: int, phase: Phase, start: int, at: int) -> Slice:
    overhead = overhead_of(found, way, phase)
    whole = spread(overhead.whole).median if overhead and overhead.whole else 0.0
    name = "one call" if phase == "forward" else "one training step"
    return Slice(name=name, start=start, end=max(at, _after(start, whole)))


def _order(one: KernelTime, recording: Recording) -> tuple[int, int, int]:
    """Where the generated code calls it: wrappers run in the order of their generation."""
    wrapper = recording.kernels[one.kernel].wrapper
    return (-1 if wrapper is None else wrapper), one.line or 0, one.kernel


def _facts_of_kernel(
    one: KernelTime, recording: Recording, places: Places, ancestry: Ancestry, nodes: TimedNodes
) -> dict[str, str | int]:
    kernel = recording.kernels[one.kernel]
    above = sorted(ancestry.above(nodes.of(one)))
    lines = {line for stack in stacks_of(above, recording) if (line := places.own_line(stack))}
    own = [line for line in sorted(lines) if not places.is_library(line)]
    facts: dict[str, str | int] = {"kernel": one.kernel, "language": kernel.language}
    if kernel.graph is not None:
        facts["compile id"] = recording.graphs[kernel.graph].compile_id
    if not own and (modules := modules_of(above, recording)):
        facts["modules"] = modules
    elif lines:
        facts["line"] = places.where_all(lines)
        facts["code"] = "\n".join(places.text(line).strip() for line in own or sorted(lines))
    if one.calls > 1:
        facts["calls, all in this slice"] = one.calls
    facts["rounds measured"] = len(one.warm or one.cold)
    facts["caches"] = "warm" if one.warm else "cold"
    return facts
