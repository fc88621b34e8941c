"""Memory of the generated code, read from the lines of the wrapper as Inductor planned them."""

from bisect import insort
from collections.abc import Callable, Generator, Iterator
from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.fusion import hooks
from dynamo_lab.capture.kernels.views import calls_view
from dynamo_lab.capture.lowering.hooks import VIRTUALIZED
from dynamo_lab.capture.lowering.inductor_ir import called_by_wrapper
from dynamo_lab.model.fusion.memory import (
    BufferRole,
    EventKind,
    MemoryBuffer,
    MemoryEvent,
    MemoryPlan,
    MemoryStep,
)

Call = tuple[int | None, tuple[str, ...]]
"""A kernel's id, and the names of the operations that one call of it carries out."""

Texts = dict[int, tuple[str, Any]]
"""Lines that are plain texts, each by its identity, and the node whose library function it calls.

Two lines may be the same text.
"""

_LIBRARY = (
    "ExternKernelAllocLine",
    "ExternKernelOutLine",
    "ExternKernelMultiOutLine",
    "ScatterFallbackLine",
    "IndexPutFallbackLine",
)
"""Lines that call a library function, given by their `node`."""


class MemoryProbes:
    """Records the memory plan of each schedule."""

    def __init__(
        self,
        recorder: Recorder,
        schedule_of: Callable[[Any], int | None],
        calls_of: Callable[[str], Iterator[Call]],
    ) -> None:
        self._recorder = recorder
        self._schedule_of = schedule_of
        self._calls_of = calls_of
        self._texts: Texts = {}

    def wrote(self, line: str, node: Any) -> None:
        """A line of a wrapper is a plain text that calls a library."""
        self._texts[id(line)] = line, node

    def install(self, patches: Patches) -> None:
        """Watch what plans the lines of a wrapper."""
        patches.hook(hooks.REUSE_PLANNED, self.planned)
        patches.hook(hooks.POOLS_PLANNED, self.pooled)

    def planned(self, wrapper: Any) -> Generator[None, Any, None]:
        """Every allocation has become a reuse, or stayed one."""
        yield
        self._record(wrapper, is_pooled=False)

    def pooled(self, wrapper: Any) -> Generator[None, Any, None]:
        """With `memory_planning`, buffers become parts of pools: see them before that."""
        self._record(wrapper, is_pooled=True)
        yield

    def _record(self, wrapper: Any, *, is_pooled: bool) -> None:
        graph = VIRTUALIZED.get().graph
        number = self._schedule_of(getattr(graph, "scheduler", None))
        if number is None:
            return
        operations = self._recorder.schedules[number].operations
        known = {op.name: i for i, op in enumerate(operations)}
        reader = _Lines(graph, known, self._calls_of, self._texts)
        reader.read(wrapper)
        plan = MemoryPlan(
            schedule=number,
            buffers=tuple(reader.buffers),
            steps=tuple(reader.steps),
            events=tuple(reader.events),
            is_pooled=is_pooled,
        )
        self._recorder.memory_plans.append(plan)


