"""Statements: which nodes each line of a generated kernel implements.

Every line that Inductor writes for an operation of a loop body belongs to the node that the
operation came from (see `lowering/origins.py`, `line_origins.py`). Which lines there are, and
what those without an operation serve, is read from the finished kernel's text.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.kernels import hooks
from dynamo_lab.capture.kernels.kernels import KernelProbes
from dynamo_lab.capture.kernels.line_origins import OriginTracker, nodes_by_line
from dynamo_lab.capture.kernels.statement_lines import attributed
from dynamo_lab.capture.lowering.inductor_ir import parts_of
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.model.kernels import Statement


class StatementProbes:
    """Listens to Inductor as it writes kernels, and ties their statements to nodes."""

    def __init__(self, recorder: Recorder, lowering: LoweringProbes, kernels: KernelProbes) -> None:
        self._recorder, self._lowering, self._kernels = recorder, lowering, kernels
        self._tracker = OriginTracker()

    def install(self, patches: Patches) -> None:
        """Hear each line that is written, and watch where a kernel is finished."""
        self._tracker.install(patches)
        for row in hooks.SCHEDULINGS:
            if row.exists and "define_kernel" in vars(row.get()):
                patches.watch(row.get(), "define_kernel", self.finished)

    def finished(
        self, scheduling: Any, source: Any, schedule: Any = None, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A kernel is finished, or is the same as one before."""
        result = yield
        lines, texts = self._tracker.taken()
        name = result[0] if isinstance(result, tuple) else result
        graph = self._lowering.current_graph
        kernel = self._kernels.known(graph, name)
        if graph is None or kernel is None:
            return
        fact = self._recorder.kernels[kernel]
        index = {node: i for i, node in enumerate(graph.nodes.name)}
        found = [
            Statement(
                line=line,
                nodes=tuple(sorted({index[node] for node in nodes if node in index})),
                origin=origin,
            )
            for line, nodes, origin in attributed(
                fact.code,
                fact.language,
                lines,
                nodes_by_line(fact.code, texts),
                list(_of_template(schedule, index)),
            )
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


def _of_template(schedule: Any, index: Mapping[str, int]) -> Iterator[str]:
    """The nodes whose kernels come from a template, to which code for others may be added."""
    template = hooks.TEMPLATE.get()
    for item in parts_of(schedule):
        lowered = getattr(item, "node", item)
        if isinstance(lowered, template):
            names = [node.name for node in lowered.origins if node.name in index]
            yield from sorted(names, key=index.__getitem__)[-1:]  # the others make its inputs
