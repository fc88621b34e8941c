"""Families: each recorded graph with the bodies of its higher-order operators.

They are found by what they were compiled as: a recording may have thousands of graphs, and must not
look at all of them for each new one.
"""

import weakref
from collections import defaultdict
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from torch import fx

from dynamo_lab.model.graphs import Graph, Stage

_Kind = tuple[str, Stage, int, bool]
"""A graph's compilation, its stage, the part that it is of, and whether it is of a backward."""


class Families:
    """The families recorded so far; `graphs` are the facts, by their ids."""

    def __init__(self, graphs: Sequence[Graph]) -> None:
        self.recorded: WeakKeyDictionary[fx.Graph, Graph] = WeakKeyDictionary()
        """What was made of each graph that still lives, at its last stage."""
        self._graphs = graphs
        self._latest: dict[_Kind, int] = {}
        self._members: dict[int, tuple[tuple[int, weakref.ref[fx.Graph]], ...]] = {}
        self._backwards: dict[str, list[int]] = defaultdict(list)

    def add(self, family: Sequence[tuple[Graph, fx.Graph]]) -> None:
        """A graph, which comes first, and the bodies in it."""
        root = family[0][0]
        kind = root.compile_id, root.stage, root.part, root.is_backward
        self._latest[kind] = root.id
        self._members[root.id] = tuple((graph.id, weakref.ref(of)) for graph, of in family)
        if root.is_backward:
            self._backwards[root.compile_id].append(root.id)
        for graph, of in family:
            self.recorded[of] = graph

    def latest(self, graph: Graph, stage: Stage, *, is_backward: bool) -> Graph | None:
        """The last graph of this stage that one of its compilation and part may be made from."""
        kinds: list[_Kind] = [
            (graph.compile_id, stage, part, is_backward) for part in {0, graph.part}
        ]
        found = [self._latest[kind] for kind in kinds if kind in self._latest]
        last = self._graphs[max(found)] if found else None
        return last if last is not None and last.stage == stage else None  # else given up since

    def backwards(self, compile_id: str) -> list[Graph]:
        """The graphs of a compilation's backwards, in the order in which they were recorded."""
        return [self._graphs[number] for number in self._backwards.get(compile_id, ())]

    def bodies(self, root: Graph) -> list[Graph]:
        """The bodies of a graph's higher-order operators, at any depth."""
        return [self._graphs[number] for number, _ in self._members[root.id][1:]]

    def living_bodies(self, root: Graph) -> Iterator[tuple[fx.Graph, Graph]]:
        """Those that still live and were not recorded at a later stage, with what they are of."""
        for number, known in self._members[root.id][1:]:
            of = known()
            if of is not None and self.recorded[of].id == number:
                yield of, self._graphs[number]