class _Lines:
    """Reads the lines of one wrapper."""

    def __init__(
        self,
        graph: Any,
        operations: dict[str, int],
        calls_of: Callable[[str], Iterator[Call]],
        texts: Texts,
    ) -> None:
        self._graph = graph
        self._operations = operations
        self._calls_of = calls_of
        self._texts = texts
        self._calls: dict[str, Iterator[Call]] = {}
        self._ran: dict[str, int] = {}  # for results of a library, the step that made them
        self._index: dict[str, int] = {}
        self._outputs = set(graph.get_output_names())
        self.buffers: list[MemoryBuffer] = []
        self.steps: list[MemoryStep] = []
        self.events: list[MemoryEvent] = []

    def read(self, wrapper: Any) -> None:
        """Every line that concerns memory, then the buffers that fusion made unnecessary."""
        for line in wrapper.lines:
            self._line(line, wrapper)
        for name in sorted(self._graph.removed_buffers | self._graph.inplaced_to_remove):
            if name in self._graph.name_to_buffer:
                self._buffer(self._graph.name_to_buffer[name], "removed")

    def _line(self, line: Any, wrapper: Any) -> None:
        kind = type(line).__name__
        if kind == "AllocateLine":
            self._event("allocate", line.node)
        elif kind == "ReuseLine":
            is_planned = wrapper.reuses.get(line.reused_as.get_name()) != line.node.get_name()
            self._event("reuse" if is_planned else "in_place", line.reused_as, line.node)
        elif kind == "ReinterpretLine":
            self._event("view", line.reused_as, line.node)
        elif kind == "FreeLine" or (kind == "FreeIfNotReusedLine" and not line.is_reused):
            self._event("free", line.node)
        elif kind == "KernelCallLine":
            self._called(line.kernel_name)
        elif kind == "MultiOutputLine":
            self._part(self._graph.name_to_buffer.get(line.result_name))
        elif kind in _LIBRARY:
            self._ran[str(line.node.get_name())] = len(self.steps)
            if kind == "ExternKernelAllocLine":
                self._made(line.node)
            self._library(line.node)
        elif isinstance(line, str) and id(line) in self._texts:
            self._library(self._texts[id(line)][1])

    def _library(self, node: Any) -> None:
        if calls_view(node):
            return
        name = called_by_wrapper(node) or type(node).__name__
        self._called(name, str(node.get_operation_name()))

    def _part(self, node: Any) -> None:
        """One of several results: the call made it, though it has a name only afterwards."""
        if node is None:
            return
        step = self._ran.get(str(node.inputs[0].get_name()), len(self.steps))
        self._ran[str(node.get_name())] = step
        self._made(node, step)

    def _made(self, node: Any, step: int | None = None) -> None:
        """A library function allocates what it returns, or returns a view of an input."""
        given = self._graph.graph_inputs
        known = [n for n in node.get_inputs_that_alias_output() if n in self._index or n in given]
        if known:
            source = given[known[0]] if known[0] in given else self._graph.get_buffer(known[0])
            self._event("view", node, source, step)
        else:
            self._event("allocate", node, step=step)

    def _called(self, name: str, operation: str = "") -> None:
        calls = self._calls.setdefault(name, self._calls_of(name))
        kernel, made = next(calls, (None, ()))
        names = (operation,) if operation else made
        found = tuple(self._operations[n] for n in names if n in self._operations)
        self.steps.append(MemoryStep(name=name, kernel=kernel, operations=found))

    def _event(
        self, kind: EventKind, node: Any, source: Any = None, step: int | None = None
    ) -> None:
        index = self._buffer(node)
        other = None if source is None else self._buffer(source)
        at = len(self.steps) if step is None else step
        insort(self.events, MemoryEvent(at, kind, index, other), key=lambda event: event.step)

    def _buffer(self, node: Any, role: BufferRole | None = None) -> int:
        name = str(node.get_name())
        if name not in self._index:
            self._index[name] = len(self.buffers)
            self.buffers.append(self._described(name, node, role or self._role(name, node)))
        return self._index[name]

    def _role(self, name: str, node: Any) -> BufferRole:
        if name in self._graph.graph_inputs:
            return "donated" if type(node).__name__ == "DonatedBuffer" else "input"
        if name in self._outputs:
            return "output"
        is_view = type(getattr(node, "layout", None)).__name__ == "NonOwningLayout"
        return "view" if is_view else "buffer"

    def _described(self, name: str, node: Any, role: BufferRole) -> MemoryBuffer:
        made_by = self._graph.scheduler.name_to_buf.get(name)
        maker = made_by.defining_op.get_name() if made_by and made_by.defining_op else ""
        sizes = {} if not _is_tensor(node) else self._sizes(node)
        return MemoryBuffer(
            name=name, role=role, operation=self._operations.get(str(maker)), **sizes
        )

    def _sizes(self, node: Any) -> dict[str, Any]:
        length = self._graph.get_allocation_storage_size(node)
        dtype = node.get_dtype()
        return {
            "bytes": self._hint(length, hooks.DTYPE_SIZE.get()(dtype)),
            "dtype": str(dtype).removeprefix("torch."),
            "shape": tuple(map(str, node.get_size())),
        }

    def _hint(self, length: Any, each: int) -> int | None:
        """The bytes, with the sizes of the recorded run; a size that a run computes is unknown."""
        if hooks.UNBACKED.get()(length):
            return None
        return int(self._graph.sizevars.optimization_hint(length)) * each


def _is_tensor(node: Any) -> bool:
    layout = type(getattr(node, "layout", None)).__name__
    return layout not in ("NoneLayout", "MultiOutputLayout", "NoneType")
