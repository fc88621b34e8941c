"""A part of a tensor that is saved for the backward, and keeps the whole tensor alive."""

from collections.abc import Iterator

from dynamo_lab.model.autograd import Partition, SavedValue
from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import size
from dynamo_lab.view.findings import ops
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of

_TIMES = 4
_AT_LEAST = 64 << 10
"""Bytes kept for nothing below which it is not told."""


def find(facts: Facts) -> Iterator[Found]:
    """Each saved view of which the backward reads only a small part of what it keeps."""
    for part in facts.recording.partitions:
        if part.forward is not None:
            for values in _by_storage(part):
                yield from _told(facts, part, values)


def _by_storage(part: Partition) -> Iterator[list[SavedValue]]:
    """The saved activations, those of one storage together; inputs live anyway."""
    alive = {one.storage for one in part.saved if one.role in ("parameter", "input")}
    groups: dict[int, list[SavedValue]] = {}
    for one in part.saved:
        if not one.copied and one.storage not in alive:
            groups.setdefault(one.storage, []).append(one)
    yield from (values for values in groups.values() if all(v.role == "activation" for v in values))


def _told(facts: Facts, part: Partition, values: list[SavedValue]) -> Iterator[Found]:
    read = sum(one.bytes or 0 for one in values)
    held = max(one.held or 0 for one in values)
    if not read or held < _TIMES * read or held - read < _AT_LEAST:
        return
    graph = facts.recording.graphs[part.forward or 0]
    line = line_of(facts, [(graph.id, _taken(graph.nodes, one.forward_node)) for one in values])
    if line:
        yield _found(facts, part, values[0], read, held, line)


def _taken(table: NodeTable, node: int) -> int:
    """The node that takes a part of what it reads, above views that only reshape the part."""
    at = node
    while parents := table.inputs[at]:
        part, whole = (ops.value(table, one).bytes for one in (at, parents[0]))
        if part is None or whole is None or part > whole:
            return node
        if part < whole:
            return at
        at = parents[0]
    return node


def _found(
    facts: Facts, part: Partition, value: SavedValue, read: int, held: int, line: Line
) -> Found:
    before, where = part.activation_bytes, facts.places.where(line)
    finding = Finding(
        rule="saved-view",
        question="memory",
        sentence=(
            f"{where} takes {size(read)} of a tensor of {size(held)}, and the backward needs only "
            f"that part. It is a view, so all {size(held)} stay in memory until the backward."
        ),
        where=where,
        entity=entity(line),
        evidence=(
            Evidence(
                text=f"`{value.name}` keeps {size(held)} for {size(read)}",
                tab="autograd",
                entity=f"node:{part.forward}:{value.forward_node}",
            ),
        ),
        grade="may change meaning",
        remedy=(
            "Copy the part, so that the rest can be freed: `.clone()` after taking it. Writing "
            "to the copy no longer changes the whole."
        ),
        code="part = whole[:, :n].clone()",
        gain=Gain(
            metric="bytes",
            before=before,
            after=before - held + read,
            how="counted: the part alone is saved",
        ),
        cost=min(1.0, (held - read) / before) if before else 0.0,
    )
    about = frozenset({f"node:{part.forward}:{value.forward_node}"})
    return Found(finding, line=line, about=about)
