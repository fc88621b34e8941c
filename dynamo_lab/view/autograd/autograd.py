"""Autograd ahead of time: what the forward keeps, what the backward computes again, and why."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from dynamo_lab.model.autograd import (
    Differentiated,
    Partition,
    Recomputed,
    SavedValue,
    held_bytes,
)
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.autograd import reasons
from dynamo_lab.view.core.names import operator_name, plain_input
from dynamo_lab.view.core.places import Places, entity
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.values import value_text
from dynamo_lab.view.core.words import size


class KeptRow(Struct, frozen=True, kw_only=True):
    """A value that is kept, or would be. `node` and `backward` are entities of its two nodes.

    `size` is empty where it is symbolic. `price` is what the min-cut gave for keeping it, empty
    where unknown.
    """

    name: str
    operator: str
    value: str
    bytes: int
    size: str
    price: str
    why: str
    node: str
    backward: str
    where: str
    entity: str
    line: str
    module: str


class SavedRow(KeptRow, frozen=True, kw_only=True):
    """A value kept for the backward. `role` is that of the fact, or "copy".

    `bytes` counts only memory that would not live otherwise, and once where values share it.
    """

    role: str


class RecomputedRow(KeptRow, frozen=True, kw_only=True):
    """An operator that the backward runs again. `bytes` is what keeping its result would take."""

    is_free: bool


class LineCost(Struct, frozen=True, kw_only=True):
    """What one line keeps for the backward: how many values, and their bytes."""

    where: str
    entity: str
    line: str
    count: int
    bytes: int
    size: str


class PairRow(Struct, frozen=True, kw_only=True):
    """An operator of the joint graph beside its gradient, as node indices of the joint graph."""

    operator: str
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    where: str
    entity: str
    line: str


class PartitionView(Struct, frozen=True, kw_only=True):
    """One graph as AOTAutograd cut it. `joint`, `forward` and `backward` are graph ids.

    `sentences` tell it in plain words; `handled` are the mutations and views that it took out of
    the graph or put back. `activation_bytes` of `unpartitioned_bytes` are kept.
    """

    id: int
    number: int
    title: str
    method: str
    joint: int | None
    forward: int | None
    backward: int | None
    budget: float
    sentences: tuple[str, ...]
    activation_bytes: int
    unpartitioned_bytes: int | None
    saved: tuple[SavedRow, ...]
    lines: tuple[LineCost, ...]
    recomputed: tuple[RecomputedRow, ...]
    pairs: tuple[PairRow, ...]
    handled: tuple[str, ...]


def build(recording: Recording, places: Places) -> tuple[PartitionView, ...]:
    """Each partition, in the order of compilation."""
    titles = GraphTitles(recording)
    return tuple(_View(recording, places, titles, part).build() for part in recording.partitions)


class _View:
    """Writes one partition."""

    def __init__(
        self, recording: Recording, places: Places, titles: GraphTitles, part: Partition
    ) -> None:
        self._recording = recording
        self._places = places
        self._titles = titles
        self._part = part
        self._inputs = dict(_inputs(recording, part))
        self._read = frozenset(_read(recording, part))

    def build(self) -> PartitionView:
        part = self._part
        saved = tuple(self._saved())
        number = 0 if part.forward is None else self._titles.numbers[part.forward]
        return PartitionView(
            id=part.id,
            number=number,
            title=f"graph {number}",
            method=part.method,
            joint=part.joint,
            forward=part.forward,
            backward=part.backward,
            budget=part.budget,
            sentences=tuple(reasons.sentences(part, self._symbolic())),
            activation_bytes=part.activation_bytes,
            unpartitioned_bytes=part.unpartitioned_bytes,
            saved=saved,
            lines=tuple(_lines(saved)),
            recomputed=tuple(map(self._recomputed, part.recomputed)),
            pairs=tuple(map(self._pair, part.differentiated)),
            handled=tuple(self._handled()),
        )

    def _saved(self) -> Iterator[SavedRow]:
        """The largest first; what lives anyway last."""
        first: dict[tuple[int, bool], str] = {}
        rows: list[SavedRow] = []
        for value in self._part.saved:
            is_new = value.copied or value.role not in ("parameter", "input")
            owner = first.setdefault((value.storage, value.copied), value.name)
            shares = owner if owner != value.name else ""
            rows.append(self._row(value, held_bytes(value) if is_new and not shares else 0, shares))
        return iter(sorted(rows, key=lambda row: (row.role in ("parameter", "input"), -row.bytes)))

    def _row(self, value: SavedValue, size: int, shares: str) -> SavedRow:
        node = self._recording.graphs[self._graph()].nodes[value.forward_node]
        return SavedRow(
            name=self._inputs.get(value.forward_node, value.name),
            operator="" if node.op == "placeholder" else operator_name(node.target),
            role="copy" if value.copied else value.role,
            value=value_text(node.value),
            bytes=size,
            size=_size(size or value.bytes),
            price=_price(value.weight),
            why=reasons.kept(
                value, operator_name(node.target), shares, is_read=value.backward_node in self._read
            ),
            backward=_node(self._part.backward, value.backward_node),
            **self._place(value.forward_node),
        )

    def _symbolic(self) -> int:
        """How many activations have a size that may vary."""
        nodes = self._recording.graphs[self._graph()].nodes
        kept = (v for v in self._part.saved if v.role in ("activation", "output"))
        values = (nodes[v.forward_node].value for v in kept)
        return sum(value.dtype != "" and value.bytes is None for value in values)

    def _recomputed(self, item: Recomputed) -> RecomputedRow:
        node = self._recording.graphs[self._graph()].nodes[item.forward_node]
        return RecomputedRow(
            name=item.name,
            operator=operator_name(node.target),
            value=value_text(node.value),
            bytes=0 if item.is_free else item.bytes or 0,
            size="" if item.is_free else _size(item.bytes),
            price="" if item.is_free else _price(item.weight),
            is_free=item.is_free,
            why=reasons.computed_again(item),
            backward=_node(self._part.backward, item.backward_node),
            **self._place(item.forward_node),
        )

    def _graph(self) -> int:
        """The forward graph: values are kept in it."""
        return self._part.forward or 0

    def _place(self, index: int) -> dict[str, str]:
        """Where a node of the forward graph comes from."""
        node = self._recording.graphs[self._graph()].nodes[index]
        line = self._places.own_line(node.stack)
        return {
            "node": _node(self._graph(), index),
            "where": self._places.where(line) if line else "",
            "entity": entity(line) if line else "",
            "line": self._places.text(line).strip() if line else "",
            "module": node.module,
        }

    def _pair(self, item: Differentiated) -> PairRow:
        assert self._part.joint is not None  # pairs are nodes of the joint graph
        nodes = self._recording.graphs[self._part.joint].nodes
        stacks = (nodes[index].stack for index in (*item.forward, *item.backward))
        line = self._places.own_line(next((s for s in stacks if s is not None), None))
        return PairRow(
            operator=operator_name(item.operator) if item.operator else "",
            forward=item.forward,
            backward=item.backward,
            where=self._places.where(line) if line else "",
            entity=entity(line) if line else "",
            line=self._places.text(line).strip() if line else "",
        )

    def _handled(self) -> Iterator[str]:
        names = list(self._inputs.values())
        for mutation in self._part.mutations:
            name = names[mutation.input] if mutation.input < len(names) else ""
            yield reasons.mutation(mutation, name)
        for alias in self._part.aliases:
            of_input = alias.base is not None and alias.kind in ("alias_of_input", "is_input")
            index = alias.base or 0
            yield reasons.alias(alias, names[index] if of_input and index < len(names) else "")


def _inputs(recording: Recording, part: Partition) -> Iterator[tuple[int, str]]:
    """The inputs of the forward graph by index, each as the program calls it."""
    if part.forward is None:
        return
    nodes = recording.graphs[part.forward].nodes
    captured = [g for g in recording.captured_graphs() if g.compile_id == part.compile_id]
    earlier = [graph for graph in captured if graph.id < part.forward]
    known = [n.name for n in earlier[-1].nodes if n.op == "placeholder"] if earlier else []
    own = [node for node in nodes if node.op == "placeholder"]
    for position, node in enumerate(own):
        name = known[position] if len(known) == len(own) else node.name
        yield node.index, plain_input(name)


def _read(recording: Recording, part: Partition) -> Iterator[int]:
    """The nodes that the backward itself reads: not only what it computes again from them."""
    if part.backward is None:
        return
    again = {item.backward_node for item in part.recomputed if not item.is_free}
    through = {item.backward_node for item in part.recomputed if item.is_free}
    nodes = recording.graphs[part.backward].nodes
    read: set[int] = set()
    for node in reversed(list(nodes)):  # users come after what they read
        if node.index in again or (node.index in through and node.index not in read):
            continue
        read.update(node.inputs)
    yield from read


def _node(graph: int | None, index: int | None) -> str:
    return "" if graph is None or index is None else f"node:{graph}:{index}"


def _size(count: int | None) -> str:
    return "" if count is None else size(count)


def _price(weight: float | None) -> str:
    return "" if weight is None else size(round(weight))


def _lines(saved: Sequence[SavedRow]) -> Iterator[LineCost]:
    """What lines keep, the costliest first; parameters and inputs are nobody's cost."""
    kept = [row for row in saved if row.bytes]
    by_line = groupby(sorted(kept, key=_line_key), _line_key)
    costs = [_line(list(rows)) for _, rows in by_line]
    return iter(sorted(costs, key=lambda cost: -cost.bytes))


def _line_key(row: SavedRow) -> str:
    return row.entity


def _line(rows: Sequence[SavedRow]) -> LineCost:
    total = sum(row.bytes for row in rows)
    return LineCost(
        where=rows[0].where,
        entity=rows[0].entity,
        line=rows[0].line,
        count=len(rows),
        bytes=total,
        size=size(total),
    )
