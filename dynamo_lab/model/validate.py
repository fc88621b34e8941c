"""Whether a recording's facts refer only to facts that exist, so that views need not ask."""

from collections.abc import Iterator, Sequence
from typing import Any

from dynamo_lab.model import (
    validate_benchmarks,
    validate_decompositions,
    validate_film,
    validate_fusions,
    validate_lowering,
    validate_passes,
)
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording

_NUMBERED = (
    "frames", "breaks", "graphs", "partitions", "pipelines", "passes", "buffers", "kernels",
    "wrappers",
)  # fmt: skip
"""Tables whose rows carry an `id`, which is their position."""

_REFERENCES = (
    # table, its field, the table that the field indexes
    ("spans", "source", "sources"),
    ("frames", "span", "spans"),
    ("frames", "resumes", "frames"),
    ("frames", "caller", "frames"),
    ("breaks", "frame", "frames"),
    ("breaks", "span", "spans"),
    ("breaks", "stack", "stacks"),
    ("breaks", "graph_before", "graphs"),
    ("breaks", "resume_frames", "frames"),
    ("guards", "frame", "frames"),
    ("guards", "stack", "stacks"),
    ("recompiles", "frame", "frames"),
    ("symbols", "frame", "frames"),
    ("symbols", "stack", "stacks"),
    ("shape_facts", "frame", "frames"),
    ("shape_facts", "stack", "stacks"),
    ("graphs", "frame", "frames"),
    ("graphs", "parent", "graphs"),
    ("partitions", "frame", "frames"),
    ("partitions", "joint", "graphs"),
    ("partitions", "forward", "graphs"),
    ("partitions", "backward", "graphs"),
    ("kernels", "graph", "graphs"),
    ("kernels", "wrapper", "wrappers"),
    ("wrappers", "graph", "graphs"),
    ("packages", "wrapper", "wrappers"),
    ("notes", "graph", "graphs"),
    ("assemblies", "kernel", "kernels"),
    ("links", "upstream", "graphs"),
    ("links", "downstream", "graphs"),
    ("pipelines", "frame", "frames"),
    ("passes", "pipeline", "pipelines"),
    ("passes", "span", "spans"),
    ("patterns", "span", "spans"),
)
"""A field holds an index, None, or a tuple of indices."""

_POOLED = (
    # column of a NodeTable, the pool of that table that it indexes
    ("op", "strings"),
    ("target", "strings"),
    ("module", "strings"),
    ("value", "values"),
)

_LONGEST = 1e13
"""Seconds, more than any log or clock tells; sums of many such are finite still."""

_PARALLEL = ("op", "target", "arguments", "inputs", "value", "stack", "module")
"""Columns of a NodeTable that are as long as its `name`."""


def validate(recording: Recording) -> str | None:
    """What is wrong with the recording's cross-references, or None where all hold."""
    return next(problems(recording), None)


def problems(recording: Recording) -> Iterator[str]:
    """Each cross-reference that does not hold, as a phrase that names its place."""
    yield from _misnumbered(recording)
    yield from _dangling(recording)
    yield from _stacks(recording)
    yield from _attempts(recording)
    if recording.film is not None:
        counts = len(recording.frames), len(recording.spans)
        yield from validate_film.problems(recording.film, *counts)
    yield from _failed_guards(recording)
    yield from _levels(recording)
    yield from validate_passes.problems(recording)
    yield from validate_decompositions.problems(recording)
    yield from validate_fusions.problems(recording)
    sound = True
    for graph in recording.graphs:
        for problem in _nodes(recording, graph):
            sound = False
            yield problem
    if sound:  # what follows counts nodes and walks from graph to graph
        yield from _nodes_named_elsewhere(recording)
        yield from validate_lowering.problems(recording)
        yield from validate_benchmarks.problems(recording)
        yield from _cycles(recording)


def _misnumbered(recording: Recording) -> Iterator[str]:
    for table in _NUMBERED:
        for position, row in enumerate(getattr(recording, table)):
            if row.id != position:
                yield f"{table}[{position}] has the id {row.id}"


def _dangling(recording: Recording) -> Iterator[str]:
    for table, field, target in _REFERENCES:
        size = len(getattr(recording, target))
        for position, row in enumerate(getattr(recording, table)):
            for index in _indices(getattr(row, field)):
                if not 0 <= index < size:
                    yield _outside(f"{table}[{position}].{field}", index, size, target)
    failure = recording.failure
    if failure is not None:
        for index in _indices(failure.span):
            if not 0 <= index < len(recording.spans):
                yield _outside("failure.span", index, len(recording.spans), "spans")
    for position, timing in enumerate(recording.timings):
        if not -1 <= timing.parent < len(recording.timings):
            size = len(recording.timings)
            yield _outside(f"timings[{position}].parent", timing.parent, size, "timings")
        for name, seconds in (("start", timing.start), ("seconds", timing.seconds)):
            if not abs(seconds) <= _LONGEST:  # what is no number neither
                yield f"timings[{position}].{name} is {seconds}, which is no time"


def _stacks(recording: Recording) -> Iterator[str]:
    size = len(recording.spans)
    for position, stack in enumerate(recording.stacks):
        for index in _strays(stack, size):
            yield _outside(f"stacks[{position}]", index, size, "spans")


def _attempts(recording: Recording) -> Iterator[str]:
    size = len(recording.graphs)
    for frame in recording.frames:
        for attempt in frame.attempts:
            for index in _strays(_indices(attempt.graph), size):
                yield _outside(f"an attempt of frame {frame.id}", index, size, "graphs")


