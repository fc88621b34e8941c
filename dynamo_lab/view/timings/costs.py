"""Seconds of compiling by line, function, module, operator, kernel and pass.

Nothing is guessed: a second belongs to a line if it was taken at one of the line's nodes, and what
cannot be told so is "the rest". The parts of a table and its rest make up the whole.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.names import code_name
from dynamo_lab.view.core.places import Places, entity

Work = Literal["tracing", "lowering", "code", "building"]
_MOST = 100


class CostRow(Struct, frozen=True, array_like=True):
    """What took time. `count` is of nodes, or of runs of a pass; `entity` is what to select."""

    name: str
    seconds: float
    share: float
    tracing: float = 0.0
    lowering: float = 0.0
    code: float = 0.0
    building: float = 0.0
    count: int = 0
    entity: str = ""


class CostTable(Struct, frozen=True, kw_only=True):
    """All of the compile time by one thing, the costliest first.

    `others` are the seconds of rows that are left out, `rest` those that belong to none.
    """

    by: str
    rows: tuple[CostRow, ...]
    more: int = 0
    others: float = 0.0
    rest: float = 0.0
    note: str = ""


class Piece(NamedTuple):
    """Seconds of one kind of work, at one node of a graph. A kernel's are shared by its nodes."""

    work: Work
    seconds: float
    graph: int
    node: int
    kernel: int = -1


class Key(NamedTuple):
    """What a piece belongs to, and how to select it."""

    name: str
    entity: str = ""


def build(
    recording: Recording, places: Places, whole: float, waited: float
) -> tuple[CostTable, ...]:
    """One table for each thing that is known; none where the whole is not.

    `waited` are the seconds in which Python waited for compilers.
    """
    if whole <= 0:
        return ()
    found = tuple(pieces(recording, waited))
    keys = _Keys(recording, places)
    tables = (
        _table("line", ((keys.line(piece), piece) for piece in found), whole),
        _table("function", ((keys.function(piece), piece) for piece in found), whole),
        _table("module", ((keys.module(piece), piece) for piece in found), whole),
        _table("operator", ((keys.operator(piece), piece) for piece in found), whole),
        _table("kernel", ((keys.kernel(piece), piece) for piece in found), whole),
        _passes(recording, whole),
        _processes(recording),
    )
    return tuple(table for table in tables if table.rows)


def pieces(recording: Recording, waited: float) -> Iterator[Piece]:
    """Every second that was taken at a node."""
    for graph in recording.graphs:
        for node, seconds in enumerate(graph.traced):
            yield Piece("tracing", seconds, graph.id, node)
    for lowering in recording.lowerings:
        for row in lowering.nodes:
            if row.seconds:
                yield Piece("lowering", row.seconds, lowering.graph, row.node)
    yield from _of_kernels(recording, waited)


def _of_kernels(recording: Recording, waited: float) -> Iterator[Piece]:
    """Kernels are built beside each other: what was waited is shared by how long each took."""
    built = sum(kernel.built_in or 0.0 for kernel in recording.kernels)
    per_second = min(1.0, waited / built) if built else 0.0
    for kernel in recording.kernels:
        if kernel.graph is None or not kernel.nodes:
            continue
        works: tuple[tuple[Work, float], ...] = (
            ("code", kernel.written_in or 0.0),
            ("building", (kernel.built_in or 0.0) * per_second),
        )
        for work, seconds in works:
            for node in kernel.nodes if seconds else ():
                share = seconds / len(kernel.nodes)
                yield Piece(work, share, kernel.graph, node, kernel.id)


