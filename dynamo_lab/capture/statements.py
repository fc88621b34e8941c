"""Statements: which nodes each line of a generated kernel was written for.

While Inductor writes the code of an operation of a loop body, every line that it writes belongs to
the node that the operation came from (see `stamps.py`). The finished kernel is then matched with
what was written, by the text of its lines, since these move between buffers of text and are
indented on the way.
"""

import threading
from collections.abc import Generator, Iterable, Mapping
from typing import Any

from dynamo_lab.capture.kernels import KernelProbes
from dynamo_lab.capture.lowering import LoweringProbes
from dynamo_lab.capture.patches import Patches
from dynamo_lab.capture.recorder import Recorder
from dynamo_lab.capture.stamps import origin_of
from dynamo_lab.capture.statement_lines import attributed
from dynamo_lab.model.kernels import Statement


class StatementProbes:
    """Listens to Inductor as it writes kernels, and ties their statements to nodes."""

    def __init__(
        self, recorder: Recorder[Any], lowering: LoweringProbes, kernels: KernelProbes
    ) -> None:
        self._recorder, self._lowering, self._kernels = recorder, lowering, kernels
        self._local = threading.local()

    def install(self, patches: Patches) -> None:
        """Hear each line that is written, and watch where a kernel is finished."""
        from torch._inductor.codegen import cpp, mps, simd, triton
        from torch._inductor.utils import IndentedBuffer

        patches.listen(IndentedBuffer, "writeline", self.written)
        for scheduling in (
            cpp.CppScheduling,
            mps.MetalScheduling,
            triton.TritonScheduling,
            simd.SIMDScheduling,
        ):
            if "define_kernel" in vars(scheduling):
                patches.watch(scheduling, "define_kernel", self.finished)

    @property
    def _lines(self) -> list[tuple[str, str]]:
        """What this thread wrote since the last kernel: lines, each with the name of a node."""
        if not hasattr(self._local, "lines"):
            self._local.lines = []
        return self._local.lines

    def written(self, buffer: Any, line: Any, *_: Any, **__: Any) -> None:
        """A line is written, perhaps for an operation of a loop body."""
        from torch._inductor.virtualized import V

        operation = getattr(V.interpreter, "current_node", None)
        if operation is None:
            return
        name = origin_of(operation)
        text = line if isinstance(line, str) else getattr(line, "line", None)
        if name is not None and isinstance(text, str):
            self._lines.extend((part, name) for part in text.split("\n"))

    def finished(
        self, scheduling: Any, source: Any, schedule: Any = None, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A kernel is finished, or is the same as one before."""
        result = yield
        lines, self._local.lines = self._lines, []
        name = result[0] if isinstance(result, tuple) else result
        graph = self._lowering.current_graph
        kernel = self._kernels.known(graph, name)
        if graph is None or kernel is None:
            return
        fact = self._recorder.kernels[kernel]
        index = {node: i for i, node in enumerate(graph.nodes.name)}
        if not lines:  # a template alone, whose code is all for one node
            made = _origins(schedule)
            lines = [(line, node) for line in fact.code.split("\n") for node in made]
        found = [
            Statement(
                line=line,
                nodes=tuple(sorted({index[node] for node in nodes if node in index})),
                origin=origin,
            )
            for line, nodes, origin in attributed(fact.code, fact.language, lines)
        ]
        changes = {"statements": united(fact.statements, found)}
        self._recorder.update(self._recorder.kernels, kernel, **changes)


def united(before: Iterable[Statement], now: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements of a kernel that is called again, for other nodes."""
    known: Mapping[int, Statement] = {statement.line: statement for statement in before}
    return tuple(_both(known.get(statement.line), statement) for statement in now)


def _both(a: Statement | None, b: Statement) -> Statement:
    if a is None or not a.nodes:
        return b
    origin = a.origin if b.origin == "unknown" else b.origin
    return Statement(b.line, tuple(sorted({*a.nodes, *b.nodes})), origin)


def _origins(schedule: Any) -> list[str]:
    """The nodes that scheduler nodes were lowered from."""
    items = schedule if isinstance(schedule, list | tuple) else (schedule,)
    lowered = [getattr(item, "node", item) for item in items]
    return [node.name for item in lowered for node in getattr(item, "origins", ()) or ()]
