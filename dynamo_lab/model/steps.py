"""Steps: each bytecode instruction that Dynamo interpreted, to play forwards and back.

Columns are bytes of 32-bit little-endian integers: a row takes four bytes per column, in memory and
as base64, in the file.
"""

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Depth, Plain, Ref
from dynamo_lab.model.frames import Instruction

EventKind = Literal["checkpoint", "effect", "break", "compile", "restart", "raise", "return"]
"""What an instruction did besides moving values.

A checkpoint is a place to which the analysis can be rolled back; an effect a change to an object
that outlives the call; `compile` passes the graph so far to the backend; `restart` ends the attempt
and starts the next; `raise` ends a call with an exception.
"""


class Symbolic(Struct, frozen=True, array_like=True):
    """What Dynamo knows of a value.

    `kind` is its kind of variable ("TensorVariable"), `text` a description ("f32[8, 4]", "3"),
    `source` where it comes from ("L['x']"), `node` the row of the node that makes it, -1 for none.
    """

    kind: str
    text: str = ""
    source: str = ""
    node: Annotated[int, Ref("StepTable.nodes", or_none=True)] = -1


class Code(Struct, frozen=True, kw_only=True):
    """A code object that was interpreted, with the instructions as Dynamo holds them."""

    name: str
    span: Annotated[int, Ref("spans")]
    instructions: tuple[Instruction, ...] = ()


class Call(Struct, frozen=True, array_like=True):
    """One interpretation of a code object: a frame's own, or that of a function inlined into it.

    `step` is the step that made the call, -1 for the frame itself.
    """

    code: Annotated[int, Ref("StepTable.codes")]
    parent: Annotated[int, Ref("StepTable.calls", or_none=True)] = -1
    step: Annotated[int, Ref("StepTable.call", "steps", or_none=True, or_end=True)] = -1
    depth: int = 0


class Take(Struct, frozen=True, kw_only=True):
    """The steps of one attempt, from `first` up to `end`.

    `attempt` indexes the frame's attempts, and is -1 during the attempt.
    """

    frame: Annotated[int, Ref("frames")]
    compile_id: str
    restart: int
    first: int
    end: int
    attempt: Annotated[int, Ref("frames[frame].attempts", or_none=True)] = -1


class AddedNode(Struct, frozen=True, array_like=True):
    """A node that a step put into the graph: its FX operation and what it calls.

    `depth` counts the bodies of higher-order operators around it; `removed` is the step that
    removed it again, -1 for none.
    """

    step: Annotated[int, Ref("StepTable.call", "steps", or_end=True)]
    name: str
    op: str
    text: str
    value: str = ""
    depth: Depth = 0
    removed: Annotated[int, Ref("StepTable.call", "steps", or_none=True, or_end=True)] = -1


class AddedGuard(Struct, frozen=True, array_like=True):
    """A guard that a step made necessary; those from before the first step count to it."""

    step: Annotated[int, Ref("StepTable.call", "steps", or_end=True)]
    kind: str
    source: str


class Event(Struct, frozen=True, array_like=True):
    """Something else that a step did."""

    step: Annotated[int, Ref("StepTable.call", "steps", or_end=True)]
    kind: EventKind
    text: str = ""


class StepTable(Struct, frozen=True, kw_only=True):
    """Every step in the order in which Dynamo took them.

    Attributes:
        strings: Names of local variables.
        values: Descriptions of values; stacks and locals index it.
        below, held: A stack is a cell: the value on top is `values[held[cell]]`, the rest of the
            stack the cell `below[cell]`, -1 for an empty one. Equal stacks share their cells.
        call: For each step, the call it belongs to.
        instruction: For each step, the instruction of its call's code.
        stack: For each step, the stack after it.
        bound: Changes of local variables, in order: step, name and value, -1 for a name unbound.
        nodes, guards, events: In the order of their steps.
        cut: How many steps came after the requested maximum, and are not recorded.
    """

    codes: tuple[Code, ...] = ()
    calls: tuple[Call, ...] = ()
    takes: tuple[Take, ...] = ()
    strings: tuple[str, ...] = ()
    values: tuple[Symbolic, ...] = ()
    below: Annotated[bytes, Ref("StepTable.below", or_none=True)] = b""
    held: Annotated[bytes, Ref("StepTable.values")] = b""
    call: Annotated[bytes, Ref("StepTable.calls")] = b""
    instruction: Annotated[bytes, Plain("of its call's code, each another: see `problems`")] = b""
    stack: Annotated[bytes, Ref("StepTable.below", or_none=True)] = b""
    bound: Annotated[
        bytes,
        Ref("StepTable.call", "steps"),
        Ref("StepTable.strings"),
        Ref("StepTable.values", or_none=True),
    ] = b""
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


def misshapen(table: StepTable) -> Iterator[str]:
    """A sentence if columns are malformed, or do not match each other."""
    columns = ("below", "held", "call", "instruction", "stack", "bound")
    below, held, *by_step, bound = (len(getattr(table, name)) for name in columns)
    broken = [name for name in columns if len(getattr(table, name)) % 4]
    if broken:
        yield f"film.{broken[0]} is not a column of numbers"
    elif below != held or len({*by_step}) > 1:
        yield "the columns of film differ in length"
    elif bound % 12:
        yield "film.bound is not made of three columns"


def problems(table: StepTable) -> Iterator[str]:
    """A sentence for what steps cannot be played with: unordered rows, or ones that never end."""
    lengths = [len(table.codes[call.code].instructions) for call in table.calls]
    for at, call in zip(unpack(table.instruction), unpack(table.call), strict=True):
        if not 0 <= at < lengths[call]:
            yield f"film.instruction is {at}, but its code has {lengths[call]}"
            break
    if any(cell >= index for index, cell in enumerate(unpack(table.below))):
        yield "film.below does not lead to an empty stack"
    if any(call.parent >= index for index, call in enumerate(table.calls)):
        yield "film.calls do not lead to a frame"
    for name in ("nodes", "guards", "events"):
        at = [row.step for row in getattr(table, name)]
        if at != sorted(at):
            yield f"film.{name} are not in the order of their steps"
    yield from _gaps(table)


def _gaps(table: StepTable) -> Iterator[str]:
    """Takes follow each other and cover every step, so that a step is always in one."""
    end = 0
    for index, take in enumerate(table.takes):
        if take.first != end or take.end < end:
            yield f"film.takes[{index}] has steps that are not its own"
            return
        end = take.end
    if end != len(table):
        yield "the last steps are in no take"