class _Keys:
    """What each piece belongs to; None for what is not known, which is then in the rest."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self._graphs = recording.graphs
        self._kernels = recording.kernels
        self._places = places

    def _stack(self, piece: Piece) -> int | None:
        stack = self._graphs[piece.graph].nodes.stack[piece.node]
        return None if stack < 0 else stack

    def line(self, piece: Piece) -> Key | None:
        line = self._places.own_line(self._stack(piece))
        if line is None:
            return None
        text = self._places.text(line).strip()
        return Key(f"{self._places.where(line)}: {text}", entity(line))

    def function(self, piece: Piece) -> Key | None:
        stack = self._stack(piece)
        line = self._places.own_line(stack)
        if line is None:
            return None
        spans = self._places.stack_spans[stack] if stack is not None else ()
        for span in reversed(spans):
            if self._places.line_of(span) == line:
                name, file = code_name(self._places.function(span)), self._places.file(line[0])
                return Key(f"{name} ({file})" if file else name)
        return None

    def module(self, piece: Piece) -> Key | None:
        nodes = self._graphs[piece.graph].nodes
        path = nodes.strings[nodes.module[piece.node]]
        kind = nodes.module_types.get(path, "")
        return Key(f"{path} ({kind})" if kind else path) if path else None

    def operator(self, piece: Piece) -> Key | None:
        graph = self._graphs[piece.graph]
        return Key(_operator(graph, piece.node)) if _is_call(graph, piece.node) else None

    def kernel(self, piece: Piece) -> Key | None:
        if piece.kernel < 0:
            return None
        return Key(self._kernels[piece.kernel].name, f"kernel:{piece.kernel}")


def _is_call(graph: Graph, node: int) -> bool:
    return graph.nodes.strings[graph.nodes.op[node]].startswith("call_")


def _operator(graph: Graph, node: int) -> str:
    return graph.nodes.strings[graph.nodes.target[node]]


def _table(
    by: str, keyed: Iterable[tuple[Key | None, Piece]], whole: float, note: str = ""
) -> CostTable:
    sums: dict[Key, dict[str, float]] = {}
    nodes: dict[Key, set[NodeKey]] = {}
    for key, piece in keyed:
        if key is not None:
            work = sums.setdefault(
                key, dict.fromkeys(("tracing", "lowering", "code", "building"), 0.0)
            )
            work[piece.work] += piece.seconds
            nodes.setdefault(key, set()).add((piece.graph, piece.node))
    rows = [
        CostRow(
            name=key.name,
            seconds=sum(work.values()),
            share=_share(sum(work.values()), whole),
            count=len(nodes[key]),
            entity=key.entity,
            **work,
        )
        for key, work in sums.items()
    ]
    return _ranked(by, rows, whole, note)


def _ranked(by: str, rows: Sequence[CostRow], whole: float, note: str = "") -> CostTable:
    ranked = sorted(rows, key=lambda row: -row.seconds)
    told = sum(row.seconds for row in ranked)
    return CostTable(
        by=by,
        rows=tuple(ranked[:_MOST]),
        more=max(0, len(ranked) - _MOST),
        others=sum(row.seconds for row in ranked[_MOST:]),
        rest=max(0.0, whole - told),
        note=note,
    )


def _passes(recording: Recording, whole: float) -> CostTable:
    """Each pass without those that ran inside of it."""
    own = [one.seconds for one in recording.passes]
    for one in recording.passes:
        if one.parent is not None:
            own[one.parent] -= one.seconds
    sums: dict[str, tuple[float, int]] = {}
    for one, seconds in zip(recording.passes, own, strict=True):
        before, count = sums.get(one.name, (0.0, 0))
        sums[one.name] = (before + max(0.0, seconds), count + 1)
    rows = [
        CostRow(name, seconds, _share(seconds, whole), count=count)
        for name, (seconds, count) in sums.items()
    ]
    return _ranked("pass", rows, whole)


def _processes(recording: Recording) -> CostTable:
    """What the C++ compiler took for each kernel: processes run beside each other."""
    built = [kernel for kernel in recording.kernels if kernel.built_in is not None]
    total = sum(kernel.built_in or 0.0 for kernel in built)
    rows = [
        CostRow(
            kernel.name,
            kernel.built_in or 0.0,
            _share(kernel.built_in or 0.0, total),
            building=kernel.built_in or 0.0,
            count=1,
            entity=f"kernel:{kernel.id}",
        )
        for kernel in built
    ]
    note = "Compilers run beside each other, so this may be more than was waited."
    return _ranked("compiler process", rows, total, note)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0