def _failed_guards(recording: Recording) -> Iterator[str]:
    size = len(recording.stacks)
    for position, recompile in enumerate(recording.recompiles):
        for failed in recompile.failed:
            for index in _strays(_indices(failed.stack), size):
                yield _outside(f"recompiles[{position}].failed", index, size, "stacks")


def _levels(recording: Recording) -> Iterator[str]:
    sizes = [kernel.code.count("\n") + 2 for kernel in recording.kernels]  # lines are from 1
    for position, assembly in enumerate(recording.assemblies):
        size = sizes[assembly.kernel] if 0 <= assembly.kernel < len(sizes) else 0
        for level in assembly.levels:
            place, own = f"assemblies[{position}].lines", level.text.count("\n") + 2
            for index in _strays([line for line, _ in level.lines], own, lowest=1):
                yield _outside(place, index, own - 1, f"lines of {level.name}")
            for index in _strays([line for _, line in level.lines], size, lowest=1):
                yield _outside(place, index, size - 1, "lines of the kernel")


def _nodes(recording: Recording, graph: Graph) -> Iterator[str]:
    nodes, place = graph.nodes, f"graphs[{graph.id}].nodes"
    count = len(nodes)
    for column in _PARALLEL:
        length = len(getattr(nodes, column))
        if length != count:
            yield f"{place}.{column} has {length} rows for {count} nodes"
    for column, pool in _POOLED:
        size = len(getattr(nodes, pool))
        for index in _strays(getattr(nodes, column), size):
            yield _outside(f"{place}.{column}", index, size, pool)
    for index in _strays(nodes.stack, len(recording.stacks), lowest=-1):
        yield _outside(f"{place}.stack", index, len(recording.stacks), "stacks")
    for inputs in nodes.inputs:
        for index in _strays(inputs, count):
            yield _outside(f"{place}.inputs", index, count, "nodes")
    for index in _strays(tuple(nodes.subgraphs), count):
        yield _outside(f"{place}.subgraphs", index, count, "nodes")
    for subgraphs in nodes.subgraphs.values():
        for index in _strays(subgraphs, len(recording.graphs)):
            yield _outside(f"{place}.subgraphs", index, len(recording.graphs), "graphs")


def _nodes_named_elsewhere(recording: Recording) -> Iterator[str]:
    sizes = [len(graph.nodes) for graph in recording.graphs]

    def stray(place: str, graph: int | None, nodes: Sequence[int]) -> Iterator[str]:
        size = sizes[graph] if graph is not None and 0 <= graph < len(sizes) else 0
        for index in _strays(nodes, size):
            yield _outside(place, index, size, f"nodes of graph {graph}")

    for kernel in recording.kernels:
        yield from stray(f"kernels[{kernel.id}].nodes", kernel.graph, kernel.nodes)
    for graph in recording.graphs:
        yield from stray(
            f"graphs[{graph.id}].parent_node", graph.parent, tuple(_indices(graph.parent_node))
        )
    for part in recording.partitions:
        place = f"partitions[{part.id}]"
        for item in (*part.saved, *part.recomputed):
            yield from stray(f"{place}.forward_node", part.forward, (item.forward_node,))
            yield from stray(f"{place}.backward_node", part.backward, _indices(item.backward_node))
        for item in part.differentiated:
            yield from stray(f"{place}.differentiated", part.joint, item.forward + item.backward)
    for position, note in enumerate(recording.notes):
        yield from stray(f"notes[{position}].node", note.graph, tuple(_indices(note.node)))
    for position, table in enumerate(recording.links):
        place = f"links[{position}].pairs"
        yield from stray(place, table.upstream, [pair[0] for pair in table.pairs])
        yield from stray(place, table.downstream, [pair[1] for pair in table.pairs])


def _cycles(recording: Recording) -> Iterator[str]:
    """Chains that never end: a view that followed one would not return."""
    chains: dict[str, list[tuple[int, ...]]] = {
        "frames resume": [tuple(_indices(frame.resumes)) for frame in recording.frames],
        "frames call": [tuple(_indices(frame.caller)) for frame in recording.frames],
        "graphs lie in": [tuple(_indices(graph.parent)) for graph in recording.graphs],
        "graphs call": [
            tuple(called for calls in graph.nodes.subgraphs.values() for called in calls)
            for graph in recording.graphs
        ],
        "timings lie in": [
            (timing.parent,) if timing.parent >= 0 else () for timing in recording.timings
        ],
        **validate_decompositions.chains(recording),
    }
    for relation, edges in chains.items():
        if _has_cycle(edges):
            yield f"{relation} each other in a circle"


def _has_cycle(edges: Sequence[Sequence[int]]) -> bool:
    """Whether a walk along `edges` can go on forever: remove what ends until nothing changes."""
    waiting = [0] * len(edges)  # how many successors are not yet known to end
    callers: list[list[int]] = [[] for _ in edges]
    for node, successors in enumerate(edges):
        for successor in successors:
            if 0 <= successor < len(edges):
                waiting[node] += 1
                callers[successor].append(node)
    ended = [node for node, count in enumerate(waiting) if not count]
    for node in ended:  # grows while it is walked
        for caller in callers[node]:
            waiting[caller] -= 1
            if not waiting[caller]:
                ended.append(caller)
    return len(ended) < len(edges)


def _indices(value: Any) -> Sequence[int]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)  # pyright: ignore[reportUnknownVariableType]


def _strays(indices: Sequence[int], size: int, lowest: int = 0) -> Sequence[int]:
    """The indices outside a table; columns are long and sound, so ask for their extremes first."""
    if not indices or (min(indices) >= lowest and max(indices) < size):
        return ()
    return [index for index in indices if not lowest <= index < size]


def _outside(place: str, index: int, size: int, table: str) -> str:
    return f"{place} is {index}, but there are {size} {table}"
