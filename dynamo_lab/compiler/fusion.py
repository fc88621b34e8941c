"""Fusion: which loops share a kernel, as pairs with a score, a verdict and a reason.

In comes a lowered graph; out come its units in an order that runs, a unit being a group of loops
or a call. Greedy: of the pairs that may be joined, the one that shares the most bytes of memory
is; until none is left.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import WRITES
from dynamo_lab.compiler.groups import Group, Unit, ordered, predecessors
from dynamo_lab.compiler.space import Level, Space, nests, space_of
from dynamo_lab.compiler.work import Loop, Scatter
from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dynamo_lab.compiler.body import Body
    from dynamo_lab.compiler.index import Index
    from dynamo_lab.compiler.tensors import LoweredGraph

MOST_LOOPS = 64
"""A kernel of more would take its compiler long, for little less memory."""
MOST_NEIGHBOURS = 20
"""Of the many readers of one buffer, each is compared with so many that follow."""


@dataclass(frozen=True)
class Verdict:
    """Whether two groups were joined, and why not."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    """The buffers that their loops write."""
    score: int
    """Bytes of the buffers that both touch, each counted once."""
    reason: str
    """Empty where they were joined."""
    despite: str = ""
    """Why they would not have been joined, where the reader forced it."""

    @property
    def fused(self) -> bool:
        """Whether the two became one kernel."""
        return not self.reason

    def __str__(self) -> str:
        pair = f"{'+'.join(self.first)} with {'+'.join(self.second)}"
        said = f"forced, although {self.despite}" if self.despite else self.reason or "joined"
        return f"{pair}: {said} ({self.score} bytes shared)"


def shared_bytes(graph: LoweredGraph, a: Group, b: Group) -> int:
    """Bytes of the buffers that both touch."""
    both = (a.reads | a.writes) & (b.reads | b.writes)
    return sum(graph.buffers[name].bytes for name in both if name in graph.buffers)


@dataclass(frozen=True)
class Choices:
    """What a reader may change of fusion."""

    score: Callable[[LoweredGraph, Group, Group], int] = shared_bytes
    """How much joining a pair is worth; the highest is joined first, 0 never."""
    forbidden: Callable[[Group, Group], str] = lambda a, b: ""
    """A reason against a pair that would be legal, or nothing."""
    forced: tuple[tuple[str, str], ...] = ()
    """Pairs of buffers, or of the nodes that they store, that share a kernel, legal or not."""


@dataclass(frozen=True)
class Schedule:
    """The units in an order that runs, and every pair that was considered."""

    units: list[Unit]
    verdicts: list[Verdict]

    def __str__(self) -> str:
        units = [f"{at}: {unit}" for at, unit in enumerate(self.units)]
        return "\n".join([*units, "", *map(str, self.verdicts)]).rstrip("\n")


def schedule(graph: LoweredGraph, choices: Choices | None = None) -> Schedule:
    """Join loops into kernels, as far as it is legal and shares memory."""
    return _Scheduler(graph, choices or Choices()).run()


class _Scheduler:
    def __init__(self, graph: LoweredGraph, choices: Choices) -> None:
        self.graph, self.choices = graph, choices
        self.verdicts: list[Verdict] = []
        units = [Group([work]) if isinstance(work, Loop) else work for work in graph.work]
        self.units: dict[int, Unit] = {id(u): u for u in ordered(units, graph.mutated)}
        before = predecessors(list(self.units.values()), graph.mutated)
        self.before = {key: {id(unit) for unit in listed} for key, listed in before.items()}
        self.queue: list[tuple[int, int, Group, Group]] = []
        self.pushed = 0

    def run(self) -> Schedule:
        for first, last in self.choices.forced:
            self._force(first, last)
        groups = [unit for unit in self.units.values() if isinstance(unit, Group)]
        for a, b in _neighbours(groups):
            self._push(a, b)
        while self.queue:
            score, _, a, b = heapq.heappop(self.queue)
            if id(a) not in self.units or id(b) not in self.units:
                continue
            nodes = ordered([*a.nodes, *b.nodes], self.graph.mutated)
            reason = self._reason_against(a, b, nodes)
            self.verdicts.append(Verdict(_names(a), _names(b), -score, reason))
            if not reason:
                self._join(a, b, Group(nodes))
        units = ordered(list(self.units.values()), self.graph.mutated)
        return Schedule(units, self.verdicts)

    def _force(self, first: str, last: str) -> None:
        """Join the loops of two buffers, whatever they read, if any loops could run both."""
        a, b = self._group_of(first), self._group_of(last)
        if a is b:
            return
        between = self._between(a, b)
        impossible = different_loops(a, b) or (between and f"{between} has to run between them")
        if impossible:
            raise LoweringError(f"{first} and {last} cannot share a kernel: {impossible}.")
        nodes = ordered([*a.nodes, *b.nodes], self.graph.mutated)
        reason = self._illegal(a, b, nodes)
        score = self.choices.score(self.graph, a, b)
        self.verdicts.append(Verdict(_names(a), _names(b), score, "", despite=reason))
        self._join(a, b, Group(nodes, forced=bool(reason) or a.forced or b.forced))

    def _group_of(self, name: str) -> Group:
        groups = [unit for unit in self.units.values() if isinstance(unit, Group)]
        for group in groups:
            if any(name in (node.buffer.name, node.origin) for node in group.nodes):
                return group
        known = ", ".join(node.buffer.name for group in groups for node in group.nodes)
        raise LoweringError(f"{name} has no loop of its own; these have: {known or 'none'}.")

    def _push(self, a: Group, b: Group) -> None:
        score = self.choices.score(self.graph, a, b)
        if score > 0:
            self.pushed += 1
            heapq.heappush(self.queue, (-score, self.pushed, a, b))

    def _join(self, a: Group, b: Group, joined: Group) -> None:
        gone = {id(a), id(b)}
        before = (self.before.pop(id(a)) | self.before.pop(id(b))) - gone
        for listed in self.before.values():
            if listed & gone:
                listed -= gone
                listed.add(id(joined))
        self.before[id(joined)] = before
        # in the first one's place: calls that draw random numbers keep their turns among themselves
        self.units = {
            (id(joined) if key == id(a) else key): (joined if key == id(a) else unit)
            for key, unit in self.units.items()
            if key != id(b)
        }
        touched = joined.reads | joined.writes
        for unit in list(self.units.values()):
            if not isinstance(unit, Group) or unit is joined:
                continue
            if touched & (unit.reads | unit.writes):
                self._push(joined, unit)

    def _reason_against(self, a: Group, b: Group, nodes: Sequence[Loop]) -> str:
        if len(nodes) > MOST_LOOPS:
            return f"together they have more than {MOST_LOOPS} loop nodes"
        return self.choices.forbidden(a, b) or self._illegal(a, b, nodes)

    def _illegal(self, a: Group, b: Group, nodes: Sequence[Loop]) -> str:
        """Why joining the two would change what is computed."""
        if any(isinstance(node, Scatter) for node in nodes):
            return "one writes where an index says, all of it before another may read"
        against = different_loops(a, b)
        if against:
            return against
        between = self._between(a, b)
        if between:
            return f"{between} has to run between them"
        found = levels(nodes, space_of(nodes), self.graph.mutated, strict=True)
        return found if isinstance(found, str) else ""

    def _between(self, a: Group, b: Group) -> str:
        """A third unit on a path from one to the other."""
        for first, last in ((id(a), id(b)), (id(b), id(a))):
            seen = {last}
            stack = [key for key in self.before[last] if key != first]
            while stack:
                key = stack.pop()
                if key in seen:
                    continue
                seen.add(key)
                if first in self.before[key]:
                    return str(self.units[key])
                stack += self.before[key]
        return ""


def _names(group: Group) -> tuple[str, ...]:
    return tuple(node.buffer.name for node in group.nodes)


def _neighbours(groups: Sequence[Group]) -> Iterator[tuple[Group, Group]]:
    """The pairs that touch one buffer, each once, the earlier first."""
    users: dict[str, list[int]] = defaultdict(list)
    for at, group in enumerate(groups):
        for name in group.reads | group.writes:
            users[name].append(at)
    pairs = {
        pair
        for places in users.values()
        for pair in combinations(places, 2)
        if places.index(pair[1]) - places.index(pair[0]) < MOST_NEIGHBOURS
    }
    return ((groups[i], groups[j]) for i, j in sorted(pairs))


def different_loops(a: Group, b: Group) -> str:
    """Why the two cannot run in the same loops, if their sizes differ."""
    x, y = a.reducing, b.reducing
    if x and y:
        if (x.outer_size, x.inner_size) == (y.outer_size, y.inner_size):
            return ""
        return (
            f"one reduces {x.inner_size} elements for each of {x.outer_size}, "
            f"the other {y.inner_size} for each of {y.outer_size}"
        )
    if x or y:
        reducing, plain = (x, b) if x else (y, a)
        assert reducing is not None
        size = plain.nodes[0].outer_size
        if size in (reducing.outer_size, ix.product([reducing.outer_size, reducing.inner_size])):
            return ""
        return (
            f"a loop over {size} elements fits neither the {reducing.outer_size} results "
            "nor the elements of a reduction"
        )
    if a.nodes[0].outer_size == b.nodes[0].outer_size:
        return ""
    return (
        f"one loops over {a.nodes[0].outer_size} elements, the other over {b.nodes[0].outer_size}"
    )


def levels(
    nodes: Sequence[Loop],
    space: Space,
    mutated: set[str],
    *,
    strict: bool,
    forced: bool = False,
) -> dict[Loop, int] | str:
    """In which of the kernel's rounds each node runs, or why they cannot share a kernel.

    What a reduction gives is only there after its inner loops: what reads it runs in a later round.

    Args:
        nodes: in an order that runs.
        space: the loops of the kernel.
        mutated: inputs that are written, after all that reads them.
        strict: refuse nodes whose loops do not nest in the kernel's.
        forced: refuse nothing: the rounds that come nearest to an order that is right.
    """
    written: dict[str, tuple[Loop, Index, Level]] = {}
    reads: dict[str, list[tuple[Loop, Index, Level]]] = defaultdict(list)
    rounds: dict[Loop, int] = {}
    for node in nodes:
        outer, inner, level = space.place(node)
        if strict and not nests((*outer, *inner)):
            return f"the loops of {node.buffer.name} and of the others do not nest"
        body = node.traced(outer, inner)
        mine = 0
        for buffer, at in body.loads():
            if buffer in mutated:
                reads[buffer].append((node, at, level))
            elif buffer in written and buffer != node.buffer.name:
                writer, place, writer_level = written[buffer]
                if at != place and not forced:
                    return (
                        f"{node.buffer.name} reads {buffer} at {ix.shown(at)}, "
                        f"which is written at {ix.shown(place)}"
                    )
                too_early = writer_level == "inner" and not writer.reduction and level == "outer"
                if too_early and not forced:
                    return f"{node.buffer.name} reads an element of {buffer} that other turns write"
                mine = max(mine, rounds[writer] + (1 if writer.reduction else 0))
        name, place = target_of(body)
        for reader, at, reader_level in reads[name]:
            if at != place and not forced:
                return (
                    f"{name} is written at {ix.shown(place)}, "
                    f"which is still to be read at {ix.shown(at)}"
                )
            # of one round the outer level runs first, and inner loops would read what it wrote
            later = reader_level == "inner" and level == "outer"
            mine = max(mine, rounds.get(reader, mine) + later)
        rounds[node] = mine
        written[name] = (node, place, level)
    return rounds


def target_of(body: Body) -> tuple[str, Index]:
    """The buffer that a node's body writes, and where."""
    for value in reversed(body.values):
        if value.op in WRITES:
            return value.args[0], value.args[1]
        if value.op == "reduce":
            return value.args[2], value.args[3]
    raise AssertionError("a loop that writes nothing")
