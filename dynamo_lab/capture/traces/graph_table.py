"""The graphs of a log, each with the bodies in it and what is known of its inputs."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.capture.traces import graphs as fx
from dynamo_lab.model.graphs import Graph, Stage


class GraphTable:
    """Graphs in the order of the log; `frame_of` tells the frame of a compilation."""

    def __init__(self, frame_of: Callable[[str], int | None]) -> None:
        self._frame_of = frame_of
        self._post_grad: dict[str, int] = {}  # the last of a compilation
        self.graphs: list[Graph] = []
        self.inputs: dict[int, dict[int, int]] = {}

    def add(
        self, body: fx.Body, stage: Stage, compile_id: str, is_backward: bool, parent: int | None
    ) -> int:
        """Add a graph with the bodies of its higher-order operators; returns its id."""
        at = len(self.graphs)
        self.graphs.append(
            Graph(
                id=at,
                stage=stage,
                name=body.name,
                compile_id=compile_id,
                frame=self._frame_of(compile_id),
                is_backward=is_backward,
                nodes=body.nodes,
                parent=parent,
            )
        )
        self.inputs[at] = body.inputs
        if stage == "post_grad" and parent is None:
            self._post_grad[compile_id] = at
        inner = {one.name: self.add(one, stage, compile_id, is_backward, at) for one in body.bodies}
        self._adopt(at, inner)
        return at

    def _adopt(self, graph: int, bodies: dict[str, int]) -> None:
        """Tie the bodies of higher-order operators to the nodes that call them."""
        nodes = self.graphs[graph].nodes
        held = {node.index: bodies[node.target] for node in nodes
                if node.op == "get_attr" and node.target in bodies}  # fmt: skip
        called = {
            node.index: tuple(held[i] for i in node.inputs if i in held)
            for node in nodes
            if any(i in held for i in node.inputs)
        }
        self.graphs[graph] = replace(self.graphs[graph], nodes=replace(nodes, subgraphs=called))
        for caller, inner in called.items():
            for body in inner:
                self.graphs[body] = replace(self.graphs[body], parent_node=caller)

    def last_post_grad(self, compile_id: str) -> Graph | None:
        """The graph that Inductor last turned to, in a compilation."""
        at = self._post_grad.get(compile_id)
        return None if at is None else self.graphs[at]

    def turn(self, graph: Graph, *, is_backward: bool) -> None:
        """A graph turns out to be of a backward, or of a forward."""
        self.graphs[graph.id] = replace(graph, is_backward=is_backward)
