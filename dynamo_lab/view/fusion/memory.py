"""Memory of the generated code: what is allocated at each call, the peak, and buffer lifetimes."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.fusion.fusion import Operation, Schedule
from dynamo_lab.model.fusion.memory import MemoryBuffer, MemoryEvent, MemoryPlan
from dynamo_lab.model.fusion.memory import MemoryStep as StepFact
from dynamo_lab.model.graphs import Value
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.work import is_view
from dynamo_lab.view.core.values import value_text
from dynamo_lab.view.core.words import listed, plural, size

_WITH_BODIES = {"Conditional", "Switch", "WhileLoop", "InvokeSubgraph"}
"""The classes of Inductor's IR that run a body; from torch 2.15 on, `cond` is a "Switch"."""
_ALLOCATES = re.compile(r"\b(?:make_unique|aligned_alloc|malloc)\b")
"""In the code of a kernel in C or C++: it takes memory for what it computes in between."""


class MemoryStep(Struct, frozen=True, kw_only=True):
    """A call, and what is allocated while it runs. `operations` are ids."""

    name: str
    kernel: int | None
    operations: tuple[int, ...]
    bytes: int
    size: str


class LifeView(Struct, frozen=True, kw_only=True):
    """The lifetime of a buffer: it holds memory from step `start` to `end`, counted from 0.

    `last_read` is the last step that reads it, -1 for none. `source` names the buffer whose memory
    it took over or shares. `operation` is the id of what computes it, -1 for inputs.
    """

    name: str
    role: str
    value: str
    bytes: int
    size: str
    start: int
    end: int
    last_read: int
    operation: int
    source: str
    note: str


class MemoryView(Struct, frozen=True, kw_only=True):
    """The memory of one schedule. `kernel_internal` are buffers that fusion removed."""

    sentences: tuple[str, ...]
    steps: tuple[MemoryStep, ...]
    peak: int
    peak_bytes: int
    lives: tuple[LifeView, ...]
    kernel_internal: tuple[LifeView, ...]


def build(plan: MemoryPlan, recording: Recording, first: int) -> MemoryView:
    """The memory plan, with operations as ids from `first` on."""
    return _View(plan, recording, first).build()


