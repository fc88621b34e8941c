"""Decompositions: which rules AOTAutograd applied in this run, and what each call can become.

While the program compiles, only each call and its rule are stored. When somebody looks at what they
become, each distinct call is decomposed once for each set, on fake tensors of its layout.
"""

import threading
from collections.abc import Callable, Generator, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from msgspec.structs import replace
from torch import fx

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.undo import held
from dynamo_lab.capture.decompositions import hooks
from dynamo_lab.capture.decompositions.later import Later
from dynamo_lab.capture.graphs.calls import CallOf, call_of, written
from dynamo_lab.capture.graphs.nodes import tensor_value
from dynamo_lab.errors import DecompositionError
from dynamo_lab.model.decompositions import TARGETS, Decompositions, Target, Traced
from dynamo_lab.model.graphs import Graph


@dataclass(slots=True)
class _Seen:
    """A call that is being traced into an FX graph: what it made follows on `last`."""

    op: Any
    call: int
    last: fx.Node
    rule: int | None = None
    nodes: tuple[fx.Node, ...] = ()
    is_open: bool = True


class DecompositionProbes:
    """Records the calls that AOTAutograd traces."""

    def __init__(self) -> None:
        from dynamo_lab.capture.decompositions.call_table import CallTable

        self._table = CallTable()
        self._calls: dict[int, CallOf] = {}
        self._traced: list[Traced] = []
        self._seen: dict[fx.Graph, list[_Seen]] = {}
        self._local = threading.local()
        self._later: Later | None = None

    def install(self, patches: Patches) -> None:
        """Watch where tracing looks for a rule, and where a composite operator is decomposed."""
        patches.hook(hooks.LOOKED_UP, self.looked_up)
        patches.hook(hooks.TAKEN_APART, self.taken_apart)

    def looked_up(self, mode: Any, op: Any, args: Any, kwargs: Any) -> Generator[None, Any, None]:
        """Tracing has a call: its rule runs in here, or there is none and it becomes a node."""
        yield from self._watched(mode, op, args, kwargs, lambda: _rules_of(mode)[op])

    def taken_apart(self, op: Any, *args: Any, **kwargs: Any) -> Generator[None, Any, None]:
        """A composite operator becomes what its kernel in C++ calls."""
        yield from self._watched(hooks.PROXY_MODE.get()(), op, args, kwargs, lambda: op.decompose)

    def _watched(
        self, mode: Any, op: Any, args: Any, kwargs: Any, rule: Callable[[], Any]
    ) -> Generator[None, Any, None]:
        """A traced call. What its rule calls in turn is traced too, but is no call of its own."""
        if mode is None or getattr(self._local, "inside", False):
            yield
            return
        seen = self._add(mode, op, args, kwargs)
        self._local.inside = True
        try:
            result = yield
        finally:
            self._local.inside = False
        if result is not NotImplemented:
            self._close(seen, rule())

    def _add(self, mode: Any, op: Any, args: Any, kwargs: Any) -> _Seen:
        graph = mode.tracer.graph
        rows = self._seen.setdefault(graph, [])
        if rows and rows[-1].is_open:
            self._settle(rows[-1], graph)
            if rows[-1].op is op and not rows[-1].nodes:  # no rule was found, now decomposed
                rows.pop()
        rows.append(_Seen(op, self._call(op, args, kwargs), graph._root.prev))
        return rows[-1]

    def _call(self, op: Any, args: Any, kwargs: Any) -> int:
        try:
            call = call_of(op, args, kwargs)
        except DecompositionError as error:
            return self._table.refused(str(op), written(args, kwargs, _unnamed), str(error))
        index = self._table.call(call)
        self._calls.setdefault(index, call)
        return index

    def _close(self, seen: _Seen, rule: Any) -> None:
        from dynamo_lab.capture.decompositions.rulebook import describe

        seen.rule = self._table.rule(describe(rule, seen.op))
        seen.nodes, seen.is_open = tuple(_after(seen.last)), False

    def _settle(self, seen: _Seen, graph: fx.Graph) -> None:
        """Find the node of a call that no rule decomposed: the first one after it."""
        node = seen.last.next
        if seen.is_open and node is not graph._root and node.target is seen.op:
            seen.nodes = (node,)
        seen.is_open = False

    def recorded(self, graph: Graph, fx_graph: fx.Graph) -> None:
        """A graph was recorded: keep what was traced into it."""
        rows = self._seen.pop(fx_graph, [])
        if not rows:
            return
        self._settle(rows[-1], fx_graph)
        index = {node: position for position, node in enumerate(fx_graph.nodes)}
        self._traced += (
            Traced(
                call=seen.call,
                rule=seen.rule,
                graph=graph.id,
                nodes=tuple(index[node] for node in seen.nodes if node in index),
            )
            for seen in rows
        )

    def freeze(self, *, is_done: bool) -> Decompositions:
        """The calls so far; after the recording, with what each becomes once somebody looks."""
        traced = tuple(self._traced)
        if not is_done:
            return self._table.freeze(traced)
        if self._later is None:
            self._seen.clear()
            self._later = Later.of(traced, partial(self._worked_out, traced))
        return self._later

    def _worked_out(self, traced: tuple[Traced, ...]) -> Decompositions:
        """Runs operators under a mode of PyTorch's, which an interrupt could leave on."""
        held(self._unfold)
        return self._table.freeze(traced)

    def _unfold(self) -> None:
        kept = {traced.call for traced in self._traced}
        calls = {index: call for index, call in self._calls.items() if index in kept}
        try:
            for to in TARGETS if calls else ():
                self._take_apart(calls, to)
        except Exception as error:  # it depends on more of PyTorch than recording the calls did
            for index in calls:
                self._problem(index, f"It is not taken apart: {type(error).__name__}: {error}")

    def _take_apart(self, calls: dict[int, CallOf], to: Target) -> None:
        from dynamo_lab.capture.decompositions.decompose import trace
        from dynamo_lab.capture.decompositions.rulebook import Rulebook

        book = Rulebook(to)
        for index, call in calls.items():
            if self._table.is_settled(index, call.op, book):
                continue
            try:
                trace(call, book, self._table)
            except DecompositionError as error:
                self._problem(index, str(error))

    def _problem(self, index: int, problem: str) -> None:
        self._table.calls[index] = replace(self._table.calls[index], problem=problem)


def _rules_of(mode: Any) -> Any:
    """The decompositions that a tracing mode applies; until torch 2.12 its module has them."""
    rules = hooks.RULES.of(mode)
    if rules is not None:
        return rules
    before = hooks.RULES_BEFORE_2_13.get()  # a table in torch 2.11, a context's variable in 2.12
    return before.get({}) if isinstance(before, ContextVar) else before


def _unnamed(value: Any) -> str | None:
    return tensor_value(value).text if isinstance(value, torch.Tensor) else None


def _after(node: fx.Node) -> Iterable[fx.Node]:
    """The nodes that follow, in order, up to the end of the graph."""
    root = node.graph._root
    at = node.next
    while at is not root:
        yield at
        at = at.next
