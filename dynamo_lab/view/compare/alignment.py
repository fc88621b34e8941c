"""Which kernels of two recordings of one program do the same work."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct

from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.links import build as build_links
from dynamo_lab.view.core.names import kernel_base, operator_name
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.rewritten import rewritten
from dynamo_lab.view.kernels.titles import QUIET

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from dynamo_lab.model.graphs import Graph
    from dynamo_lab.model.kernels import Kernel
    from dynamo_lab.model.lowering import Compiler
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.core.ancestry import NodeKey

    Keys = list[set[Hashable]]

_Side = int  # 0 for the first recording, 1 for the second
_Which = tuple[_Side, int]


class Work(Struct, frozen=True, kw_only=True):
    """Kernels of recording `a` and of recording `b` that compute the same operators, by id.

    Where one side has no kernel, `inside` are that side's kernels that compute the same on the way
    to something else.
    """

    a: tuple[int, ...] = ()
    b: tuple[int, ...] = ()
    inside: tuple[int, ...] = ()


def compiler_of(recording: Recording) -> Compiler | None:
    """Who lowered the recording's graphs; None if nothing says, or several did."""
    found: set[Compiler] = {one.compiler for one in (*recording.lowerings, *recording.schedules)}
    return found.pop() if len(found) == 1 else None


def align(a: Recording, b: Recording) -> tuple[Work, ...]:
    """The kernels of both, grouped by the work they do, in the order of the first recording.

    An operator that several kernels each compute for themselves does not group them.
    """
    keys = _keys(a, b)
    groups = _Groups(keys)
    owned = [_owned(side) for side in keys]
    groups.join(owned)
    works = [_work(group, groups.homes(group)) for group in groups.found()]
    return tuple(sorted(works, key=_place))


def _place(work: Work) -> tuple[int, int]:
    last = 1 << 30
    return min(work.a, default=last), min(work.b, default=last)


def _work(group: Sequence[_Which], inside: set[int]) -> Work:
    a, b = (tuple(sorted(k for of, k in group if of == side)) for side in (0, 1))
    return Work(a=a, b=b, inside=() if a and b else tuple(sorted(inside)))


class _Groups:
    """Kernels of both sides, joined step by step."""

    def __init__(self, keys: Sequence[Keys]) -> None:
        self._keys = keys
        self._kernels = [_by_key(side) for side in keys]
        self._parent: dict[_Which, _Which] = {
            (side, k): (side, k) for side in (0, 1) for k in range(len(keys[side]))
        }

    def join(self, owned: Sequence[Keys]) -> None:
        """Join those that own an operator on both sides, then those with only one candidate."""
        by_key = [_by_key(side) for side in owned]
        for key in by_key[0].keys() & by_key[1].keys():
            first = (0, by_key[0][key][0])
            for side in (0, 1):
                for kernel in by_key[side][key]:
                    self._union(first, (side, kernel))
        for group in self.found():
            homes = self.homes(group)
            if len(homes) == 1:
                self._union(group[0], (1 - group[0][0], homes.pop()))

    def found(self) -> list[list[_Which]]:
        """The current groups."""
        made: dict[_Which, list[_Which]] = {}
        for which in self._parent:
            made.setdefault(self._root(which), []).append(which)
        return list(made.values())

    def homes(self, group: Sequence[_Which]) -> set[int]:
        """For kernels of one side only: those of the other side that compute the same somewhere."""
        sides = {side for side, _ in group}
        if len(sides) != 1:
            return set()
        [side] = sides
        wanted = {key for _, k in group for key in self._keys[side][k]}
        there = self._kernels[1 - side]
        return {kernel for key in wanted for kernel in there.get(key, ())}

    def _union(self, one: _Which, other: _Which) -> None:
        self._parent[self._root(other)] = self._root(one)

    def _root(self, which: _Which) -> _Which:
        while self._parent[which] != which:
            self._parent[which] = self._parent[self._parent[which]]
            which = self._parent[which]
        return which


def _owned(keys: Keys) -> Keys:
    """For each kernel, the operators that only it computes; all of its operators if none."""
    counts = Counter(key for of in keys for key in of)
    return [{key for key in of if counts[key] == 1} or of for of in keys]


def _by_key(keys: Keys) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for kernel, of in enumerate(keys):
        for key in of:
            found.setdefault(key, []).append(kernel)
    return found


def _keys(a: Recording, b: Recording) -> tuple[Keys, Keys]:
    """For each kernel of both, its operators by names that mean the same in both."""
    sides = _Operators(a), _Operators(b)
    shared: set[Hashable] = set()
    if sides[0].alike(sides[1]):
        shared = sides[0].nodes & sides[1].nodes
    return sides[0].keys(shared), sides[1].keys(shared)