class _View:
    """Walks the events once, and tracks which buffer holds which storage."""

    def __init__(self, plan: MemoryPlan, recording: Recording, first: int) -> None:
        self._plan = plan
        self._schedule = schedule = recording.schedules[plan.schedule]
        self._kernels = recording.kernels
        self._first = first
        self._last = max(0, len(plan.steps) - 1)
        self._reads = dict(_last_reads(plan, schedule))
        self._start: dict[int, int] = {}
        self._end: dict[int, int] = {}
        self._cause: dict[int, MemoryEvent] = {}

    def build(self) -> MemoryView:
        plan = self._plan
        live = self._walk()[: len(plan.steps)]
        peak = max(range(len(live)), key=live.__getitem__, default=0)
        steps = tuple(
            MemoryStep(
                name=step.name,
                kernel=step.kernel,
                operations=tuple(self._first + index for index in step.operations),
                bytes=amount,
                size=size(amount),
            )
            for step, amount in zip(plan.steps, live, strict=True)
        )
        lives = tuple(self._life(index) for index in self._start)
        internal = tuple(
            self._life(index)
            for index, item in enumerate(plan.buffers)
            if item.role == "removed" and item.operation is not None and _is_memory(item)
        )
        top = live[peak] if live else 0
        return MemoryView(
            sentences=tuple(self._sentences(steps, peak, lives, internal)),
            steps=steps,
            peak=peak,
            peak_bytes=top,
            lives=lives,
            kernel_internal=internal,
        )

    def _walk(self) -> list[int]:
        """What is allocated while each step runs, and after the last."""
        storage: dict[int, int] = {}  # for each buffer, the one that was allocated
        holders: dict[int, set[int]] = {}
        for index, item in enumerate(self._plan.buffers):
            if item.role == "donated":
                storage[index], holders[index] = index, {index}
                self._start[index] = 0
        live: list[int] = []
        at = 0
        for step in range(len(self._plan.steps) + 1):
            while at < len(self._plan.events) and self._plan.events[at].step <= step:
                self._apply(self._plan.events[at], storage, holders)
                at += 1
            live.append(sum(self._bytes(index) for index in holders))
        return live

    def _apply(
        self, event: MemoryEvent, storage: dict[int, int], holders: dict[int, set[int]]
    ) -> None:
        index, source = event.buffer, event.source
        if event.kind == "free":
            self._release(index, event.step - 1, storage, holders)
            return
        if index in self._start:
            return
        self._start[index] = event.step
        self._cause[index] = event
        if event.kind == "allocate" or source not in storage:
            if self._plan.buffers[index].role != "input" and source is None:
                storage[index], holders[index] = index, {index}
            return
        storage[index] = storage[source]
        holders[storage[source]].add(index)
        if event.kind != "view":
            last = event.step if event.kind == "in_place" else event.step - 1
            self._release(source, last, storage, holders)

    def _release(
        self, index: int, last: int, storage: dict[int, int], holders: dict[int, set[int]]
    ) -> None:
        self._end.setdefault(index, max(last, self._start.get(index, 0)))
        held = storage.pop(index, None)
        if held is not None:
            holders[held].discard(index)
            if not holders[held]:
                del holders[held]

    def _bytes(self, index: int) -> int:
        return max(0, self._plan.buffers[index].bytes or 0)

    def _life(self, index: int) -> LifeView:
        item = self._plan.buffers[index]
        cause = self._cause.get(index)
        source = cause.source if cause else None
        start = self._start.get(index, -1)
        return LifeView(
            name=item.name,
            role=item.role,
            value=value_text(Value(dtype=item.dtype, shape=item.shape)),
            bytes=self._bytes(index),
            size="" if item.bytes is None else size(self._bytes(index)),
            start=start,
            end=self._end.get(index, self._last) if start >= 0 else -1,
            last_read=self._reads.get(item.name, -1),
            operation=-1 if item.operation is None else self._first + item.operation,
            source="" if source is None else self._plan.buffers[source].name,
            note=self._note(item, cause),
        )

    def _note(self, item: MemoryBuffer, cause: MemoryEvent | None) -> str:
        if item.role == "removed":
            return "never in memory: it exists only inside its kernel"
        source = "" if cause is None or cause.source is None else cause.source
        name = self._plan.buffers[source].name if source != "" else ""
        origin = {
            "in_place": f"written over {name}, in place",
            "reuse": f"takes over the memory of {name}, which is no longer needed",
            "view": f"a view of {name}, with no memory of its own",
        }.get(cause.kind if cause else "", "")
        ends = {"output": "returned", "donated": "saved by the forward, may be overwritten"}
        return "; ".join(part for part in (origin, ends.get(item.role, "")) if part)

    def _sentences(
        self,
        steps: Sequence[MemoryStep],
        peak: int,
        lives: Sequence[LifeView],
        internal: Sequence[LifeView],
    ) -> Iterator[str]:
        if steps:
            at = steps[peak]
            bound = "At least" if self._is_open() else "At most"
            yield (
                f"{bound} {at.size} are allocated, at call {peak + 1} of {len(steps)}, "
                f"`{at.name}`; inputs and parameters come on top"
                f"{self._bodies()}{self._unplanned()}."
            )
        begun = {i: self._cause[i].kind for i in self._start if i in self._cause}
        kinds = [kind for i, kind in begun.items() if _is_memory(self._plan.buffers[i])]
        if counted := [
            f"{kinds.count(kind)} {words}"
            for kind, words in (
                ("allocate", "allocated"),
                ("in_place", "written in place"),
                ("reuse", "in memory that another buffer held"),
                ("view", "views"),
            )
            if kind in kinds
        ]:
            yield f"{plural(len(kinds), 'buffer')}: {', '.join(counted)}."
        yield from self._donations()
        if internal:
            saved = sum(life.bytes for life in internal)
            yield f"Fusion kept {len(internal)} more, {size(saved)}, out of memory entirely."
        yield from self._unread()
        if any(map(_is_dynamic, self._plan.buffers)):
            yield "Dynamic sizes are those of this run."
        if self._is_open():
            yield "Sizes computed only at run time are unknown, and count as zero."
        if self._plan.is_pooled:
            yield "The buffers then became parts of larger pools, which are not shown here."

    def _is_open(self) -> bool:
        """Whether there are sizes that only a run computes."""
        return any(item.bytes is None and _is_memory(item) for item in self._plan.buffers)

    def _unread(self) -> Iterator[str]:
        """What the scheduler removed with its operation, before it fused anything."""
        gone = [one for one in self._plan.buffers if one.role == "removed"]
        names = [f"`{one.name}`" for one in gone if one.operation is None]
        if names:
            them = "it" if len(names) == 1 else "them"
            yield f"Nothing reads {listed(names)}: no memory is planned for {them}{self._parts()}."

    def _parts(self) -> str:
        """What a library makes beside what is read of it is there until the call returns."""
        if not any(one.call.startswith("a result of ") for one in self._schedule.operations):
            return ""
        return (
            "; what a library's call returns beside others it allocates all the same, "
            "which is not counted here"
        )

    def _donations(self) -> Iterator[str]:
        """What the forward saved for this backward alone, and how much of it is overwritten."""
        given = [i for i, item in enumerate(self._plan.buffers) if item.role == "donated"]
        if not given:
            return
        kinds = ("in_place", "reuse")
        taken = {event.source for event in self._plan.events if event.kind in kinds}
        used = sum(index in taken for index in given)
        yield (
            f"{plural(len(given), 'saved value')}, {size(sum(map(self._bytes, given)))}, "
            f"{'is' if len(given) == 1 else 'are'} donated by the forward, and "
            f"{used or 'none'} of {'it' if len(given) == 1 else 'them'} "
            f"{'is' if used < 2 else 'are'} overwritten."
        )

    def _bodies(self) -> str:
        """What is not counted because a body has a plan of its own, and runs as part of no call."""
        calls = {operation.call for operation in self._schedule.operations}
        return ", and what bodies allocate while they run" if calls & _WITH_BODIES else ""

    def _unplanned(self) -> str:
        """What no plan has: memory that a library's function, or a C++ kernel, takes as it runs."""
        count = sum(map(self._takes_its_own, self._plan.steps))
        if not count:
            return ""
        allocate = "allocates for itself" if count == 1 else "allocate for themselves"
        return f", and what {plural(count, 'call')} {allocate}, which is not known"

    def _takes_its_own(self, step: StepFact) -> bool:
        """Whether a call may allocate more than is planned: none knows of a library's function."""
        code = "" if step.kernel is None else self._kernels[step.kernel].code
        called = (self._schedule.operations[at] for at in step.operations)
        return bool(_ALLOCATES.search(code)) or any(map(is_of_library, called))


def _is_memory(item: MemoryBuffer) -> bool:
    """Whether a buffer is a tensor: a check has a name too, and so has a result of several."""
    return item.dtype != ""


def _is_dynamic(item: MemoryBuffer) -> bool:
    """Whether the bytes of a buffer are those of the run that was compiled, and may be others."""
    return item.bytes is not None and not all(part.isdigit() for part in item.shape)


def is_of_library(operation: Operation) -> bool:
    """Whether an operation calls a function of a library: one of IR's own has no dot in its name.

    Those are done by the generated code itself: a check of a size, one of several results.
    """
    is_call = operation.kind == "extern" and "." in operation.call
    return is_call and not is_view(operation.call)


def _last_reads(plan: MemoryPlan, schedule: Schedule) -> Iterator[tuple[str, int]]:
    for number, step in enumerate(plan.steps):
        for index in step.operations:
            for name in schedule.operations[index].reads:
                yield name, number
