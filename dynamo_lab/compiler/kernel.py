"""A kernel: fused loops, ready to be printed for any target.

In come the nodes of a group; out comes a `Kernel`: its loops, as few as every access allows, and
its sections in order, each a straight-line body that runs at the outer or at the inner level. What
an earlier section stored is handed on as a value; what nobody outside reads is not stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import EFFECTS, WRITES, Body, Value, line_of
from dynamo_lab.compiler.fusion import levels
from dynamo_lab.compiler.index import Index, Size
from dynamo_lab.compiler.operators import HALVES
from dynamo_lab.compiler.space import Level, Space, space_of
from dynamo_lab.compiler.work import Scatter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import torch

    from dynamo_lab.compiler.layout import Position
    from dynamo_lab.compiler.printers.tuning import Tuning
    from dynamo_lab.compiler.tensors import LoweredGraph
    from dynamo_lab.compiler.work import Buffer, Loop

ROW_ON_STACK = 1 << 18
"""Bytes of a row that a kernel keeps for itself between its rounds; a longer one is stored."""


@dataclass(eq=False)
class Section:
    """Straight-line code, once for each turn of the outer loops, or of the inner ones too."""

    level: Level
    body: Body

    @property
    def reductions(self) -> list[Value]:
        """The reductions that it joins values for."""
        return [value for value in self.body.values if value.op == "reduce"]


class Kernel:
    """One fused loop nest.

    Attributes:
        name: what it is called in the printed code.
        nodes: the loops of the lowered graph that it runs, in order.
        space: its loops.
        sections: its code.
        ins: the buffers that it only reads, by name.
        outs: the buffers that it writes.
        sizes: the sizes of the run time that it needs.
        scalars: the numbers of the run time that it needs, with their types.
        scratch: rows that it keeps for itself, with their types.
        live: the buffers that something else reads after it.
        buffers: all of the program, by name.
        forced: were its loops joined where that is not legal? Then all that they write is stored.
        tuning: how its loops are written, where the reader says so.
    """

    tuning: Tuning | None = None

    def __init__(
        self,
        name: str,
        nodes: Sequence[Loop],
        graph: LoweredGraph,
        live: set[str],
        *,
        forced: bool = False,
    ) -> None:
        self.name, self.nodes, self.forced = name, list(nodes), forced
        self.buffers = {node.buffer.name: node.buffer for node in nodes} | graph.buffers
        self.space = _merged(space_of(nodes), nodes)
        self.scratch: dict[str, torch.dtype] = {}
        self.live = self._kept(live)
        self.sections = self._sections(graph.mutated)
        _drop_unused(self.sections)
        self._drop_stores()
        _drop_unused(self.sections)
        self._find_arguments()

    @property
    def joins(self) -> tuple[str, ...]:
        """The buffers whose loops it runs: what it is, whatever it is called."""
        return tuple(node.buffer.name for node in self.nodes)

    @property
    def outer(self) -> Position:
        """Its outer loop variables."""
        return self.space.outer_loops

    @property
    def inner(self) -> Position:
        """The loop variables that its reductions go over."""
        return self.space.inner_loops

    @property
    def reduces(self) -> bool:
        """Does it have inner loops?"""
        return bool(self.inner) or any(section.reductions for section in self.sections)

    @property
    def values(self) -> list[Value]:
        """All that it computes, in order."""
        return [value for section in self.sections for value in section.body.values]

    @property
    def checks(self) -> bool:
        """Does it read an index from a tensor, which may be out of range?"""
        return any(value.op == "checked" for value in self.values)

    @property
    def base(self) -> Buffer | None:
        """The buffer whose memory its only loop writes where an index says."""
        return self.nodes[0].base if isinstance(self.nodes[0], Scatter) else None

    @property
    def work(self) -> int:
        """How many times its innermost code runs, for the sizes that it was compiled with."""
        return ix.hint(self.space.outer_size) * max(ix.hint(self.space.inner_size), 1)

    @property
    def origins(self) -> tuple[str, ...]:
        """The nodes of the graph that it computes."""
        return tuple(dict.fromkeys(value.origin for value in self.values if value.origin))

    def _kept(self, live: set[str]) -> set[str]:
        if self.forced:
            return live | {node.buffer.name for node in self.nodes}
        row = self.space.inner_size
        if isinstance(row, int) and row * 8 <= ROW_ON_STACK:
            return live
        return live | {node.buffer.name for node in self.nodes if not node.reduction}

    def _sections(self, mutated: set[str]) -> list[Section]:
        rounds = levels(self.nodes, self.space, mutated, strict=False, forced=self.forced)
        assert not isinstance(rounds, str), f"fusion let through what cannot be: {rounds}"
        known: dict[tuple[str, Index], Value] = {}
        found: list[Section] = []
        for turn in range(max(rounds.values()) + 1):
            for level in ("outer", "inner"):
                mine = [
                    node
                    for node in self.nodes
                    if rounds[node] == turn and self.space.place(node)[2] == level
                ]
                if mine:
                    first = sum(len(section.body.values) for section in found)
                    body = self._body(mine, Body(dict(known), first), mutated)
                    found.append(Section(level, body))
                    known |= _handed_on(body, level, mine, mutated)
        return found

    def _body(self, nodes: Sequence[Loop], body: Body, mutated: set[str]) -> Body:
        with body:
            for node in nodes:
                outer, inner, _ = self.space.place(node)
                value = node.emit(outer, inner)
                if value.op == "store" and node.buffer.name not in mutated:
                    kept = value.args[2]
                    if node.buffer.dtype in HALVES and kept.op == "cast":
                        kept = kept.args[0]  # not rounded: as Inductor hands it on
                    body.known[value.args[0], value.args[1]] = kept
        return body

    def _drop_stores(self) -> None:
        """Stores that nobody outside reads: gone, or into a row of the kernel's own."""
        later = {buffer for section in self.sections for buffer, _ in section.body.loads()}
        own = {node.buffer.name: node.buffer for node in self.nodes}
        for section in self.sections:
            for value in list(section.body.values):
                if value.op == "store" and value.args[0] in own and value.args[0] not in self.live:
                    if value.args[0] in later:
                        self.scratch[value.args[0]] = own[value.args[0]].dtype
                    else:
                        section.body.values.remove(value)

    def _find_arguments(self) -> None:
        values = self.values
        stores = {v.args[0] for v in values if v.op in WRITES} - set(self.scratch)
        results = {v.args[2] for v in values if v.op == "reduce" and v.args[2] in self.live}
        reads = {v.args[0] for v in values if v.op == "load"}
        self.outs = sorted(stores | results)
        self.ins = sorted(reads - set(self.outs) - set(self.scratch))
        parts = [at for section in self.sections for at in section.body.indices()]
        parts += [ix.of(size) for size in (*self.space.outer, *self.space.inner)]
        self.sizes = sorted({atom.name for part in parts for atom in part.sizes()})
        self.scalars = {v.args[0]: v.dtype for v in values if v.op == "scalar"}

    def lines(self, code: Callable[[Value], str] = line_of) -> Iterator[tuple[str, str]]:
        """Its loop IR, each line with the node that it computes for, if it does for one."""
        loops = [f"for {v} < {n}" for v, n in zip(self.outer, self.space.outer, strict=True)]
        yield f"{self.name}: {', '.join(loops) or 'once'}", ""
        for section in self.sections:
            inner = [f"for {v} < {n}" for v, n in zip(self.inner, self.space.inner, strict=True)]
            yield (f"  {', '.join(inner)}:" if section.level == "inner" else "  each:"), ""
            for value in section.body.values:
                yield f"    {code(value)}", value.origin

    def __str__(self) -> str:
        return "\n".join(line for line, _ in self.lines())


