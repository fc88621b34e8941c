"""A loop that became many small library calls, none of which needs another one's result."""

from collections.abc import Iterator

from dynamo_lab.model.graphs import Graph
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import percent, size
from dynamo_lab.view.findings import ops, traffic
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of

_MANY = 24
"""From this many calls on, one call for all is worth a change of the program."""

_LINES = 10
"""Of a graph, how many lines are looked at: each takes a walk through it."""

_SMALL = 256 << 10
"""Bytes that a call reads and makes, below which starting it takes a large part of its time."""

_BATCHED = {"mm": "torch.bmm", "addmm": "torch.baddbmm", "bmm": "torch.bmm"}
"""Library calls that have one call for many."""


def find(facts: Facts) -> Iterator[Found]:
    """Each line whose small products could be one."""
    for graph in facts.recording.graphs:
        if graph.stage == "post_grad" and not graph.is_backward:
            yield from _in(facts, graph)


def _in(facts: Facts, graph: Graph) -> Iterator[Found]:
    table = graph.nodes
    by_line: dict[tuple[Line, str], list[int]] = {}
    small = [at for at in ops.calls(table) if ops.name(table, at) in _BATCHED and _small(graph, at)]
    for at in small if len(small) >= _MANY else ():
        line = line_of(facts, [(graph.id, at)])
        if line:
            by_line.setdefault((line, ops.name(table, at)), []).append(at)
    most = sorted(by_line.items(), key=lambda one: -len(one[1]))[:_LINES]
    for (line, name), nodes in most:
        if len(nodes) < _MANY:
            return
        free = _independent(graph, nodes)
        if len(free) >= _MANY:
            yield _found(facts, graph, line, name, free)


def _small(graph: Graph, at: int) -> bool:
    table = graph.nodes
    known = [ops.value(table, one).bytes for one in (at, *table.inputs[at])]
    return all(one is not None and one < _SMALL for one in known)


def _independent(graph: Graph, nodes: list[int]) -> list[int]:
    """Those of the nodes that need no result of another, of the most frequent shape."""
    wanted, needs = set(nodes), set[int]()
    free: dict[tuple[str, ...], list[int]] = {}
    for at in range(min(wanted), max(wanted) + 1):
        is_after = any(i in needs for i in graph.nodes.inputs[at])
        if at in wanted and not is_after:
            free.setdefault(ops.value(graph.nodes, at).shape, []).append(at)
        if at in wanted or is_after:
            needs.add(at)
    return max(free.values(), key=len)


def _found(facts: Facts, graph: Graph, line: Line, name: str, nodes: list[int]) -> Found:
    calls, count = max(1, traffic.kernel_calls(facts.recording, graph.id)), len(nodes)
    moved = sum(ops.total(graph.nodes, (at, *graph.nodes.inputs[at])) for at in nodes) // count
    where = facts.places.where(line)
    finding = Finding(
        rule="many-small-calls",
        question="speed",
        sentence=(
            f"{where} became {count} calls of `{name}`, {percent(count / calls)} of all calls: "
            f"the loop around it was unrolled. Each handles {size(moved)}, so that starting it "
            "costs about as much as its work, and none needs another one's result."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"{count} independent calls of {name}",
                tab="graphs",
                entity=f"node:{graph.id}:{nodes[0]}",
            ),
        ),
        grade="fill in",
        remedy=(
            f"Compute all of them in one call before or after the loop, such as `{_BATCHED[name]}` "
            "on stacked operands, or one product of a reshaped tensor."
        ),
        code=f"{_BATCHED[name]}(torch.stack(left), torch.stack(right))",
        gain=Gain(
            metric="kernel calls",
            before=calls,
            after=calls - count + 1,
            how="at best: one call in place of all of these, and what stacks their operands",
        ),
        cost=count / calls,
    )
    about = frozenset(f"node:{graph.id}:{at}" for at in nodes)
    return Found(finding, line=line, about=about)
