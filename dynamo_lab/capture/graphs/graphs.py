"""Graphs: each FX graph of a compilation at each stage, recorded when the compiler has it."""

from collections.abc import Callable, Generator, Iterator
from typing import Any

import msgspec
from torch import fx

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.hooks import COMPILE_CONTEXT_NOW, TRACING_CONTEXT
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.private import nothing
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.graphs.families import Families
from dynamo_lab.capture.graphs.hooks import SPLIT, USER_COMPILER
from dynamo_lab.capture.graphs.links import link_to_origins
from dynamo_lab.capture.graphs.nodes import OF_SELF, Roots, node_table, subgraph_calls, subgraphs
from dynamo_lab.capture.graphs.replaced import Replaced
from dynamo_lab.model.graphs import Graph, Stage


class GraphProbes:
    """Records graphs and links each to the graph that it was made from."""

    def __init__(self, recorder: Recorder, compilations: Compilations) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._families = Families(recorder.graphs)
        self.recorded = self._families.recorded
        """What was made of each graph that still lives."""
        self.replaced = Replaced()
        """What passes put in place of what."""
        self.names_on_stack: dict[str, dict[str, str]] = {}
        """By compilation, the text of what is called that a break had left on Python's stack."""
        self.receivers: dict[str, str] = {}
        """By compilation, what a compiled method calls the module that it is of."""
        self.on_recorded: tuple[Callable[[Graph, fx.Graph], None], ...] = ()
        """Called with each graph that is recorded, and what it was made from."""
        self.on_captured: tuple[Callable[[Graph, fx.GraphModule], None], ...] = ()
        """Called with each graph that Dynamo captured, before a backend has it."""
        self.on_splitting: Callable[[Patches], None] = lambda patches: None
        """Called once, when DDP's optimizer can be watched."""
        self._part, self._parts = 0, 0
        self._watch_splits: Callable[[], None] = nothing

    def install(self, patches: Patches) -> None:
        """Watch the hand-over of graphs from Dynamo to a backend."""
        patches.hook(USER_COMPILER, self.dynamo_graph)
        compat.watch_caches(patches, USER_COMPILER)

        def watch_splits() -> None:
            self._watch_splits = nothing
            patches.hook(SPLIT, self.part)
            self.on_splitting(patches)

        self._watch_splits = watch_splits
        if self._recorder.rank is not None and SPLIT.exists:  # which imports DDP's backend
            watch_splits()  # before it is asked for what it is to call

    def dynamo_graph(self, output: Any, gm: fx.GraphModule, *_: Any) -> Generator[None, Any, None]:
        """The graph that Dynamo captured from a frame."""
        graph = self.record(gm, "dynamo")
        self._compilations.captured(graph)
        for told in self.on_captured:
            told(graph, gm)
        self._recorder.on_phase("backend_compile")
        self._parts = 0
        if SPLIT.is_loaded:  # DDP's backend is imported when it is first needed
            self._watch_splits()
        yield

    def part(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """DDP hands a part of the captured graph to the backend."""
        self._part = self._parts = self._parts + 1
        try:
            yield
        finally:
            self._part = 0

    def record(self, module: fx.GraphModule, stage: Stage, *, is_backward: bool = False) -> Graph:
        """Add a graph with the bodies of its higher-order operators, linked to their origins."""
        is_backward = is_backward or stage == "backward"
        part = self._part or (self._part_run_later(module.graph, stage) if is_backward else 0)
        family = list(self._add(module, stage, is_backward, part))
        family = [(self._recorder.graphs[graph.id], fx_graph) for graph, fx_graph in family]
        replaced = self.replaced.before(family[0][0])
        metas = self.replaced.metas(family[0][0].compile_id)
        self._recorder.links.extend(link_to_origins(self._families, family, replaced, metas))
        self._families.add(family)
        for graph, fx_graph in family:
            for told in self.on_recorded:
                told(graph, fx_graph)
        return family[0][0]

    def _part_run_later(self, graph: fx.Graph, stage: Stage) -> int:
        """The part whose backward is compiled when it first runs: the last one runs first."""
        compile_id = self._compilations.current_id()
        own = self._families.backwards(compile_id)
        done = {earlier.part for earlier in own if earlier.stage == stage}
        inputs = [node.name for node in graph.nodes if node.op == "placeholder"]
        for earlier in reversed(own):
            if earlier.stage == "backward" and earlier.part not in done:
                known = [node.name for node in earlier.nodes if node.op == "placeholder"]
                if known == inputs:
                    return earlier.part
        return 0

    def _add(
        self, module: fx.GraphModule, stage: Stage, is_backward: bool, part: int
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
            part=part,
            nodes=node_table(
                module.graph,
                recorder.texts,
                self._roots(compile_id),
                self.replaced.metas(compile_id),
            ),
        )
        recorder.graphs.append(graph)
        yield graph, module.graph
        bodies: dict[str, int] = {}
        for name, body in subgraphs(module).items():
            bodies[name] = len(recorder.graphs)
            yield from self._add(body, stage, is_backward, part)
        if bodies:
            self._adopt(graph, module, bodies)

    def _roots(self, compile_id: str) -> Roots:
        """What begins the paths of modules: of a wrapped module nothing, as PyTorch names them."""
        frame = self._compilations.frame_of(compile_id)
        is_wrapped = frame is not None and self._recorder.frames[frame].parameters
        named = self.names_on_stack.get(compile_id, {})
        receiver = (self.receivers.get(compile_id, "self"), "")
        return (*OF_SELF, receiver, *((("fn", ""),) if is_wrapped else ()), *named.items())

    def _adopt(self, graph: Graph, module: fx.GraphModule, bodies: dict[str, int]) -> None:
        """Tie the bodies of higher-order operators to the nodes that call them."""
        calls = subgraph_calls(module.graph, bodies)
        nodes = msgspec.structs.replace(graph.nodes, subgraphs=calls)
        self._recorder.update(self._recorder.graphs, graph.id, nodes=nodes)
        callers = {body: node for node, called in calls.items() for body in called}
        for body in bodies.values():
            changes = {"parent": graph.id, "parent_node": callers.get(body)}
            self._recorder.update(self._recorder.graphs, body, **changes)


def is_of_a_pattern() -> bool:
    """Whether AOTAutograd traces a pattern, to look for it in the graph that is being compiled.

    Inductor then takes away the tracing context that every compilation of a user's graph has.
    """
    if not TRACING_CONTEXT.exists:
        return False
    return COMPILE_CONTEXT_NOW.get()() is not None and TRACING_CONTEXT.get()() is None
