"""Tracing: how long Dynamo took to come to each node, and the Python loops that it went through."""

import dis
from collections.abc import Iterator
from types import CodeType
from typing import Any

from torch import fx

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.graphs import hooks
from dynamo_lab.model.frames import Loop
from dynamo_lab.model.graphs import Graph

_BACK = ("JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE")

_Jump = tuple[CodeType, int, int]
"""The code of a loop, and the first and the last line of it."""


class TracingProbes:
    """Takes the time at each new node, and counts jumps backwards: both cost next to nothing."""

    def __init__(self, recorder: Recorder, undo: Undo) -> None:
        self._recorder = recorder
        self._undo = undo
        self._last = 0.0
        self._seconds: dict[fx.Node, float] = {}
        self._jumps: dict[_Jump, int] = {}
        self._exact: dict[_Jump, bool] = {}

    def install(self, patches: Patches) -> None:
        """Watch the start of an analysis, new nodes, and the bytecode that jumps."""
        patches.hear(hooks.TRACING_STARTED, self.started)
        patches.hear(hooks.NODE_ADDED, self.added)
        if not hooks.TRANSLATOR.exists:
            return
        base = hooks.TRANSLATOR.get()
        patches.listen(base, "jump", self.jumped)  # of conditions; plain jumps are in tables
        tables = (kind for kind in _family(base) if "dispatch_table" in vars(kind))
        for kind in tables:
            self._undo.replace(kind, "dispatch_table", self._heard(kind.dispatch_table, patches))

    def _heard(self, table: list[Any], patches: Patches) -> list[Any]:
        made = list(table)
        for name in _BACK:
            at = dis.opmap.get(name)
            if at is not None and made[at] is not None:
                made[at] = patches.heard(made[at], self.jumped)
        return made

    def started(self, *_: Any, **__: Any) -> None:
        """An analysis starts: what an earlier one of the frame did is void."""
        self._last = self._recorder.now()
        self._seconds.clear()
        self._jumps.clear()
        self._exact.clear()

    def added(self, node: fx.Node, *_: Any, **__: Any) -> None:
        """A node is new in a graph."""
        now = self._recorder.now()
        self._seconds[node] = now - self._last
        self._last = now

    def jumped(self, _: None, translator: Any, instruction: Any) -> None:
        """Dynamo jumped in a function's bytecode."""
        target = getattr(instruction, "target", None)
        where = getattr(translator, "indexof", {})
        if target is None or not hasattr(instruction, "opname"):
            return  # an exception jumps by an entry of a table, not by an instruction
        if where.get(target, 0) >= where.get(instruction, 0):
            return
        around = translator.instructions[where[target] : where[instruction] + 1]
        lines = [line for one in around if (line := _line(one))]
        if lines:
            loop = (translator.f_code, _line(target) or min(lines), max(lines))
            self._jumps[loop] = self._jumps.get(loop, 0) + 1
            self._exact[loop] = target.opname == "FOR_ITER"

    def captured(self, graph: Graph, module: fx.GraphModule) -> None:
        """The nodes of a captured graph are known by the objects that were made for them."""
        seconds = tuple(round(self._seconds.get(node, 0.0), 6) for node in module.graph.nodes)
        self._recorder.update(self._recorder.graphs, graph.id, traced=seconds)
        for (code, first, last), times in self._jumps.items():
            span = self._recorder.texts.span(
                code.co_filename, first, code.co_name, end_line=max(first, last)
            )
            exact = self._exact[code, first, last]
            self._recorder.unrolled.append(
                Loop(span=span, graph=graph.id, times=times, exact=exact)
            )
        self.started()


def _family(kind: type) -> Iterator[type]:
    yield kind
    for made_of in kind.__subclasses__():
        yield from _family(made_of)


def _line(instruction: Any) -> int:
    positions = getattr(instruction, "positions", None)
    return getattr(positions, "lineno", None) or getattr(instruction, "starts_line", None) or 0
