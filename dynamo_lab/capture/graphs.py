"""Graphs: each FX graph of a compilation at each stage, recorded when the compiler has it."""

from collections.abc import Callable, Generator, Iterator
from typing import Any

import msgspec
from torch import fx

from dynamo_lab.capture import compat
from dynamo_lab.capture.compilations import Compilations
from dynamo_lab.capture.links import link_to_origins
from dynamo_lab.capture.nodes import node_table, subgraph_calls, subgraphs
from dynamo_lab.capture.patches import Patches
from dynamo_lab.capture.recorder import Recorder
from dynamo_lab.model.graphs import Graph, Stage


class GraphProbes:
    """Records graphs and links each to the graph that it was made from."""

    def __init__(self, recorder: Recorder[Any], compilations: Compilations) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self.before_backend: Callable[[], None] = lambda: None
        """Called when Dynamo is about to hand a graph to a backend."""
        self.on_recorded: Callable[[Graph, fx.Graph], None] = lambda graph, fx_graph: None
        """Called with each graph that is recorded, and what it was made from."""

    def install(self, patches: Patches) -> None:
        """Watch the hand-over of graphs from Dynamo to a backend, and AOTAutograd's stages."""
        from torch._dynamo.output_graph import OutputGraph
        from torch._functorch._aot_autograd import graph_compile

        patches.watch(OutputGraph, "call_user_compiler", self.dynamo_graph)
        compat.watch_caches(patches, OutputGraph, "call_user_compiler")
        patches.watch(graph_compile, "aot_dispatch_autograd_graph", self.joint_graph)
        patches.watch(graph_compile, "_aot_stage2a_partition", self.partitioned_graphs)
        patches.watch(graph_compile, "_aot_stage2b_inference_compile", self.inference_graph)

    def dynamo_graph(self, output: Any, gm: fx.GraphModule, *_: Any) -> Generator[None, Any, None]:
        """The graph that Dynamo captured from a frame."""
        graph = self.record(gm, "dynamo")
        self._compilations.captured(graph)
        self._recorder.on_phase("backend_compile")
        self.before_backend()
        yield

    def joint_graph(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """AOTAutograd's graph of forward and backward together."""
        result = yield
        self.record(result[0], "joint")

    def partitioned_graphs(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """The two graphs that the partitioner cut the joint graph into."""
        result = yield
        self.record(result[0], "forward")
        self.record(result[1], "backward")

    def inference_graph(self, fw_module: fx.GraphModule, *_: Any) -> Generator[None, Any, None]:
        """AOTAutograd's only graph where no gradient is asked for."""
        self.record(fw_module, "forward")
        yield

    def record(self, module: fx.GraphModule, stage: Stage, *, is_backward: bool = False) -> Graph:
        """Add a graph with the bodies of its higher-order operators, linked to their origins."""
        family = list(self._add(module, stage, is_backward or stage == "backward"))
        family = [(self._recorder.graphs[graph.id], fx_graph) for graph, fx_graph in family]
        self._recorder.links.extend(link_to_origins(self._recorder.graphs, family))
        for graph, fx_graph in family:
            self.on_recorded(graph, fx_graph)
        return family[0][0]

    def _add(
        self, module: fx.GraphModule, stage: Stage, is_backward: bool
    ) -> Iterator[tuple[Graph, fx.Graph]]:
        recorder = self._recorder
        compile_id = self._compilations.current_id()
        graph = Graph(
            id=len(recorder.graphs),
            stage=stage,
            name=module.__class__.__name__,
            compile_id=compile_id,
            frame=self._compilations.frame_of(compile_id),
            is_backward=is_backward,
            nodes=node_table(module.graph, recorder.texts),
        )
        recorder.graphs.append(graph)
        yield graph, module.graph
        bodies: dict[str, int] = {}
        for name, body in subgraphs(module).items():
            bodies[name] = len(recorder.graphs)
            yield from self._add(body, stage, is_backward)
        if bodies:
            self._adopt(graph, module, bodies)

    def _adopt(self, graph: Graph, module: fx.GraphModule, bodies: dict[str, int]) -> None:
        """Tie the bodies of higher-order operators to the nodes that call them."""
        calls = subgraph_calls(module.graph, bodies)
        nodes = msgspec.structs.replace(graph.nodes, subgraphs=calls)
        self._recorder.update(self._recorder.graphs, graph.id, nodes=nodes)
        callers = {body: node for node, called in calls.items() for body in called}
        for body in bodies.values():
            changes = {"parent": graph.id, "parent_node": callers.get(body)}
            self._recorder.update(self._recorder.graphs, body, **changes)
