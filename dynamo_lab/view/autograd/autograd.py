"""Autograd ahead of time: what the forward saves, what the backward recomputes, and why."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.autograd import (
    Differentiated,
    Partition,
    Recomputed,
    SavedValue,
    held_bytes,
)
from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.autograd import reasons
from dynamo_lab.view.autograd.writes import in_place
from dynamo_lab.view.core.names import input_name, operator_name, plain_input
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.values import value_text
from dynamo_lab.view.core.words import size


class KeptRow(Struct, frozen=True, kw_only=True):
    """A value that is saved, or would be. `node` and `backward` are entities of its two nodes.

    `size` is empty where it is symbolic. `price` is the cost of saving it in the min-cut, empty
    where it is unknown.
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
    """A value saved for the backward. `role` is that of the fact, or "copy".

    `bytes` counts only memory that would otherwise be freed, and shared memory once. `donated` says
    whether the backward may overwrite it, None where that is not known.
    """

    role: str
    donated: bool | None = None


class RecomputedRow(KeptRow, frozen=True, kw_only=True):
    """An operator that the backward recomputes. `bytes` is what saving its result would take."""

    is_free: bool


class LineCost(Struct, frozen=True, kw_only=True):
    """What one line, or module, saves for the backward: how many values, and their bytes.

    Memory that several values share counts where the first of them is saved: `size` is "shared"
    where all of a line's are in memory that counts at another.
    """

    where: str
    entity: str
    line: str
    count: int
    bytes: int
    size: str


class PairRow(Struct, frozen=True, kw_only=True):
    """An operator and its gradient, both as node indices of the joint graph."""

    operator: str
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    where: str
    entity: str
    line: str


