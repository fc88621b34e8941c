"""Which boxes a diagram shows: closed modules as one box, opened ones as frames around theirs.

Repeated blocks are one box too; opened, it is a frame around the first of them and a box for the
others, until that is opened as well.

The front-end draws the same ones: tests/cases/scenes.json checks both.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.graphs.repeats.folds import Folds, Items

MAX_BOXES = 200
"""Beyond a few hundred boxes Graphviz takes over a second, and nobody reads them."""

FEW_INPUTS = 12
"""Above this many inputs and parameters, they are hidden until requested."""

_COMFORTABLE = 60


class Box(Struct, frozen=True):
    """A closed module of a graph, a node, or repeated blocks within a module; others are -1.

    `parts` are the nodes and modules of which the blocks consist, block by block.
    """

    graph: int
    module: int = -1
    node: int = -1
    repeat: int = -1
    parts: tuple[Items, ...] = ()
    is_rest: bool = False

    @property
    def id(self) -> str:
        """'m0_3' for a module, 'n0_12' for a node, 'r0_1_3' for blocks, 'q0_1_3' for the rest."""
        if self.node >= 0:
            return f"n{self.graph}_{self.node}"
        if self.repeat >= 0:
            return f"{'q' if self.is_rest else 'r'}{self.graph}_{self.repeat}_{self.module}"
        return f"m{self.graph}_{self.module}"


class Cluster(Struct, frozen=True):
    """A frame around boxes: an opened module, an opened body ('b5'), whose module is 0, or blocks.

    `repeat` is that of the blocks ('r0_1_3'), -1 for others; they lie in `module`.
    """

    id: str
    graph: int
    module: int
    boxes: tuple[Box, ...]
    clusters: tuple["Cluster", ...] = ()
    repeat: int = -1


class Edge(Struct, frozen=True):
    """A number of values from one box to another; a call goes from a node to the body it calls."""

    source: str
    target: str
    weight: int = 1
    is_call: bool = False


class Scene(Struct, frozen=True):
    """The boxes to draw, in frames, and the edges between them."""

    root: Cluster
    edges: tuple[Edge, ...]

    def boxes(self) -> Iterator[Box]:
        """All boxes, including those in frames."""
        return _boxes_in(self.root)


class Scenes:
    """Makes scenes of one graph; `graphs` also holds the bodies that it calls."""

    def __init__(
        self, graph: GraphView, graphs: Mapping[int, GraphView], inputs: bool | None = None
    ) -> None:
        self.graph = graph
        self._graphs = graphs
        self._folds: dict[int, Folds] = {}
        self.with_inputs = len(_inputs(graph)) <= FEW_INPUTS if inputs is None else inputs

    def initially_open(self, comfortable: int = _COMFORTABLE) -> frozenset[str]:
        """The modules to open, level by level, as long as the diagram stays readable.

        A level opens whole or not at all, so that twelve like blocks look alike; modules of one or
        two operators stay closed, and of repeated blocks all but the first.
        """
        opened: frozenset[str] = frozenset()
        while level := self._worth_opening(opened):
            wider = opened | level
            if self.count(wider) > comfortable:
                break
            opened = wider
        return opened

    def all_open(self) -> frozenset[str]:
        """Every module of the graph, and every repeat wherever it is folded."""
        opened = frozenset(f"m{self.graph.id}_{n}" for n in range(len(self.graph.modules)))
        while folded := {box.id for box in self.modules(opened).boxes() if box.repeat >= 0}:
            opened |= folded
        return opened

    def count(self, opened: frozenset[str]) -> int:
        """The number of boxes with these modules and bodies open."""
        return sum(1 for _ in _boxes_in(self._cluster(self.graph, 0, opened)))

    def modules(self, opened: frozenset[str]) -> Scene:
        """The whole graph, with these modules and bodies open."""
        return self._scene(self._cluster(self.graph, 0, opened))

    def around(self, node: int, up: int = 2, down: int = 2, limit: int = MAX_BOXES) -> Scene:
        """A node with its inputs and users, up to a number of steps each way."""
        users: list[list[int]] = [[] for _ in self.graph.name]
        for user, inputs in enumerate(self.graph.inputs):
            for source in dict.fromkeys(inputs):
                users[source].append(user)
        found = {node: None}
        _spread(found, node, up, limit, lambda at: self.graph.inputs[at])
        _spread(found, node, down, limit, lambda at: users[at])
        boxes = tuple(Box(self.graph.id, node=at) for at in sorted(found))
        return self._scene(Cluster(f"m{self.graph.id}_0", self.graph.id, 0, boxes))

    def _worth_opening(self, opened: frozenset[str]) -> frozenset[str]:
        """The closed boxes in which there is more than in themselves."""
        boxes = _boxes_in(self._cluster(self.graph, 0, opened))
        return frozenset(box.id for box in boxes if box.node < 0 and self._holds_much(box))

    def _holds_much(self, box: Box) -> bool:
        if box.repeat >= 0:
            return not box.is_rest
        module = self.graph.modules[box.module]
        return bool(module.children) or sum(map(self._is_shown, module.nodes)) > 2

    def _is_shown(self, node: int) -> bool:
        return self.with_inputs or not is_input(self.graph, node)

    def _cluster(self, graph: GraphView, module: int, opened: frozenset[str]) -> Cluster:
        box = graph.modules[module]
        shown = (node for node in box.nodes if self.with_inputs or not is_input(graph, node))
        number = f"m{graph.id}_{module}" if module or graph is self.graph else f"b{graph.id}"
        frame = Cluster(number, graph.id, module, ())
        return self._filled(frame, Items(tuple(shown), box.children), opened)

    def _filled(self, frame: Cluster, items: Items, opened: frozenset[str]) -> Cluster:
        """The frame with these items in it, repeated ones folded."""
        graph = self._graphs[frame.graph]
        folds, (nodes, children) = self._folds_of(graph).folded(items, frame.repeat)
        own = f"m{graph.id}_"
        repeated = [
            Box(graph.id, module=frame.module, repeat=fold.repeat, parts=fold.blocks)
            for fold in folds
        ]
        bodies = [
            self._graphs[body]
            for node in nodes
            for body in graph.subgraphs.get(node, ())
            if f"b{body}" in opened and body in self._graphs
        ]
        return replace(
            frame,
            boxes=(
                *frame.boxes,
                *(Box(graph.id, node=node) for node in nodes),
                *(Box(graph.id, module=at) for at in children if f"{own}{at}" not in opened),
                *(box for box in repeated if box.id not in opened),
            ),
            clusters=(
                *(self._cluster(graph, at, opened) for at in children if f"{own}{at}" in opened),
                *(self._blocks(box, opened) for box in repeated if box.id in opened),
                *(self._cluster(body, 0, opened) for body in bodies),
            ),
        )

    def _blocks(self, box: Box, opened: frozenset[str]) -> Cluster:
        """The frame of opened blocks: the first and a box of the others, or all."""
        rest = replace(box, parts=box.parts[1:], is_rest=True)
        is_all = rest.id in opened
        parts = box.parts if is_all else box.parts[:1]
        nodes = chain.from_iterable(part.nodes for part in parts)
        children = chain.from_iterable(part.children for part in parts)
        items = Items(tuple(nodes), tuple(children))
        frame = Cluster(box.id, box.graph, box.module, () if is_all else (rest,), (), box.repeat)
        return self._filled(frame, items, opened)

    def _folds_of(self, graph: GraphView) -> Folds:
        if graph.id not in self._folds:
            self._folds[graph.id] = Folds(graph)
        return self._folds[graph.id]

    def _scene(self, root: Cluster) -> Scene:
        boxes = list(_boxes_in(root))
        edges: list[Edge] = []
        for number in dict.fromkeys(box.graph for box in boxes):
            edges += self._edges(self._graphs[number], boxes)
        return Scene(root, (*edges, *self._calls(root)))

    def _edges(self, graph: GraphView, boxes: Sequence[Box]) -> list[Edge]:
        shows = {
            node: box.id for box in boxes if box.graph == graph.id for node in nodes_of(graph, box)
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
    """Whether the node passes a value in, and computes nothing."""
    return graph.strings[graph.op[node]] in ("placeholder", "get_attr")


def nodes_of(graph: GraphView, box: Box) -> Iterator[int]:
    """The nodes that a box stands for."""
    if box.node >= 0:
        yield box.node
    elif box.repeat < 0:
        yield from nodes_within(graph, box.module)
    for nodes, children in box.parts:
        yield from nodes
        for child in children:
            yield from nodes_within(graph, child)


def nodes_within(graph: GraphView, module: int) -> Iterator[int]:
    """The nodes of a module and of its submodules."""
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
    """Adds the nodes around a node, nearest first, up to a limit."""
    edge = [node]
    for _ in range(reach):
        further: list[int] = []
        for at in edge:
            for near in next_of(at):
                if near not in found and len(found) < limit:
                    found[near] = None
                    further.append(near)
        edge = further