def _handed_on(
    body: Body, level: Level, nodes: Iterable[Loop], mutated: set[str]
) -> dict[tuple[str, Index], Value]:
    """What later sections know without a load: results of reductions, values of the outer level."""
    found: dict[tuple[str, Index], Value] = {}
    for node in nodes:
        for value in body.values:
            if value.op == "reduce" and value.args[2] == node.buffer.name:
                found[value.args[2], value.args[3]] = value
            if value.op == "store" and value.args[0] == node.buffer.name and level == "outer":
                place = (value.args[0], value.args[1])
                if place in body.known and node.buffer.name not in mutated:
                    found[place] = body.known[place]
    return found


def _merged(space: Space, nodes: Sequence[Loop]) -> Space:
    """As few loops as there can be: neighbours are one where every access walks them as one."""
    while True:
        bodies = (node.traced(*space.place(node)[:2]) for node in nodes)
        used = [at for body in bodies for at in body.indices()]
        pair = _mergeable(space.outer, "i", used)
        if pair is not None:
            space = space.joined("outer", pair)
            continue
        pair = _mergeable(space.inner, "r", used)
        if pair is None:
            return space
        space = space.joined("inner", pair)


def _mergeable(sizes: Sequence[Size], letter: str, used: Sequence[Index]) -> int | None:
    for k in range(len(sizes) - 1):
        if all(_walks_as_one(e, f"{letter}{k}", f"{letter}{k + 1}", sizes[k + 1]) for e in used):
            return k
    return None


def _walks_as_one(e: Index, first: str, second: str, size: Size) -> bool:
    a, b = e.factor_of(first), e.factor_of(second)
    return a is not None and b is not None and ix.plain(ix.of(b) * size) == a


def _drop_unused(sections: Sequence[Section]) -> None:
    """Keep what a store or a reduction needs."""
    values = [value for section in sections for value in section.body.values]
    stack: list[object] = [value for value in values if value.op in EFFECTS]
    needed: set[Value] = set()
    while stack:
        part = stack.pop()
        if isinstance(part, Index):
            stack += [inner for atom in part.atoms() for inner in atom.args]
        elif isinstance(part, Value) and part not in needed:
            needed.add(part)
            stack += part.args
    for section in sections:
        section.body.values = [value for value in section.body.values if value in needed]
