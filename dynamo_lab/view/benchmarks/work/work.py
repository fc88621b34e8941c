"""The work of kernels: lower bounds of one call's bytes and floating-point operations.

Counted from loop bodies by these rules. Bytes: what a kernel reads counts once, however many of
its loops read it, and only the elements read; what it made itself costs nothing; what lives only
inside the kernel counts nothing, nor what it overwrites itself. Operations: every arithmetic
operator and every function (`exp`) is one, a fused multiply-add two; those that compare, select,
round, convert or negate are none, and so are all on integers. A reduction is one per element.
Masked parts count as if their mask held everywhere. For library calls: bytes of arguments and
results, of a table in which rows are looked up only those, none for views, and the formulas of
`torch.utils.flop_counter`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

from msgspec import structs

from dynamo_lab.model.benchmarks import KernelTime, Work
from dynamo_lab.model.core.flops import Call, flops_of, is_floating, is_known, positional
from dynamo_lab.model.fusion.fusion import Operation, Schedule
from dynamo_lab.model.fusion.memory import MemoryBuffer, MemoryPlan, MemoryStep
from dynamo_lab.model.graphs import Graph, Node
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.lowering import Buffer
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.work.loops import LoopWork
from dynamo_lab.view.benchmarks.work.touched import touched
from dynamo_lab.view.core.sizes import Sizes, UnknownSize
from dynamo_lab.view.graphs.kinds import kind_of

_OPEN = "its sizes are known only while it runs"
_UNPLANNED = "the recording does not say what its calls compute"
_OWN = "its code is not Inductor's, so there are no loops to count"
_RESIZED = "it gives memory to a tensor or takes it, and what it moves for that is not known"
_OTHER_VIEWS = re.compile(r"aten\.(?:view_as_real|view_as_complex|_conj|_neg_view)\b")
"""Views that are no operators of a kind elsewhere: a conjugate is one here, and work there."""
_BITS = re.compile(r"[0-9]{1,4}")
_NAMES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
}  # fmt: skip


class Works:
    """The work of every call of a recording's kernels."""

    def __init__(self, recording: Recording) -> None:
        self._calls: dict[int, list[Work | str]] = {kernel.id: [] for kernel in recording.kernels}
        self._making: dict[tuple[int, str], Work | str] = {}
        for plan in recording.memory_plans:
            counted = _Plan(recording, plan)
            for step in plan.steps:
                if step.kernel is not None:
                    self._add(step.kernel, counted, step, recording.kernels[step.kernel])

    def _add(self, kernel: int, counted: "_Plan", step: MemoryStep, code: Kernel) -> None:
        work = counted.work(step, code)
        self._calls[kernel].append(work)
        for name in counted.made(step):
            self._making[kernel, name] = work

    def calls(self, kernel: int) -> tuple[Work | str, ...]:
        """The work of each call of a kernel in the order of the code, or why it is not known."""
        return tuple(self._calls[kernel])

    def added(self, timed: KernelTime) -> KernelTime:
        """A kernel's time with the work of its call, where that is known."""
        work = self.of(timed.kernel, timed.buffers)
        return structs.replace(timed, work=work) if isinstance(work, Work) else timed

    def of(self, kernel: int, buffers: Iterable[str] = ()) -> Work | str:
        """The work of the call that makes these buffers, or the mean of all calls of a kernel."""
        for name in buffers:
            if (kernel, name) in self._making:
                return self._making[kernel, name]
        return _mean(self._calls[kernel])


def works(recording: Recording) -> dict[int, Work]:
    """The work of one call of each kernel that can be counted, by the kernel's id.

    Where calls differ, as for a library's matrix product, it is their mean.
    """
    counted = Works(recording)
    found = {kernel.id: counted.of(kernel.id) for kernel in recording.kernels}
    return {kernel: work for kernel, work in found.items() if isinstance(work, Work)}


def uncounted(recording: Recording) -> dict[int, str]:
    """Why the work of a kernel cannot be counted, for those where it cannot."""
    counted = Works(recording)
    found = {kernel.id: counted.of(kernel.id) for kernel in recording.kernels}
    return {kernel: reason for kernel, reason in found.items() if isinstance(reason, str)}


def _mean(calls: list[Work | str]) -> Work | str:
    known = [call for call in calls if isinstance(call, Work)]
    if not calls or len(known) < len(calls):
        return next((call for call in calls if isinstance(call, str)), _UNPLANNED)
    most = max(known, key=lambda call: call.flops)
    return Work(
        bytes_read=sum(call.bytes_read for call in known) // len(known),
        bytes_written=sum(call.bytes_written for call in known) // len(known),
        flops=sum(call.flops for call in known) // len(known),
        dtype=most.dtype,
        counted="arguments" if "arguments" in {call.counted for call in known} else most.counted,
    )