class _Operators:
    """The operators of a recording's kernels, by names that can match another recording's."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._ancestry = Ancestry(build_links(recording))
        self._ranks = _ranks(recording)
        self._captured = dict(_captured(recording))
        self._rewritten = rewritten(recording)
        self._by_name = _by_name(recording)
        self.nodes = {key for graph in self._lowered() for key in self._named(graph)}

    def alike(self, other: _Operators) -> bool:
        """Whether both have equally many graphs of one compiler: they correspond in order.

        Another compiler decomposes otherwise, so that a name of a node is of another node.
        """
        if compiler_of(self._recording) != compiler_of(other._recording):
            return False
        return set(self._ranks.values()) == set(other._ranks.values())

    def keys(self, shared: set[Hashable]) -> Keys:
        """The operators of each kernel: nodes that both recordings have, else captured ones."""
        return [self._of(kernel, shared) for kernel in self._recording.kernels]

    def _of(self, kernel: Kernel, shared: set[Hashable]) -> set[Hashable]:
        if kernel.graph is None or not kernel.nodes:
            return {("name", kernel_base(kernel.name))}
        graph = self._recording.graphs[kernel.graph]
        nodes = [n for n in kernel.nodes if not _is_quiet(graph, n)] or kernel.nodes
        found: set[Hashable] = set()
        for node in nodes:
            key = self._key(graph, node)
            found.update([key] if key in shared else self._origins((graph.id, node)))
        return found or {self._key(graph, node) for node in nodes}

    def _key(self, graph: Graph, node: int) -> Hashable:
        table = graph.nodes
        rank = self._ranks.get(graph.id)
        return ("node", rank, table.name[node], table.strings[table.target[node]])

    def _origins(self, node: NodeKey) -> Iterator[Hashable]:
        is_backward = self._recording.graphs[node[0]].is_backward
        for above in self._ancestry.above([node, *self._replaced(node)]):
            if above in self._captured:
                yield ("captured", is_backward, self._captured[above])

    def _replaced(self, node: NodeKey) -> list[NodeKey]:
        """The nodes for which passes made this one."""
        graph = self._recording.graphs[node[0]]
        names = [graph.nodes.name[node[1]]]
        for name in names:
            gone = self._rewritten.get((graph.compile_id, name), ())
            names += [other for other in gone if other not in names]
        return [key for name in names[1:] for key in self._by_name[graph.compile_id, name]]

    def _lowered(self) -> Iterator[Graph]:
        ids = {kernel.graph for kernel in self._recording.kernels} - {None}
        return (graph for graph in self._recording.graphs if graph.id in ids)

    def _named(self, graph: Graph) -> Iterator[Hashable]:
        return (self._key(graph, node) for node in range(len(graph.nodes)))


def _by_name(recording: Recording) -> dict[tuple[str, str], list[NodeKey]]:
    """The nodes of graphs after capture, by their compilation and their name."""
    found: defaultdict[tuple[str, str], list[NodeKey]] = defaultdict(list)
    for graph in recording.graphs:
        if graph.stage != "dynamo":
            for node, name in enumerate(graph.nodes.name):
                found[graph.compile_id, name].append((graph.id, node))
    return found


def _ranks(recording: Recording) -> dict[int, tuple[bool, int]]:
    """For each lowered graph, its direction and its position among those of that direction."""
    counts = Counter[bool]()
    ranks: dict[int, tuple[bool, int]] = {}
    lowered = {kernel.graph for kernel in recording.kernels}
    for graph in recording.graphs:
        if graph.stage == "post_grad" or graph.id in lowered:
            ranks[graph.id] = (graph.is_backward, counts[graph.is_backward])
            counts[graph.is_backward] += 1
    return ranks


def _captured(recording: Recording) -> Iterator[tuple[NodeKey, Hashable]]:
    """A captured operator: the text of its line, its name, and its ordinal among equal ones."""
    places = Places(recording)
    counts = Counter[tuple[str, str]]()
    for graph in recording.graphs:
        if graph.stage != "dynamo":
            continue
        table = graph.nodes
        for node in range(len(table)):
            if not table.strings[table.op[node]].startswith("call_") or _is_quiet(graph, node):
                continue
            stack = table.stack[node]
            line = places.own_line(stack) if stack >= 0 else None
            what = (places.text(line).strip() if line else "", table.strings[table.target[node]])
            yield (graph.id, node), (*what, counts[what])
            counts[what] += 1


def _is_quiet(graph: Graph, node: int) -> bool:
    table = graph.nodes
    return operator_name(table.strings[table.target[node]]) in QUIET
