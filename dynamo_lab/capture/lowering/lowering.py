"""Inductor: its graphs before and after its passes, and which graph it is generating code for."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from torch import fx

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.private import ABSENT
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.capture.lowering import hooks
from dynamo_lab.model.graphs import Graph


class LoweringProbes:
    """Records Inductor's graphs. Each thread lowers one graph at a time, or one inside another."""

    def __init__(self, graphs: GraphProbes) -> None:
        self._graphs = graphs
        self._local = threading.local()

    def install(self, patches: Patches) -> None:
        """Watch the passes over a graph and the start of its lowering."""
        # a backward may be compiled late, by a thread of autograd's engine
        compat.watch_caches(patches, hooks.COMPILE_INNER)
        patches.hook(hooks.PRE_GRAD, self.pre_grad_passes)
        patches.hook(hooks.POST_GRAD, self.post_grad_passes)
        patches.hook(hooks.CODEGEN, self.lowered)

    @property
    def _running(self) -> list[tuple[bool, Graph | None]]:
        if not hasattr(self._local, "running"):
            self._local.running = []
        return self._local.running

    @contextmanager
    def _nested(self, passes: str) -> Generator[bool, None, None]:
        """Whether these passes run on a whole graph, not on a body inside one."""
        depths = self._local.__dict__.setdefault("depths", Counter[str]())
        depths[passes] += 1
        try:
            yield depths[passes] == 1
        finally:
            depths[passes] -= 1

    @property
    def current_graph(self) -> Graph | None:
        """The post-grad graph that this thread generates code for."""
        return self._running[-1][1] if self._running else None

    def graph_of(self, lowered: Any) -> Graph | None:
        """The recorded graph that a `GraphLowering` lowers: a whole one, or an operator's body."""
        graph = self._graphs.recorded.get(lowered.module.graph)
        if graph is None and hooks.PARENT.of(lowered) is ABSENT:  # a copy of the graph, not a body
            return self.current_graph
        return graph

    @property
    def is_backward(self) -> bool:
        """Whether what this thread compiles is a backward."""
        return self._running[-1][0] if self._running else False

    def pre_grad_passes(self, gm: fx.GraphModule, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """Inductor rewrites Dynamo's graph; it calls itself for the bodies of operators."""
        with self._nested("pre_grad") as is_outermost:
            result = yield
        if is_outermost:
            self._graphs.record(result, "pre_grad")

    def lowered(
        self,
        compiler: Any,
        gm: fx.GraphModule,
        example_inputs: Any,
        checks: Any,
        options: Any,
        *_: Any,
    ) -> Generator[None, Any, None]:
        """Inductor compiles one graph, forward or backward."""
        self._running.append((bool(options.get("is_backward")), None))
        try:
            yield
        finally:
            self._running.pop()

    def post_grad_passes(
        self, gm: fx.GraphModule, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """Inductor rewrites the graph in place; what comes out is lowered."""
        with self._nested("post_grad") as is_outermost:
            yield
        if is_outermost:
            graph = self._graphs.record(gm, "post_grad", is_backward=self.is_backward)
            if self._running:
                self._running[-1] = (self.is_backward, graph)
