"""What stands within the loops of a C kernel: values, loads and stores.

In come the straight-line code of a section and the names of the loops that are open; out come
lines of C. A value is a constant of the name `t<n>`; values are written first, then the stores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import torch

from dynamo_lab.compiler.body import WRITES, Body, Value
from dynamo_lab.compiler.layout import flatten
from dynamo_lab.compiler.operators import FLOATS, HALVES
from dynamo_lab.compiler.printers.borders import ALL, Within, parts
from dynamo_lab.compiler.printers.c_text import JOIN, MEMORY, REGISTER, constant
from dynamo_lab.compiler.printers.printer import Statements
from dynamo_lab.compiler.printers.walks import Turns, unmoved_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.index import Index
    from dynamo_lab.compiler.kernel import Kernel


class CStatements(Statements):
    """Prints the statements of one kernel; whoever opens the loops says which these are."""

    target: ClassVar[Literal["c"]] = "c"
    types, memory = REGISTER, MEMORY

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self.columns, self.tile = "", 1
        """The loop whose turns are computed side by side, and how many of them, if any is."""
        self.tiles: dict[Value, str] = {}
        """Loads across memory, whose blocks were turned round before."""

    def _run(self, body: Body, last: Turns, pragma: str) -> None:
        """The innermost loop, cut where a comparison of its position changes its answer."""
        names = dict(self.names)
        for start, end, within in parts(body, last):
            self.names = dict(names)
            self.write(pragma)
            first, size = (self.index(one) for one in (start, end))
            self._open(f"long {last.name} = {first}; {last.name} < {size}; {last.name}++")
            self._body(body, within)
            self._close(self.depth - 1)
        self.names = names

    def _body(
        self, body: Body, within: Within = ALL, arrays: dict[Value, str] | None = None
    ) -> None:
        """All values, then the stores: what is stored may be read by a value before."""
        arrays = arrays or {}
        stores: list[tuple[str, str]] = []
        for value in body.values:
            if not within.needs(value):
                continue
            if value.op in WRITES:
                buffer, at, what = value.args
                if what.op == "cast" and what.dtype in HALVES:
                    what = what.args[0]  # storing rounds
                name, place = self.names[what], self._place(buffer, at)
                if value.op == "accumulate":
                    name = self._sum(buffer, place, name)
                stores.append((f"{place} = {self._rounded(buffer, name)};", value.origin))
            elif value.op == "reduce":
                how, what = value.args[:2]
                kind = "F" if value.dtype in FLOATS else "I"
                joined = JOIN[how].format(a=self.names[value], x=self.names[what], kind=kind)
                self.write(joined, value.origin)
            elif value in arrays:
                self.write(f"{arrays[value]} = {self.value(value)};", value.origin)
            elif value in within.same:
                same = within.same[value]
                self.names[value] = self.names[same] if isinstance(same, Value) else same
            elif value not in self.names:
                self.bind(value)
        for line, origin in stores:
            self.write(line, origin)

    def _before(self, body: Body, loops: Sequence[str]) -> None:
        """The values that stay the same while these loops turn."""
        for value in body.values:
            if value.op == "const":
                self.bind(value)
        for value in unmoved_by(body, loops):
            self.bind(value)

    def constant(self, value: Value) -> str:
        """A number with its own type."""
        return constant(value.args[0], value.dtype)

    def cast(self, name: str, dtype: torch.dtype) -> str:
        """A value converted; one of few bits is rounded to them, and stays a float."""
        match dtype:
            case torch.bfloat16:
                return f"from_bf16(to_bf16({name}))"
            case torch.float16:
                return f"(_Float16){name}"
            case _:
                return f"({REGISTER[dtype]}){name}"

    def load(self, value: Value) -> str:
        """The element of a buffer, or of a block that was turned round before."""
        buffer, at, mask = value.args
        read = self.tiles.get(value) or self._place(buffer, at)
        dtype = self.kernel.scratch.get(buffer) or self.kernel.buffers[buffer].dtype
        if dtype is torch.bfloat16:
            read = f"from_bf16({read})"
        asked = "1" if mask is None else self.names[mask]
        return read if asked == "1" else f"{asked} ? {read} : 0"

    def _place(self, buffer: str, at: Index) -> str:
        if buffer not in self.kernel.scratch:
            return f"{buffer}[{self.index(at)}]"
        row = self.index(flatten(self.kernel.inner, self.kernel.space.inner))
        return (
            f"{buffer}[({row}) * {self.tile} + {self.columns}_t]"
            if self.columns
            else f"{buffer}[{row}]"
        )

    def _sum(self, buffer: str, place: str, name: str) -> str:
        dtype = self.kernel.buffers[buffer].dtype
        there = f"from_bf16({place})" if dtype is torch.bfloat16 else place
        return f"{there} {'|' if dtype is torch.bool else '+'} {name}"

    def _rounded(self, buffer: str, name: str) -> str:
        return f"to_bf16({name})" if self.kernel.buffers[buffer].dtype is torch.bfloat16 else name

    def _open_all(self, loops: Sequence[Turns]) -> None:
        for turn in loops:
            self._open(turn.whole(self.index))

    def _open(self, turns: str) -> None:
        self.write(f"for ({turns}) {{")
        self.depth += 1

    def _close(self, depth: int) -> None:
        while self.depth > depth:
            self.depth -= 1
            self.write("}")