class _Plan:
    """The calls in the code of one schedule."""

    def __init__(self, recording: Recording, plan: MemoryPlan) -> None:
        self._recording = recording
        self._plan = plan
        self._schedule: Schedule = recording.schedules[plan.schedule]
        self._graph: Graph = recording.graphs[self._schedule.graph]
        self._sizes = Sizes(recording, self._graph.compile_id)

    def work(self, step: MemoryStep, kernel: Kernel) -> Work | str:
        """The work of one call, or why it cannot be counted."""
        operations = [self._schedule.operations[at] for at in step.operations]
        if not operations:
            return _UNPLANNED
        try:
            return _Call(self, operations, kernel).work()
        except UnknownSize:
            return _OPEN
        except _Uncountable as error:
            return str(error)

    def made(self, step: MemoryStep) -> Iterator[str]:
        """The names of the buffers that a call makes."""
        for at in step.operations:
            yield from self._schedule.operations[at].buffers

    @cached_property
    def buffers(self) -> dict[str, Buffer]:
        return {b.name: b for b in self._recording.buffers if b.graph == self._graph.id}

    @cached_property
    def planned(self) -> dict[str, MemoryBuffer]:
        return {buffer.name: buffer for buffer in self._plan.buffers}

    @cached_property
    def over(self) -> dict[str, set[str]]:
        """By buffer, the buffers that are written over it in place."""
        found: dict[str, set[str]] = {}
        for event in self._plan.events:
            if event.kind == "in_place" and event.source is not None:
                one, other = (self._plan.buffers[at].name for at in (event.source, event.buffer))
                found.setdefault(one, set()).add(other)
        return found

    @cached_property
    def nodes(self) -> dict[str, Node]:
        return {node.name: node for node in self._graph.nodes}

    def by_index(self, index: int) -> Node:
        return self._graph.nodes[index]

    def results(self, node: Node) -> list[Node]:
        """The tensors that a node returns: its own, or the elements taken from its tuple."""
        if node.value.dtype:
            return [node]
        parts = (other for other in self.nodes.values() if other.inputs == (node.index,))
        return [other for other in parts if other.target == "operator.getitem"]

    def shape(self, node: Node) -> tuple[int, ...]:
        return tuple(map(self._sizes.number, node.value.shape))

    def tensor_bytes(self, node: Node) -> int:
        """The bytes of a tensor that lies in memory without gaps."""
        return self._sizes.product(node.value.shape) * item_size(node.value.dtype)

    def dtype(self, name: str) -> str:
        """The type of a buffer or an input, empty where it is not known."""
        if name in self.buffers and self.buffers[name].dtype:
            return self.buffers[name].dtype
        if name in self.planned and self.planned[name].dtype:
            return self.planned[name].dtype
        return self.nodes[name].value.dtype if name in self.nodes else ""

    def bytes(self, name: str) -> int | None:
        """The bytes that a buffer or an input takes, None where that is not known."""
        if name in self.planned and self.planned[name].bytes is not None:
            return self.planned[name].bytes
        known = self.buffers.get(name)
        if known is not None and known.dtype:
            return self._sizes.product(known.shape) * item_size(known.dtype)
        if name in self.nodes and self.nodes[name].value.dtype:
            return self.tensor_bytes(self.nodes[name])
        return None

    def is_internal(self, name: str) -> bool:
        """Whether a buffer lives only inside its kernel."""
        return name in self.planned and self.planned[name].role == "removed"

    def sizes(self) -> Sizes:
        return self._sizes


class _Uncountable(Exception):
    """A call whose work is not known, and why."""


