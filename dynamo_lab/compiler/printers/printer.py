"""What the printers share: names of values, index expressions, operators.

In comes a kernel; out come the lines of its text, each with the node that it computes for. The
printer of a target has a method for each operator that touches memory; all else is written from
the table of operators.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Value
from dynamo_lab.compiler.operators import FLOATS, OPERATORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dynamo_lab.compiler.body import Body
    from dynamo_lab.compiler.index import Atom, Index, Size
    from dynamo_lab.compiler.kernel import Kernel


def first(how: str, dtype: torch.dtype) -> str:
    """What a reduction begins with, as Python writes it."""
    number: bool | int | float
    if dtype is torch.bool:
        number = how in ("prod", "min")
    elif how in ("sum", "prod"):
        number = int(how == "prod")
    elif dtype in FLOATS:
        number = -math.inf if how == "max" else math.inf
    else:
        limits = torch.iinfo(dtype)
        number = limits.min if how == "max" else limits.max
    return repr(float(number) if dtype in FLOATS else number)


class Printer:
    """The text of one kernel, line by line."""

    target: ClassVar[Literal["c", "triton", "metal"]]
    divides: ClassVar[str]
    """How the target writes a quotient of integers."""
    indent: ClassVar[str]
    types: ClassVar[Mapping[torch.dtype, str]]
    """What the target calls the type of a value."""
    chooses: ClassVar[str]
    """How the target writes one value or another."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.lines: list[str] = []
        self.origins: dict[int, str] = {}
        """By line of `text()`, from 1: the node of the graph that it computes for."""
        self._marked: list[tuple[int, str]] = []
        self.names: dict[Value, str] = {}
        self.depth = 1
        self.written: set[str] = set()
        """Buffers that earlier sections wrote in memory."""
        self._read: set[str] = set()
        self._count = -1

    def write(self, line: str, origin: str = "") -> None:
        """Add a line at this depth, and the node that it computes for."""
        if origin:
            self._marked.append((len(self.lines), origin))
        self.lines.append(self.indent * self.depth + line)

    def whole(self, head: Sequence[str], *foot: str) -> str:
        """The function of these first lines, of what was written, and of these last ones."""
        self.origins = {len(head) + at + 1: origin for at, origin in self._marked}
        return "\n".join([*head, *self.lines, *foot, ""])

    def new_name(self, letter: str) -> str:
        """A name that no value of this kernel has."""
        self._count += 1
        return f"{letter}{self._count}"

    def index(self, e: Size) -> str:
        """An index expression."""
        return ix.written(e, self.divides, self._atom)

    def _atom(self, atom: Atom) -> str:
        return self.names[atom.args[0]] if atom.kind == "value" else atom.name

    def positions(
        self, flat: str, loops: Sequence[Index], sizes: Sequence[Size]
    ) -> Iterable[tuple[str, str]]:
        """The loop variables with their expressions, of the row-major position `flat`."""
        step: Size = 1
        found: list[tuple[str, str]] = []
        leading = next((k for k, loop in enumerate(loops) if loop.alone()), 0)
        for k in range(len(loops) - 1, -1, -1):
            alone = loops[k].alone()
            if not alone:
                continue
            at = flat if step == 1 else f"({flat} {self.divides} ({self.index(step)}))"
            found.append((alone.name, at if k == leading else f"{at} % ({self.index(sizes[k])})"))
            step = ix.product([step, sizes[k]])
        return reversed(found)

    def reads_back(self, body: Body) -> bool:
        """Does it read what an earlier section wrote, perhaps in another thread?"""
        return any(buffer in self.written for buffer, _ in body.loads())

    def overwrites(self, body: Body) -> bool:
        """Does it write what a slower thread of the same position may still have to read?"""
        self._read |= {buffer for buffer, _ in body.loads()}
        stored = {value.args[0] for value in body.values if value.op == "store"}
        return self.kernel.reduces and bool(stored & self._read - self.kernel.scratch.keys())

    def value(self, value: Value) -> str:
        """The expression of a value, its operands named already."""
        given = [self.names[arg] for arg in value.args if isinstance(arg, Value)]
        match value.op:
            case "load":
                return self.load(value)
            case "const":
                return self.constant(value)
            case "index":
                return self.position(value.args[0])
            case "scalar":
                return self.scalar(value)
            case "checked":
                at, size, mask = value.args
                return self.checked(self.names[at], self.index(size), mask and self.names[mask])
            case "cast" if value.dtype is torch.bool:
                return f"{given[0]} != 0"
            case "cast":
                return self.cast(given[0], value.dtype)
            case "where":
                return self.chooses.format(*given)
            case _:
                operand = value.args[0].dtype
                spelling = OPERATORS[value.op].written(self.target, is_float=operand in FLOATS)
                suffix = "" if operand is torch.float64 else "f"
                return spelling.format(*given, f=suffix, t=self.types[value.dtype])

    def load(self, value: Value) -> str:
        """The element of a buffer, or 0 where the mask is false."""
        raise NotImplementedError

    def constant(self, value: Value) -> str:
        """A number."""
        raise NotImplementedError

    def position(self, at: Index) -> str:
        """An index expression as a number."""
        return self.index(at)

    def scalar(self, value: Value) -> str:
        """A number of the run time, as `value` wants it."""
        return str(value.args[0])

    def checked(self, at: str, size: str, mask: str | None) -> str:
        """An index read from a tensor, refused where it is out of range and the mask holds."""
        text = f"checked({at}, {size}, out_of_range)"
        return text if mask in (None, "1") else f"{mask} ? {text} : 0"

    def cast(self, name: str, dtype: torch.dtype) -> str:
        """A value converted to a type that is not bool."""
        raise NotImplementedError


class Statements(Printer):
    """What C and Metal share: a value is a constant of the name `t<n>`."""

    divides = "/"
    indent = "  "
    chooses = "{0} ? {1} : {2}"
    memory: ClassVar[Mapping[torch.dtype, str]]
    """What the target calls the type of an element in memory."""

    def bind(self, value: Value) -> None:
        """Give a value a name; a number needs none."""
        if value.op == "const":
            self.names[value] = self.constant(value)
            return
        self.names[value] = name = self.new_name("t")
        self.write(f"const {self.types[value.dtype]} {name} = {self.value(value)};", value.origin)

    def memory_of(self, buffer: str) -> str:
        """The type of its elements."""
        return self.memory[self.kernel.buffers[buffer].dtype]
