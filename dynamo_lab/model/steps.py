"""Steps: each bytecode instruction that Dynamo interpreted, as a film that can be wound back.

Columns are bytes of 32-bit little-endian integers: a row takes four bytes a column, in memory and,
as base64, in the file.
"""

import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.frames import Instruction

EventKind = Literal["checkpoint", "effect", "break", "compile", "restart", "raise", "return"]
"""What an instruction did besides moving values.

A checkpoint is a place to which the analysis can be cut back; an effect a change to an object that
outlives the call; `compile` hands the graph so far to the backend; `restart` ends the attempt and
begins the next; `raise` ends a call with an exception.
"""


class Symbolic(Struct, frozen=True, array_like=True):
    """What Dynamo knows of a value.

    `kind` is its kind of variable ("TensorVariable"), `text` a few words ("f32[8, 4]", "3"),
    `source` where it comes from ("L['x']"), `node` the row of the node that makes it, -1 for none.
    """

    kind: str
    text: str = ""
    source: str = ""
    node: int = -1


class Code(Struct, frozen=True, kw_only=True):
    """A code object that was interpreted, with the instructions as Dynamo holds them."""

    name: str
    span: int
    instructions: tuple[Instruction, ...] = ()


class Call(Struct, frozen=True, array_like=True):
    """One interpretation of a code object: a frame's own, or that of a function inlined into it.

    `step` is the step that made the call, -1 for the frame itself.
    """

    code: int
    parent: int = -1
    step: int = -1
    depth: int = 0


class Take(Struct, frozen=True, kw_only=True):
    """The steps of one attempt, from `first` up to `end`.

    `attempt` indexes the frame's attempts, and is -1 while the attempt goes on.
    """

    frame: int
    compile_id: str
    restart: int
    first: int
    end: int
    attempt: int = -1


class AddedNode(Struct, frozen=True, array_like=True):
    """A node that a step put into the graph: its FX operation and what it calls.

    `depth` counts the bodies of higher-order operators around it; `removed` is the step that took
    it out again, -1 for none.
    """

    step: int
    name: str
    op: str
    text: str
    value: str = ""
    depth: int = 0
    removed: int = -1


class AddedGuard(Struct, frozen=True, array_like=True):
    """A guard that a step made necessary; what was made before the first step counts to it."""

    step: int
    kind: str
    source: str


class Event(Struct, frozen=True, array_like=True):
    """Something else that a step did."""

    step: int
    kind: EventKind
    text: str = ""


class Film(Struct, frozen=True, kw_only=True):
    """Every step in the order in which Dynamo took them.

    Attributes:
        strings: Names of local variables.
        values: What values look like; stacks and locals index it.
        below, held: A stack is a cell: the value on top is `values[held[cell]]`, the rest of the
            stack the cell `below[cell]`, -1 for an empty one. Equal stacks share their cells.
        call: For each step, the call it belongs to.
        instruction: For each step, the instruction of its call's code.
        stack: For each step, the stack after it.
        bound: Changes of local variables, in order: step, name and value, -1 for a name unbound.
        nodes, guards, events: In the order of their steps.
        cut: How many steps came after the most that were asked for, and are not kept.
    """

    codes: tuple[Code, ...] = ()
    calls: tuple[Call, ...] = ()
    takes: tuple[Take, ...] = ()
    strings: tuple[str, ...] = ()
    values: tuple[Symbolic, ...] = ()
    below: bytes = b""
    held: bytes = b""
    call: bytes = b""
    instruction: bytes = b""
    stack: bytes = b""
    bound: bytes = b""
    nodes: tuple[AddedNode, ...] = ()
    guards: tuple[AddedGuard, ...] = ()
    events: tuple[Event, ...] = ()
    cut: int = 0

    def __len__(self) -> int:
        return len(self.call) // 4

    def stack_after(self, step: int) -> tuple[Symbolic, ...]:
        """The symbolic stack after a step, its top last."""
        below, held = unpack(self.below), unpack(self.held)
        found = on_stack(unpack(self.stack)[step], below, held)
        return tuple(self.values[value] for value in found)

    def locals_after(self, step: int) -> dict[str, Symbolic]:
        """The local variables, after a step, of the call that the step belongs to."""
        calls, bound = unpack(self.call), unpack(self.bound)
        own = calls[step]
        found: dict[str, Symbolic] = {}
        for row in range(0, len(bound), 3):
            at, name, value = bound[row : row + 3]
            if at > step:
                break
            if calls[at] == own and value >= 0:
                found[self.strings[name]] = self.values[value]
            elif calls[at] == own:
                found.pop(self.strings[name], None)
        return found


def on_stack(cell: int, below: Sequence[int], held: Sequence[int]) -> list[int]:
    """The values of the stack that a cell is the top of, its top last."""
    found: list[int] = []
    while cell >= 0:
        found.append(held[cell])
        cell = below[cell]
    return found[::-1]


def pack(numbers: Iterable[int]) -> bytes:
    """Numbers as a column."""
    return _little_endian(array("i", numbers)).tobytes()


def unpack(column: bytes) -> Sequence[int]:
    """The numbers of a column."""
    return _little_endian(array("i", column))


def _little_endian(numbers: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