class _Call:
    """One call of a kernel, by the operations that it performs."""

    def __init__(self, plan: _Plan, operations: list[Operation], kernel: Kernel) -> None:
        self._plan = plan
        self._kernel = kernel
        self._operations = operations
        self._made = {name for operation in operations for name in operation.buffers}
        self._loops = LoopWork(plan.sizes(), plan.dtype)
        self._flops: Counter[str] = Counter()
        self._read: Counter[str] = Counter()
        self._written = 0
        self._counted: set[str] = set()

    def work(self) -> Work:
        for operation in self._operations:
            bodies = [self._plan.buffers.get(name) for name in operation.buffers]
            if any(buffer is not None and buffer.body for buffer in bodies):
                for buffer in bodies:
                    if buffer is not None and buffer.body:
                        self._loops.add(buffer)
            else:
                self._called(operation)
        self._moved()
        self._flops.update(self._loops.flops)
        dtype = max(self._flops, key=self._flops.__getitem__, default="")
        return Work(
            bytes_read=sum(self._read.values()),
            bytes_written=self._written,
            flops=sum(self._flops.values()),
            dtype=dtype,
            counted=self._from(),
        )

    def _from(self) -> Literal["loop IR", "formula", "arguments"]:
        if "arguments" in self._counted:
            return "arguments"
        return "formula" if self._counted else "loop IR"

    def _called(self, operation: Operation) -> None:
        """A library call or a template: what its operator takes and returns."""
        node = self._node(operation)
        if node is None or (self._kernel.code and operation.kind != "template"):
            raise _Uncountable(_OWN if self._kernel.code else _UNPLANNED)
        if "resize_storage_bytes_" in node.target:
            raise _Uncountable(_RESIZED)
        arguments = [self._plan.by_index(at) for at in node.inputs]
        tensors = [argument for argument in arguments if argument.value.dtype]
        results = self._plan.results(node)
        named = positional(node.arguments)
        shapes = {argument.name: self._plan.shape(argument) for argument in tensors}
        call = Call(
            shapes=tuple(map(shapes.get, named)),
            arguments=named,
            results=tuple(map(self._plan.shape, results)),
        )
        is_integer = not is_floating(results[0].value.dtype if results else "")
        flops = 0 if is_integer else flops_of(node.target, call)
        self._counted.add("arguments" if flops is None else "formula")
        if is_view(node.target):
            return
        if flops:
            self._flops[_NAMES.get(tensors[0].value.dtype, tensors[0].value.dtype)] += flops
        part = touched(
            node.target,
            self._kernel.name,
            [self._plan.shape(tensor) for tensor in tensors],
            call.results,
        )
        whole = list(map(self._plan.tensor_bytes, tensors))
        self._taken(operation, _at_most(whole, tensors, part.read))
        if not all(map(self._plan.is_internal, operation.buffers)):
            made = list(map(self._plan.tensor_bytes, results))
            self._written += _at_most(made, results, part.written)

    def _taken(self, operation: Operation, tensors: int) -> None:
        """Arguments may be views of one buffer, or parts of it: count what is less."""
        outside = [name for name in operation.reads if name not in self._made]
        held = [self._plan.bytes(name) for name in outside]
        known = [count for count in held if count is not None]
        whole = sum(known) if len(known) == len(held) and held else tensors
        self._read[operation.name] += min(tensors, whole)

    def _node(self, operation: Operation) -> Node | None:
        """The node of the graph that computes the operation's result."""
        made = [
            self._plan.buffers[name] for name in operation.buffers if name in self._plan.buffers
        ]
        own = [self._plan.by_index(at) for buffer in made for at in buffer.nodes]
        rest = [self._plan.by_index(at) for at in reversed(operation.nodes)]
        called = [node for node in (*own, *rest) if node.op.startswith("call_")]
        return next((node for node in called if is_known(node.target)), None) or next(
            iter(called), None
        )

    def _moved(self) -> None:
        """What the loops read and write beyond what stays inside the kernel."""
        for name, parts in self._loops.reads.items():
            if name not in self._made:
                self._read[name] += self._bytes(name, parts)
        for name, parts in self._loops.writes.items():
            if not self._plan.is_internal(name) and not self._is_written_over(name):
                self._written += self._bytes(name, parts)

    def _is_written_over(self, name: str) -> bool:
        """Whether the kernel overwrites what it wrote there itself."""
        return name in self._made and not self._made.isdisjoint(self._plan.over.get(name, ()))

    def _bytes(self, name: str, parts: dict[str, int]) -> int:
        """The elements that are touched, at most as many as there are."""
        held = self._plan.bytes(name)
        dtype = self._plan.dtype(name)
        if not dtype:
            return held or 0
        touched = sum(parts.values()) * item_size(dtype)
        return touched if held is None else min(touched, held)


def _at_most(held: Sequence[int], tensors: Sequence[Node], elements: int | None) -> int:
    """The bytes of tensors, of the first no more than these elements."""
    if elements is None or not held:
        return sum(held)
    return min(held[0], elements * item_size(tensors[0].value.dtype)) + sum(held[1:])


def is_view(operator: str) -> bool:
    """Whether a library's operator returns the memory that it was given, and moves nothing.

    Inductor has no code for complex numbers: every view of them is a call of the library.
    """
    of_pytorch = operator.removeprefix("torch.ops.").startswith("aten.")
    if not of_pytorch or "_backward" in operator:  # a view's gradient is memory of its own
        return False
    return kind_of(operator) == "view" or bool(_OTHER_VIEWS.search(operator))


def item_size(dtype: str) -> int:
    """The bytes per element of a type such as "bf16" or "float32"."""
    bits = _BITS.search(dtype)
    return max(1, int(bits[0]) // 8) if bits else 1
