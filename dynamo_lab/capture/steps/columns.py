"""The steps while they are recorded, in columns that grow."""

from array import array
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from dynamo_lab.model.frames import Instruction
from dynamo_lab.model.steps import (
    AddedGuard,
    AddedNode,
    Call,
    Code,
    Event,
    StepTable,
    Symbolic,
    Take,
    pack,
)


class StepColumns:
    """At most `most` steps. Those after them are counted, and what they do is not recorded."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._cut = 0
        self._codes: list[Code] = []
        self._calls: list[Call] = []
        self._takes: list[Take] = []
        self._open: list[list[int]] = []  # the takes of each attempt under way, the innermost last
        self._analyses: dict[str, int] = {}
        self._call = array("i")
        self._instruction = array("i")
        self._stack = array("i")
        self._bound = array("i")
        self._nodes: list[AddedNode] = []
        self._guards: list[AddedGuard] = []
        self._events: list[Event] = []
        self._strings: dict[str, int] = {}
        self._values: dict[Symbolic, int] = {}
        self._cells: dict[tuple[int, int], int] = {}

    @property
    def is_full(self) -> bool:
        """Whether what comes now is past the end."""
        return len(self._call) >= self._most

    @property
    def is_open(self) -> bool:
        """Whether an attempt is under way."""
        return bool(self._open)

    def latest(self) -> int:
        """The last step of the take, or the one that will be its first."""
        return max(len(self._call) - 1, self._takes[-1].first if self._takes else 0)

    def begin(self, frame: int, compile_id: str) -> None:
        """An attempt begins. It may lie in another, where a backend compiles something itself."""
        self._close()
        again = self._analyses.get(compile_id, 0)
        self._analyses[compile_id] = again + 1
        here = len(self._call)
        self._open.append([len(self._takes)])
        self._takes.append(
            Take(frame=frame, compile_id=compile_id, restart=again, first=here, end=here)
        )

    def end(self, attempt: int) -> None:
        """The attempt begun last is over: it became this one of its frame's attempts."""
        self._close()
        for take in self._open.pop():
            self._takes[take] = replace(self._takes[take], attempt=attempt)
        if self._open:  # the attempt around it goes on, as a take of its own
            around, here = self._open[-1], len(self._call)
            again = replace(self._takes[around[0]], first=here, end=here)
            around.append(len(self._takes))
            self._takes.append(again)

    def _close(self) -> None:
        """The take at hand ends here, at least for now."""
        if self._open:
            take = self._open[-1][-1]
            self._takes[take] = replace(self._takes[take], end=len(self._call))

    def code(self, name: str, span: int, instructions: tuple[Instruction, ...]) -> int:
        """A code object to be interpreted."""
        self._codes.append(Code(name=name, span=span, instructions=instructions))
        return len(self._codes) - 1

    def call(self, code: int, parent: int, step: int) -> int:
        """An interpretation of a code object begins."""
        depth = self._calls[parent].depth + 1 if parent >= 0 else 0
        self._calls.append(Call(code, parent, step, depth))
        return len(self._calls) - 1

    def step(self, call: int, instruction: int) -> int:
        """An instruction is going to be interpreted."""
        self._call.append(call)
        self._instruction.append(instruction)
        self._stack.append(-1)
        return len(self._call) - 1

    def skip(self) -> None:
        """An instruction is interpreted past the end."""
        self._cut += 1

    def stack(self, step: int, values: Iterable[int]) -> None:
        """The stack after a step, its top last. Stacks share the cells below what differs."""
        cell = -1
        for value in values:
            cell = self._cells.setdefault((cell, value), len(self._cells))
        self._stack[step] = cell

    def value(self, value: Symbolic) -> int:
        """The index of what a value looks like."""
        return self._values.setdefault(value, len(self._values))

    def bind(self, step: int, name: str, value: int) -> None:
        """A step gave a local variable this value, -1 for none."""
        self._bound.extend((step, self._strings.setdefault(name, len(self._strings)), value))

    def node(self, node: AddedNode) -> int:
        """A step put a node into the graph."""
        self._nodes.append(node)
        return len(self._nodes) - 1

    def update_node(self, node: int, **changes: Any) -> None:
        """More is known of a node now."""
        self._nodes[node] = replace(self._nodes[node], **changes)

    def guard(self, guard: AddedGuard) -> None:
        """A step made a guard necessary."""
        self._guards.append(guard)

    def event(self, event: Event) -> None:
        """A step did something else."""
        self._events.append(event)

    def has_ended(self, step: int) -> bool:
        """Whether the last event is of this step, and so says how it ended."""
        return bool(self._events) and self._events[-1].step == step

    def freeze(self) -> StepTable:
        """The steps so far."""
        below, held = zip(*self._cells, strict=True) if self._cells else ((), ())
        # what a call adds after the function that it inlined still belongs to the call
        order = sorted(range(len(self._nodes)), key=lambda row: self._nodes[row].step)
        row_of = {row: position for position, row in enumerate(order)} | {-1: -1}
        self._close()
        return StepTable(
            codes=tuple(self._codes),
            calls=tuple(self._calls),
            takes=tuple(take for take in self._takes if take.first < take.end),
            strings=tuple(self._strings),
            values=tuple(replace(value, node=row_of[value.node]) for value in self._values),
            below=pack(below),
            held=pack(held),
            call=pack(self._call),
            instruction=pack(self._instruction),
            stack=pack(self._stack),
            bound=pack(self._bound),
            nodes=tuple(self._nodes[row] for row in order),
            guards=tuple(sorted(self._guards, key=_step)),
            events=tuple(sorted(self._events, key=_step)),
            cut=self._cut,
        )


def _step(row: AddedGuard | Event) -> int:
    return row.step
