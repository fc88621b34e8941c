"""Which boxes a diagram shows: modules closed to one box, opened ones as frames around theirs.

A mirror of the front-end's `scenes`, which it draws: tests/cases/scenes.json holds both alike.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from dynamo_lab.view.graphs.graphs import GraphView

MAX_BOXES = 200
"""Graphviz takes over a second beyond a few hundred boxes, and nobody reads them."""

FEW_INPUTS = 12
"""Above this many inputs and parameters, they are left out until asked for."""

_COMFORTABLE = 60


class Box(Struct, frozen=True):
    """A closed module of a graph, or a node; the other of the two is -1."""

    graph: int
    module: int = -1
    node: int = -1

    @property
    def id(self) -> str:
        """'m0_3' for a module, 'n0_12' for a node."""
        return f"n{self.graph}_{self.node}" if self.node >= 0 else f"m{self.graph}_{self.module}"


class Cluster(Struct, frozen=True):
    """A frame around boxes: an opened module, or an opened body ('b5'), whose module is 0."""

    id: str
    graph: int
    module: int
    boxes: tuple[Box, ...]
    clusters: tuple["Cluster", ...] = ()


class Edge(Struct, frozen=True):
    """So many values go from a box to another; a call goes from a node to the body it calls."""

    source: str
    target: str
    weight: int = 1
    is_call: bool = False


class Scene(Struct, frozen=True):
    """The boxes to draw, in frames, and what goes between them."""

    root: Cluster
    edges: tuple[Edge, ...]

    def boxes(self) -> Iterator[Box]:
        """All boxes, in the frames too."""
        return _boxes_in(self.root)


class Scenes:
    """Makes scenes of one graph; `graphs` also holds the bodies that it calls."""

    def __init__(
        self, graph: GraphView, graphs: Mapping[int, GraphView], inputs: bool | None = None
    ) -> None:
        self.graph = graph
        self._graphs = graphs
        self.with_inputs = len(_inputs(graph)) <= FEW_INPUTS if inputs is None else inputs

    def initially_open(self, comfortable: int = _COMFORTABLE) -> frozenset[str]:
        """The modules to open, level by level, as long as all boxes can be read at once.

        A level opens whole or not at all, so that twelve like blocks look alike; modules of one or
        two operators stay closed.
        """
        opened: frozenset[str] = frozenset()
        level = self._worth_opening(0)
        while level:
            wider = opened | {f"m{self.graph.id}_{module}" for module in level}
            if self.count(wider) > comfortable:
                break
            opened = wider
            level = [child for module in level for child in self._worth_opening(module)]
        return opened

    def all_open(self) -> frozenset[str]:
        """Every module of the graph."""
        return frozenset(f"m{self.graph.id}_{n}" for n in range(len(self.graph.modules)))

    def count(self, opened: frozenset[str]) -> int:
        """How many boxes there are with these modules and bodies open."""
        return sum(1 for _ in _boxes_in(self._cluster(self.graph, 0, opened)))

    def modules(self, opened: frozenset[str]) -> Scene:
        """The whole graph, with these modules and bodies open."""
        return self._scene(self._cluster(self.graph, 0, opened))

    def around(self, node: int, up: int = 2, down: int = 2, limit: int = MAX_BOXES) -> Scene:
        """A node with what it is made of and what uses it, so many steps each way."""
        users: list[list[int]] = [[] for _ in self.graph.name]
        for user, inputs in enumerate(self.graph.inputs):
            for source in dict.fromkeys(inputs):
                users[source].append(user)
        found = {node: None}
        _spread(found, node, up, limit, lambda at: self.graph.inputs[at])
        _spread(found, node, down, limit, lambda at: users[at])
        boxes = tuple(Box(self.graph.id, node=at) for at in sorted(found))
        return self._scene(Cluster(f"m{self.graph.id}_0", self.graph.id, 0, boxes))

    def _worth_opening(self, module: int) -> list[int]:
        return [
            child
            for child in self.graph.modules[module].children
            if self.graph.modules[child].children
            or sum(self._is_shown(self.graph, n) for n in self.graph.modules[child].nodes) > 2
        ]

    def _is_shown(self, graph: GraphView, node: int) -> bool:
        return self.with_inputs or not is_input(graph, node)

    def _cluster(self, graph: GraphView, module: int, opened: frozenset[str]) -> Cluster:
        box = graph.modules[module]
        nodes = [node for node in box.nodes if self._is_shown(graph, node)]
        own = f"m{graph.id}_"
        closed = [child for child in box.children if f"{own}{child}" not in opened]
        inner = [child for child in box.children if f"{own}{child}" in opened]
        bodies = [
            self._graphs[body]
            for node in nodes
            for body in graph.subgraphs.get(node, ())
            if f"b{body}" in opened and body in self._graphs
        ]
        return Cluster(
            f"{own}{module}" if module or graph.id == self.graph.id else f"b{graph.id}",
            graph.id,
            module,
            (
                *(Box(graph.id, node=node) for node in nodes),
                *(Box(graph.id, module=child) for child in closed),
            ),
            (
                *(self._cluster(graph, child, opened) for child in inner),
                *(self._cluster(body, 0, opened) for body in bodies),
            ),
        )

    def _scene(self, root: Cluster) -> Scene:
        boxes = list(_boxes_in(root))
        edges: list[Edge] = []
        for number in dict.fromkeys(box.graph for box in boxes):
            edges += self._edges(self._graphs[number], boxes)
        return Scene(root, (*edges, *self._calls(root)))

    def _edges(self, graph: GraphView, boxes: Sequence[Box]) -> list[Edge]:
        shows = {
            node: box.id
            for box in boxes
            if box.graph == graph.id
            for node in ((box.node,) if box.node >= 0 else nodes_within(graph, box.module))
        }
        weights: dict[tuple[str, str], int] = {}
        for node, inputs in enumerate(graph.inputs):
            for source in inputs:
                ends = shows.get(source), shows.get(node)
                if ends[0] and ends[1] and ends[0] != ends[1]:
                    pair = (ends[0], ends[1])
                    weights[pair] = weights.get(pair, 0) + 1
        return [Edge(source, target, weight) for (source, target), weight in weights.items()]

    def _calls(self, cluster: Cluster) -> Iterator[Edge]:
        """From each node whose body is open to the first box in it."""
        for inner in cluster.clusters:
            first = next(_boxes_in(inner), None)
            body = self._graphs[inner.graph]
            is_body = inner.id.startswith("b")
            if is_body and first and body.parent is not None and body.parent_node is not None:
                yield Edge(f"n{body.parent}_{body.parent_node}", first.id, is_call=True)
            yield from self._calls(inner)


def is_input(graph: GraphView, node: int) -> bool:
    """Whether the node hands in a value, and computes none."""
    return graph.strings[graph.op[node]] in ("placeholder", "get_attr")


def nodes_within(graph: GraphView, module: int) -> Iterator[int]:
    """The nodes of a module and of those in it."""
    box = graph.modules[module]
    yield from box.nodes
    for child in box.children:
        yield from nodes_within(graph, child)


def _inputs(graph: GraphView) -> list[int]:
    return [node for node in range(len(graph.name)) if is_input(graph, node)]


def _boxes_in(cluster: Cluster) -> Iterator[Box]:
    yield from cluster.boxes
    for inner in cluster.clusters:
        yield from _boxes_in(inner)


def _spread(
    found: dict[int, None],
    node: int,
    reach: int,
    limit: int,
    next_of: Callable[[int], Sequence[int]],
) -> None:
    """Adds what lies within reach of the node, nearest first, until there are enough."""
    edge = [node]
    for _ in range(reach):
        further: list[int] = []
        for at in edge:
            for near in next_of(at):
                if near not in found and len(found) < limit:
                    found[near] = None
                    further.append(near)
        edge = further