class PartitionView(Struct, frozen=True, kw_only=True):
    """One graph as AOTAutograd partitioned it. `joint`, `forward` and `backward` are graph ids.

    `lines` are by "module" where the reader has no line in the graph. `sentences` describe it
    in plain words; `handled` are the mutations and views it took out of the graph or put back.
    `activation_bytes` of `unpartitioned_bytes` are saved.
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
    by: Literal["line", "module"] = "line"


def build(recording: Recording, places: Places) -> tuple[PartitionView, ...]:
    """Each partition, in the order of compilation."""
    titles = GraphTitles(recording)
    return tuple(_View(recording, places, titles, part).build() for part in recording.partitions)


class _View:
    """Builds the view of one partition."""

    def __init__(
        self, recording: Recording, places: Places, titles: GraphTitles, part: Partition
    ) -> None:
        self._recording = recording
        self._places = places
        self._titles = titles
        self._part = part
        self._names = _captured_names(recording, part)
        self._inputs = dict(_inputs(recording, part, self._names))
        self._read = frozenset(_read(recording, part))
        self._modules: set[str] = set()
        self._shared: set[str] = set()

    def build(self) -> PartitionView:
        part = self._part
        saved = tuple(self._saved())
        counted = [row for row in saved if row.bytes or row.node in self._shared]
        lines = tuple(_lines(counted, self._modules))
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
            unpartitioned_bytes=reasons.all_read(part),
            saved=saved,
            lines=lines,
            recomputed=tuple(map(self._recomputed, part.recomputed)),
            pairs=tuple(map(self._pair, part.differentiated)),
            handled=tuple(self._handled()),
            by="module" if lines and self._modules.issuperset(c.where for c in lines) else "line",
        )

    def _saved(self) -> Iterator[SavedRow]:
        """The largest first; last, what stays alive anyway."""
        first: dict[tuple[int, bool], SavedRow] = {}
        rows: list[SavedRow] = []
        for value in self._part.saved:
            is_new = value.copied or value.role not in ("parameter", "input")
            owner = first.get((value.storage, value.copied))
            shares = owner.name if owner else ""
            row = self._row(value, held_bytes(value) if is_new and not owner else 0, shares)
            if owner and owner.bytes:
                self._shared.add(row.node)
            first.setdefault((value.storage, value.copied), row)
            rows.append(row)
        return iter(sorted(rows, key=lambda row: (row.role in ("parameter", "input"), -row.bytes)))

    def _row(self, value: SavedValue, size: int, shares: str) -> SavedRow:
        node = self._recording.graphs[self._graph()].nodes[value.forward_node]
        return SavedRow(
            name=self._inputs.get(value.forward_node, value.name),
            operator="" if node.op == "placeholder" else operator_name(node.target),
            role="copy" if value.copied else value.role,
            donated=value.donated,
            value=value_text(node.value),
            bytes=size,
            size=_size(size or value.bytes),
            price=_price(value.weight),
            why=reasons.why_saved(
                value, operator_name(node.target), shares, is_read=value.backward_node in self._read
            ),
            backward=_node(self._part.backward, value.backward_node),
            **self._place(value.forward_node),
        )

    def _symbolic(self) -> int:
        """How many activations have a dynamic size."""
        nodes = self._recording.graphs[self._graph()].nodes
        activations = (v for v in self._part.saved if v.role in ("activation", "output"))
        values = (nodes[v.forward_node].value for v in activations)
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
        """The forward graph, in which saved values are found."""
        return self._part.forward or 0

    def _place(self, index: int) -> dict[str, str]:
        """Where a node of the forward graph comes from."""
        node = self._recording.graphs[self._graph()].nodes[index]
        return {
            "node": _node(self._graph(), index),
            **self._origin(self._graph(), (index,)),
            "module": node.module,
        }

    def _origin(self, graph: int, nodes: Sequence[int]) -> dict[str, str]:
        found = origin_of(((graph, node) for node in nodes), self._recording, self._places)
        if found.is_module:
            self._modules.add(found.where)
        return {"where": found.where, "entity": found.entity, "line": found.line}

    def _pair(self, item: Differentiated) -> PairRow:
        assert self._part.joint is not None  # pairs are nodes of the joint graph
        return PairRow(
            operator=operator_name(item.operator) if item.operator else "",
            forward=item.forward,
            backward=item.backward,
            **self._origin(self._part.joint, (*item.forward, *item.backward)),
        )

    def _handled(self) -> Iterator[str]:
        names = self._names
        gone = in_place(self._recording, self._part)
        for mutation in self._part.mutations:
            name = names[mutation.input] if mutation.input < len(names) else ""
            is_gone = mutation.in_graph and mutation.input in gone
            yield reasons.mutation(mutation, name, in_place=is_gone)
        for alias in self._part.aliases:
            of_input = alias.base is not None and alias.kind in ("alias_of_input", "is_input")
            index = alias.base or 0
            yield reasons.alias(alias, names[index] if of_input and index < len(names) else "")


def _captured_names(recording: Recording, part: Partition) -> list[str]:
    """The names of the forward's inputs in the program.

    Empty if AOTAutograd's are others than Dynamo's: of inputs that share memory, and are written
    to, it makes one.
    """
    if part.forward is None:
        return []
    captured = [g for g in recording.captured_graphs() if g.compile_id == part.compile_id]
    earlier = [graph for graph in captured if graph.id < part.forward]
    table = earlier[-1].nodes if earlier else NodeTable()
    known = [input_name(table, node.index) for node in table if node.op == "placeholder"]
    own = sum(node.op == "placeholder" for node in recording.graphs[part.forward].nodes)
    return known if len(known) == own else []


def _inputs(
    recording: Recording, part: Partition, names: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """The inputs of the forward graph by index, each by its name in the program, if known."""
    if part.forward is None:
        return
    nodes = recording.graphs[part.forward].nodes
    own = [node for node in nodes if node.op == "placeholder"]
    for position, node in enumerate(own):
        yield node.index, names[position] if names else plain_input(node.name)


def _read(recording: Recording, part: Partition) -> Iterator[int]:
    """The nodes that the backward itself reads, not only to recompute others from them."""
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


def _lines(saved: Sequence[SavedRow], modules: Collection[str]) -> Iterator[LineCost]:
    """What each line saves, the largest first; parameters and inputs count for no line."""
    by_line = groupby(sorted(saved, key=_place_key), _place_key)
    costs = [_line(list(rows), is_module=where in modules) for where, rows in by_line]
    return iter(sorted(costs, key=lambda cost: -cost.bytes))


def _place_key(row: SavedRow) -> str:
    return row.where


def _line(rows: Sequence[SavedRow], *, is_module: bool) -> LineCost:
    total = sum(row.bytes for row in rows)
    return LineCost(
        where=rows[0].where,
        entity="" if is_module else rows[0].entity,  # a module has many lines
        line=rows[0].line,
        count=len(rows),
        bytes=total,
        size=size(total) if total else "shared",
    )
