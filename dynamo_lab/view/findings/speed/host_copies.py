"""Tensors that a compiled call takes from the GPU to the host and computes with there."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dynamo_lab.model.graphs import Graph, NodeTable
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import listed, size, unique
from dynamo_lab.view.findings import ops, traffic
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of

_HOST, _GPU = "host", "GPU"
_MOVES = ("cpu", "cuda", "to")
_NAMED = re.compile(r"(?<!type=)'(cpu|cuda)(?::\d+)?'|device\(type='(cuda)'")
"""A device that the program names; `device(type='cpu')` may be that of a tensor on the target."""


class Copy(NamedTuple):
    """A node that copies a tensor, the side that it is copied to, and its bytes."""

    node: int
    to: str
    bytes: int


def find(facts: Facts) -> Iterator[Found]:
    """Each captured graph that takes a tensor off the GPU, at the first line that does."""
    for graph in facts.recording.captured_graphs():
        copies = list(copies_of(graph, is_lowered=_is_for_gpu(facts)))
        away = next((one for one in copies if one.to == _HOST), None)
        line = away and line_of(facts, [(graph.id, away.node)])
        if away and line:
            yield _found(facts, graph, copies, away, line)


def _is_for_gpu(facts: Facts) -> bool:
    """Whether it was only lowered, for a GPU: then all that it is given lies there."""
    return facts.recording.target.partition(":")[0] in ("cuda", "rocm")


def copies_of(graph: Graph, *, is_lowered: bool) -> Iterator[Copy]:
    """The copies between host and GPU, where both sides are known."""
    table = graph.nodes
    sides: dict[int, str] = {}
    for at in range(len(table)):
        side = _side(table, at, sides) if is_lowered else _recorded_side(table, at)
        before = {sides.get(one, "") for one in table.inputs[at] if ops.value(table, one).dtype}
        sides[at] = side
        if _is_move(table, at) and side and before == {_HOST if side == _GPU else _GPU}:
            yield Copy(at, side, ops.value(table, at).bytes or 0)


def _recorded_side(table: NodeTable, at: int) -> str:
    """Where a value of a program that ran is."""
    kind = ops.value(table, at).device.partition(":")[0]
    return {"cpu": _HOST, "cuda": _GPU}.get(kind, "")


def _side(table: NodeTable, at: int, sides: dict[int, str]) -> str:
    """Where a value would be on the target; empty where that is not known."""
    if table.strings[table.op[at]] in ("placeholder", "get_attr"):
        return _GPU
    if _is_move(table, at):
        named = _named_side(ops.name(table, at), table.arguments[at])
        if named is not None:
            return named
    read = {sides.get(one, "") for one in table.inputs[at] if ops.value(table, one).dtype}
    return read.pop() if len(read) == 1 else ""


def _named_side(method: str, arguments: str) -> str | None:
    """The side that a call names; empty for one that is not known, None if it names none."""
    if method != "to":
        return _HOST if method == "cpu" else _GPU
    if found := _NAMED.search(arguments):
        return _HOST if found[1] == "cpu" else _GPU
    return "" if "device(" in arguments else None


def _is_move(table: NodeTable, at: int) -> bool:
    return table.strings[table.op[at]] == "call_method" and ops.name(table, at) in _MOVES


def _found(facts: Facts, graph: Graph, copies: Sequence[Copy], away: Copy, line: Line) -> Found:
    total, where = sum(one.bytes for one in copies), facts.places.where(line)
    is_used = _is_computed_with(graph.nodes, away.node)
    finding = Finding(
        rule="host-copy",
        question="speed",
        level="problem" if is_used else "note",
        sentence=(
            f"{where} copies {size(away.bytes)} from the GPU to the host in each call"
            f"{_back(facts, graph, copies)}. {_waits(graph.nodes, away.node)}"
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"`{graph.nodes.name[away.node]}` lies on the host, what it copies on the GPU",
                tab="graphs",
                entity=f"node:{graph.id}:{away.node}",
            ),
        ),
        grade="fill in" if is_used else "none",
        remedy=(
            "Compute on the GPU, where the tensor is: leave the copy out, and what brings the "
            "result back. What is only to be looked at is copied after the call."
            if is_used
            else ""
        ),
        code="y = x.relu()  # in place of x.relu().cpu()" if is_used else "",
        gain=_gain(total) if is_used and total else None,
        cost=_share(facts, graph, total),
    )
    return Found(finding, line=line, about=frozenset({f"node:{graph.id}:{away.node}"}))


def _is_computed_with(table: NodeTable, copy: int) -> bool:
    """Whether something reads the copy, other than what returns it."""
    return any(copy in table.inputs[at] for at in ops.calls(table))


def _back(facts: Facts, graph: Graph, copies: Sequence[Copy]) -> str:
    lines = [line_of(facts, [(graph.id, one.node)]) for one in copies if one.to == _GPU]
    back = unique(facts.places.where(line) for line in lines if line)
    return f", and {listed(back)} copies from the host to the GPU" if back else ""


def _waits(table: NodeTable, copy: int) -> str:
    if "non_blocking=True" in table.arguments[copy]:
        return "What reads it has to wait until the GPU has come to it."
    return "Python waits there until the GPU has finished all that it was given before."


def _gain(total: int) -> Gain:
    how = "counted: what crosses between host and GPU in a call"
    return Gain(metric="bytes", before=total, after=0, how=how)


def _share(facts: Facts, graph: Graph, total: int) -> float:
    """The share of all bytes that are moved; all, where those of the kernels are not known."""
    lowered = [g.id for g in ops.lowered_graphs(facts.recording.graphs, graph.compile_id)]
    moved = traffic.moved(facts, lowered)
    return total / (total + moved) if total and moved is not None else 1.0
