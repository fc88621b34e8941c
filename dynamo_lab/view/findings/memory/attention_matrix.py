"""Attention written by hand: the matrix of every query with every key is in memory."""

from collections.abc import Iterator

from dynamo_lab.model.fusion.memory import MemoryPlan
from dynamo_lab.model.graphs import Graph
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import percent, size
from dynamo_lab.view.findings import ops, traffic
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.findings.memory.attention import (
    is_attention,
    product_above,
    scores_of,
    weighted_by,
)
from dynamo_lab.view.findings.memory.attention_remedy import by_hand, code, has_call, remedy
from dynamo_lab.view.fusion import peaks

_WORTH = 0.25
"""The share of the peak from which on it is told."""


def find(facts: Facts) -> Iterator[Found]:
    """Each softmax between two matrix products whose result is larger than all their operands.

    Not one over queries, nor one whose weights are read by more than the product: what
    `scaled_dot_product_attention` computes is neither.
    """
    for graph in facts.recording.captured_graphs():
        seen = set[Line]()
        for at in ops.calls(graph.nodes):
            if ops.name(graph.nodes, at) != "softmax":
                continue
            if not is_attention(graph.nodes, at, facts.readers(graph.id)):
                continue
            line = line_of(facts, [(graph.id, at)])
            if line and line not in seen:
                seen.add(line)
                yield from _found(facts, graph, at, line)


def _found(facts: Facts, graph: Graph, at: int, line: Line) -> Iterator[Found]:
    """One finding for the forward's memory plan, if the matrix is a large part of its peak."""
    recording = facts.recording
    lowered = [
        g.id for g in ops.lowered_graphs(recording.graphs, graph.compile_id) if not g.is_backward
    ]
    for plan in traffic.plans_of(recording, lowered):
        of = recording.schedules[plan.schedule].graph
        names = [name for name in _matrices(facts, plan, of, (graph.id, at))]
        peak = peaks.peak_of(recording, plan)
        held = sum(one.bytes or 0 for one in peak.holders if one.name in names)
        if names and peaks.is_known(plan) and held >= _WORTH * peak.bytes:
            after = peaks.peak_without(recording, plan, names)
            yield _finding(facts, line, (graph.id, at), held, peak.bytes, after)


def _matrices(facts: Facts, plan: MemoryPlan, graph: int, softmax: NodeKey) -> Iterator[str]:
    """The buffers as large as the softmax that come from its line or from what it reads."""
    table = facts.recording.graphs[softmax[0]].nodes
    bytes_of = ops.value(table, softmax[1]).bytes
    product = product_above(table, softmax[1])
    wanted = {softmax, (softmax[0], product)}
    for buffer in facts.recording.buffers:
        if buffer.graph == graph and buffer.bytes == bytes_of:
            made = [(graph, node) for node in buffer.nodes]
            if not wanted.isdisjoint(facts.ancestry.above(made)):
                yield buffer.name


def _finding(facts: Facts, line: Line, node: NodeKey, held: int, before: int, after: int) -> Found:
    where = facts.places.where(line)
    table = facts.recording.graphs[node[0]].nodes
    scores = scores_of(table, node[1])
    weighted = weighted_by(table, node[1], facts.readers(node[0]))
    dropout = weighted.dropout if weighted else ""
    is_called = has_call(scores, trains_on_a_cpu=_trains_on_a_cpu(facts, node))
    finding = Finding(
        rule="attention-matrix",
        question="memory",
        sentence=(
            f"{where} writes attention out: the matrix of every query with every key takes "
            f"{size(held)}, {percent(held / before)} of the planned peak of {size(before)}. It "
            "grows with the square of the length."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"{size(held)} at the planned peak are this matrix",
                tab="fusion",
                entity=f"node:{node[0]}:{node[1]}",
            ),
        ),
        grade="may change meaning",
        remedy=remedy(scores, dropout) if is_called else by_hand(scores),
        code=code(scores, len(ops.value(table, node[1]).shape), dropout) if is_called else "",
        gain=Gain(
            metric="bytes",
            before=before,
            after=after,
            how="replayed: the plan of memory without the matrix",
        )
        if is_called
        else None,
        cost=min(1.0, held / before),
    )
    return Found(finding, line=line, about=frozenset({f"node:{node[0]}:{node[1]}"}))


def _trains_on_a_cpu(facts: Facts, node: NodeKey) -> bool:
    """Whether a gradient is taken of a graph, and on a CPU."""
    graph = facts.recording.graphs[node[0]]
    same = (one for one in facts.recording.graphs if one.compile_id == graph.compile_id)
    is_on_cpu = ops.value(graph.nodes, node[1]).device.startswith("cpu")
    return is_on_cpu and any(one.is_backward for one in same)
