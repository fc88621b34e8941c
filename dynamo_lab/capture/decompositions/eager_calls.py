"""Eager PyTorch, operator by operator: what it really runs for each node of the captured graphs.

Dynamo captures the program once more, and each graph then runs node by node, uncompiled. A dispatch
mode sees every operator that PyTorch runs for a node; autograd numbers what a node adds to its
graph, so that in the backward the numbers tell whose gradient an operator computes.

The mode is on while a captured graph runs, or the backward, and not around the whole program: under
a mode Dynamo neither finds what it has compiled, nor compiles.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import fx

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.undo import Changes, Undo
from dynamo_lab.capture.decompositions import hooks
from dynamo_lab.capture.graphs.calls import call_of
from dynamo_lab.errors import DecompositionError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from contextlib import AbstractContextManager

    from dynamo_lab.model.graphs import Graph

    Operate = Callable[["Place", Any, Any, Any], Any]
    """Called in the place of an operator: its place, the operator, and its arguments."""


class Place(NamedTuple):
    """A node of a captured graph, or its gradient."""

    graph: int
    node: int
    is_backward: bool = False


class EagerGraphs:
    """A backend for `torch.compile` that compiles nothing, and knows which node runs.

    A graph is known again by the names of its nodes, among those captured the first that has them.
    """

    def __init__(self, captured: Iterable[Graph]) -> None:
        self._captured: dict[tuple[str, ...], int] = {}
        for graph in captured:
            self._captured.setdefault(graph.nodes.name, graph.id)
        self._kept: list[Any] = []
        self.unknown = 0
        """Graphs that the recording does not have."""
        self._running: list[Place] = []
        self._starts: list[int] = []
        self._places: list[Place] = []
        self._gradient: Place | None = None
        self._operate: Operate | None = None

    def __call__(self, module: fx.GraphModule, inputs: Any) -> Callable[..., Any]:
        """How Dynamo has a graph compiled."""
        graph = self._captured.get(tuple(node.name for node in module.graph.nodes))
        self.unknown += graph is None
        at = len(self._kept)
        self._kept.append(module if graph is None else _Run(module, graph, self))

        def run(*args: Any) -> Any:
            kept = self._kept[at]
            if not isinstance(kept, _Run):
                return kept(*args)
            with self.dispatched():
                return kept.run(*args)

        return run

    def close(self) -> None:
        """Release the graphs, which Dynamo's caches would keep alive."""
        self._kept.clear()

    @contextmanager
    def watched(self, operate: Operate) -> Generator[None, None, None]:
        """Send each operator of one call of the program through `operate`."""
        self._starts.clear()
        self._places.clear()
        self._gradient, self._operate = None, operate
        with Changes(self._install):
            try:
                yield
            finally:
                self._operate = None

    def _install(self, undo: Undo) -> None:
        patches = Patches(lambda about, error: None, threading.RLock(), undo)
        patches.hook(hooks.RUN_BACKWARD, self._backward)

    def _backward(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        # a mode is seen by its own thread, and a GPU's gradients are computed in another
        with self.dispatched(), torch.autograd.set_multithreading_enabled(False):
            yield

    def dispatched(self) -> AbstractContextManager[object]:
        """While it lasts, operators go through what was asked for, if anything was."""
        return nullcontext() if self._operate is None else _Dispatched(self, self._operate)

    def enter(self, place: Place) -> None:
        """A node begins to run: what autograd adds from here on is its own."""
        self._running.append(place)
        self._own(place)

    def leave(self) -> None:
        """It has run."""
        self._running.pop()
        self._own(self._running[-1] if self._running else None)

    def _own(self, place: Place | None) -> None:
        self._starts.append(_sequence_number())
        self._places.append(place or Place(-1, -1))
        self._gradient = None

    def place(self, operator: Any) -> Place | None:
        """Where an operator that runs now belongs to; None where it is of no captured graph."""
        node: Any = hooks.AUTOGRAD_NODE.get()()
        if node is None:
            if self._running:
                return self._running[-1]
            # gradients that meet are summed between two nodes
            return self._gradient if operator is torch.ops.aten.add.Tensor else None
        self._gradient = self._of(node._sequence_nr())
        return self._gradient

    def _of(self, number: int) -> Place | None:
        if number >= _sequence_number():  # a leaf, where gradients are stored: compiled or not
            return None
        at = bisect_right(self._starts, number) - 1
        found = self._places[at] if at >= 0 else None
        return None if found is None or found.graph < 0 else found._replace(is_backward=True)


def _sequence_number() -> int:
    """The number that autograd gives to the next operation of this thread."""
    return hooks.SEQUENCE_NUMBER.get()()


class _Run(fx.Interpreter):
    """Runs a graph node by node, and reports each."""

    def __init__(self, module: fx.GraphModule, graph: int, graphs: EagerGraphs) -> None:
        super().__init__(module)
        self._graphs = graphs
        self._places = {node: Place(graph, at) for at, node in enumerate(module.graph.nodes)}

    def run_node(self, n: fx.Node) -> Any:
        if not n.op.startswith("call"):
            return super().run_node(n)
        self._graphs.enter(self._places[n])
        try:
            return super().run_node(n)
        finally:
            self._graphs.leave()


class _Dispatched(hooks.DISPATCH_MODE.get()):
    """Sends each operator of a captured graph through `operate`."""

    def __init__(self, graphs: EagerGraphs, operate: Operate) -> None:
        super().__init__()
        self._graphs = graphs
        self._operate = operate

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        place = self._graphs.place(func)
        if place is None:
            return func(*args, **(kwargs or {}))
        return self._operate(place, func, args, kwargs or {})


def arguments_text(op: Any, args: Any, kwargs: Any) -> str:
    """The arguments of a call: "f32[64, 768], [768], eps=1e-05"; empty where they have no text."""
    try:
        return call_of(op, args, kwargs).arguments()
    except DecompositionError:
        return ""
