"""Copies into another memory layout that only a library call asks for."""

from collections.abc import Iterator

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.lowering import Buffer
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import percent, size
from dynamo_lab.view.findings import ops, traffic
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of

_WORTH = 0.25
"""The share of the bytes moved from which on a copy is told as a problem."""


def find(facts: Facts) -> Iterator[Found]:
    """Each copy of an input, in a forward, into the layout that the operator at a line needs."""
    for buffer in facts.recording.buffers:
        graph = facts.recording.graphs[buffer.graph]
        copied = _copied_input(graph, buffer)
        if copied is None or graph.is_backward or buffer.during is None or not buffer.bytes:
            continue
        if _is_as_before(graph, buffer):
            continue
        line = line_of(facts, [(graph.id, buffer.during)])
        moved = traffic.moved(facts, [graph.id])
        if line and moved and 2 * buffer.bytes >= _WORTH * moved:
            yield _found(facts, graph, buffer, copied, line, moved)


def _copied_input(graph: Graph, buffer: Buffer) -> int | None:
    """The placeholder whose elements a buffer only repeats, in other strides."""
    is_copy = buffer.why is not None and buffer.why.cause in ("copy", "strides")
    if not is_copy or buffer.dropped or len(buffer.reads) != 1 or buffer.kind != "pointwise":
        return None
    computes = {line.operator for line in buffer.body} - {"", "load", "store", "get_index"}
    if computes or buffer.reads[0] not in graph.nodes.name:
        return None
    at = graph.nodes.name.index(buffer.reads[0])
    is_input = graph.nodes.strings[graph.nodes.op[at]] == "placeholder"
    return at if is_input and ops.value(graph.nodes, at).bytes == buffer.bytes else None


def _is_as_before(graph: Graph, buffer: Buffer) -> bool:
    """Whether what an operator reads has the copy's layout: it is copied to be written to."""
    given = (ops.value(graph.nodes, at) for at in graph.nodes.inputs[buffer.during or 0])
    return any((one.shape, one.stride) == (buffer.shape, buffer.stride) for one in given)


def _found(
    facts: Facts, graph: Graph, buffer: Buffer, copied: int, line: Line, moved: int
) -> Found:
    taken, where = 2 * (buffer.bytes or 0), facts.places.where(line)
    asks, strides = ops.name(graph.nodes, buffer.during or 0), ", ".join(buffer.stride)
    finding = Finding(
        rule="layout-copy",
        question="speed",
        sentence=(
            f"{where} copies an input of {size(buffer.bytes or 0)} into another memory layout in "
            f"each call, because `{asks}` asks for it: {percent(taken / moved)} of the bytes that "
            "the graph moves."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"{buffer.name} is a copy of {graph.nodes.name[copied]}",
                tab="lowering",
                entity=f"node:{graph.id}:{buffer.during}",
            ),
        ),
        grade="fill in",
        remedy=(
            f"Bring the tensor into that layout once, where it is made: strides {strides} where "
            f"`{asks}` reads it."
        ),
        code=_code(buffer),
        gain=Gain(
            metric="bytes", before=moved, after=moved - taken, how="counted: without the copy"
        ),
        cost=min(1.0, taken / moved),
    )
    return Found(finding, line=line, about=frozenset({f"node:{graph.id}:{buffer.during}"}))


def _code(buffer: Buffer) -> str:
    """What makes the layout, of a tensor whose dimensions are those that the operator reads."""
    if _inner_first(buffer)[:1] == (1,) and len(buffer.shape) in (4, 5):
        last = "channels_last" if len(buffer.shape) == 4 else "channels_last_3d"
        return f"x = x.to(memory_format=torch.{last})"
    in_order = tuple(reversed(range(len(buffer.shape))))
    return "x = x.contiguous()" if _inner_first(buffer) == in_order else ""


def _inner_first(buffer: Buffer) -> tuple[int, ...]:
    """The dimensions by their strides, the smallest first; none where one is symbolic."""
    if not all(stride.isdecimal() for stride in buffer.stride):
        return ()
    strides = [int(stride) for stride in buffer.stride]
    return tuple(sorted(range(len(strides)), key=lambda at: (strides[at], -at)))
