"""A kernel as C with OpenMP: the text that a C compiler turns into a shared library.

No header is included: the lines of `prelude.py` stand before the kernels. A value is a constant of
the name `t<n>`; loops that touch memory in steps of one are marked for SIMD, the outermost for
threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Body, Value
from dynamo_lab.compiler.layout import flatten
from dynamo_lab.compiler.operators import FLOATS, HALVES, OPERATORS
from dynamo_lab.compiler.printers.c_text import CLAUSE, FIRST, JOIN, MEMORY, REGISTER, constant
from dynamo_lab.compiler.printers.walks import (
    columns_of,
    loops_of,
    unmoved_by,
    values_in,
    walked_across,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.index import Atom, Index, Size
    from dynamo_lab.compiler.kernel import Kernel, Section

WORTH_THREADS = 1 << 14
"""Turns of the innermost code from which a second thread is woken."""
TILE = 64
"""Columns that are reduced side by side, where neighbours in memory are neighbouring columns."""
BLOCK = 32
"""Rows and columns of a block, where one tensor is walked across its memory."""


class CPrinter:
    """Prints one kernel. A reader who wants other C overrides a method."""

    tile, block = TILE, BLOCK

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.lines: list[str] = []
        self.names: dict[Value, str] = {}
        self.origins: dict[int, str] = {}
        """The node of the graph that a line of the text computes for."""
        self.depth = 1
        self.columns = ""
        """The loop whose turns are reduced side by side, if that is how this kernel runs."""
        self.shares_inner = False
        """Do the threads share the inner loop, because there is no outer one?"""

    def text(self) -> str:
        """The whole function."""
        self._loops()
        head = f"void {self.kernel.name}({', '.join(self.parameters())})"
        return "\n".join([f"{head} {{", *self.lines, "}", ""])

    def parameters(self) -> list[str]:
        """Its parameters: memory, sizes, numbers, the flag of a bad index, how many threads."""
        kernel = self.kernel
        return [
            *(f"const {self._memory(name)}* restrict {name}" for name in kernel.ins),
            *(f"{self._memory(name)}* restrict {name}" for name in kernel.outs),
            *(f"long {name}" for name in kernel.sizes),
            *(f"{REGISTER[dtype]} {name}" for name, dtype in kernel.scalars.items()),
            *(["int* out_of_range"] if kernel.checks else []),
            "int threads",
        ]

    # ---- loops

    def _loops(self) -> None:
        kernel = self.kernel
        outer = loops_of(kernel.outer, kernel.space.outer)
        threads = "#pragma omp parallel for num_threads(threads)"
        parallel = threads if kernel.work >= WORTH_THREADS else ""
        self.shares_inner = kernel.reduces and not outer
        self.columns = columns_of(kernel)
        if self.columns:
            self._loops_of_columns(outer, parallel)
        elif across := walked_across(kernel):
            self._loops_of_blocks(outer, across, parallel)
        elif outer:
            self._plain_loops(outer, parallel)
        for name, dtype in kernel.scratch.items():
            row = ix.text(ix.product(kernel.space.inner), self._atom)
            each = f"({row}) * {self.tile}" if self.columns else row
            self.write(f"{MEMORY[dtype]} {name}[{each}];")
        for section in kernel.sections:
            self._section(section, parallel)
        self._close(1)

    def _plain_loops(self, outer: Sequence[tuple[str, str]], parallel: str) -> None:
        kernel = self.kernel
        reduces = bool(kernel.inner)
        outside = outer if reduces else outer[:-1]
        if outside and parallel:
            self.write(parallel + (f" collapse({len(outside)})" if len(outside) > 1 else ""))
        for name, size in outside:
            self._open(name, size)
        if reduces:
            return
        self._before(kernel.sections[0].body, [outer[-1][0]])
        alone = f"{parallel.replace('parallel for', 'parallel for simd')}" if not outside else ""
        self.write(alone or "#pragma omp simd")
        self._open(*outer[-1])

    def _loops_of_columns(self, outer: Sequence[tuple[str, str]], parallel: str) -> None:
        *outside, (name, size) = outer
        if parallel:
            self.write(parallel + (f" collapse({len(outer)})" if outside else ""))
        for other in outside:
            self._open(*other)
        self._open(f"{name}_0", size, self.tile)
        rest = f"{size} - {name}_0"
        self.write(f"const long {name}_n = {rest} < {self.tile} ? {rest} : {self.tile};")

    def _loops_of_blocks(
        self, outer: Sequence[tuple[str, str]], across: str, parallel: str
    ) -> None:
        """Blocks of both loops, so that what one walks across is still in the cache."""
        last, sizes = outer[-1][0], dict(outer)
        if parallel:
            self.write(f"{parallel} collapse({len(outer)})")
        for name, size in outer:
            if name not in (across, last):
                self._open(name, size)
        for name in (across, last):
            self._open(f"{name}_0", sizes[name], self.block)
        for name in (across, last):
            if name == last:
                self.write("#pragma omp simd")
            end = f"{name}_0 + {self.block}"
            size = sizes[name]
            last_turn = f"({end} < {size} ? {end} : {size})"
            self.write(f"for (long {name} = {name}_0; {name} < {last_turn}; {name}++) {{")
            self.depth += 1

    # ---- sections

    def _section(self, section: Section, parallel: str) -> None:
        if section.level == "inner":
            self._inner(section, parallel)
        elif self.columns:
            self._outer_of_columns(section)
        else:
            self._body(section.body)

    def _inner(self, section: Section, parallel: str) -> None:
        reductions = section.reductions
        for value in reductions:
            self._accumulator(value)
        joins = "".join(
            f" reduction({CLAUSE[v.args[0]]}:{self.names[v]})"
            for v in reductions
            if not self.columns
        )
        depth = self.depth
        loops = loops_of(self.kernel.inner, self.kernel.space.inner)
        if not self.columns:
            self._before(section.body, [name for name, _ in loops])
        for at, (name, size) in enumerate(loops):
            if at == len(loops) - 1 and not self.columns:
                shared = parallel if self.shares_inner and len(loops) == 1 else ""
                simd = shared.replace("parallel for", "parallel for simd") or "#pragma omp simd"
                self.write(simd + joins)
            self._open(name, size)
        if self.columns:
            self._open_column()
        self._body(section.body)
        self._close(depth)
        for value in reductions:
            if value.args[2] in self.kernel.live:
                self._store_result(value)

    def _accumulator(self, value: Value) -> None:
        kind, name = REGISTER[value.dtype], f"acc{len(self.names)}"
        first = FIRST[value.args[0]].format(t=kind.replace(" ", "_"))
        if self.columns:
            self.write(f"{kind} {name}[{self.tile}];")
            self.write(f"for (int q = 0; q < {self.tile}; q++) {name}[q] = {first};")
            self.names[value] = f"{name}[{self.columns}_t]"
        else:
            self.write(f"{kind} {name} = {first};")
            self.names[value] = name

    def _store_result(self, value: Value) -> None:
        depth = self.depth
        if self.columns:
            self._open_column()
        _, _, buffer, at = value.args
        self.write(f"{buffer}[{self._index(at)}] = {self._rounded(buffer, self.names[value])};")
        self._close(depth)

    def _outer_of_columns(self, section: Section) -> None:
        """Values of each column that a later section needs live in small arrays."""
        others = [s.body for s in self.kernel.sections if s is not section]
        needed = {
            part
            for body in others
            for value in body.values
            for part in values_in(value)
            if part.body is section.body and part.op not in ("const", "reduce")
        }
        arrays: dict[Value, str] = {}
        for value in sorted(needed, key=lambda v: v.id):
            name = f"column{len(self.names)}"
            self.write(f"{REGISTER[value.dtype]} {name}[{self.tile}];")
            self.names[value] = arrays[value] = f"{name}[{self.columns}_t]"
        depth = self.depth
        self._open_column()
        self._body(section.body, arrays)
        self._close(depth)

    def _open_column(self) -> None:
        name = self.columns
        self.write("#pragma omp simd")
        self._open(f"{name}_t", f"{name}_n")
        self.write(f"const long {name} = {name}_0 + {name}_t;")

    # ---- values

    def _body(self, body: Body, arrays: dict[Value, str] | None = None) -> None:
        """All values, then the stores: what is stored may be read by a value before."""
        arrays = arrays or {}
        stores: list[tuple[str, str]] = []
        for value in body.values:
            if value.op == "store":
                buffer, at, what = value.args
                if what.op == "cast" and what.dtype in HALVES:
                    what = what.args[0]  # storing rounds
                name = self._rounded(buffer, self.names[what])
                stores.append((f"{self._place(buffer, at)} = {name};", value.origin))
            elif value.op == "reduce":
                how, what = value.args[:2]
                kind = "F" if value.dtype in FLOATS else "I"
                joined = JOIN[how].format(a=self.names[value], x=self.names[what], kind=kind)
                self.write(joined, value.origin)
            elif value in arrays:
                self.write(f"{arrays[value]} = {self.value(value)};", value.origin)
            elif value not in self.names:
                self._name(value)
        for line, origin in stores:
            self.write(line, origin)

    def _before(self, body: Body, loops: Sequence[str]) -> None:
        """The values that stay the same while these loops turn."""
        for value in body.values:
            if value.op == "const":
                self._name(value)
        for value in unmoved_by(body, loops):
            self._name(value)

    def _name(self, value: Value) -> None:
        if value.op == "const":
            self.names[value] = constant(value)
            return
        name, kind = f"t{len(self.names)}", REGISTER[value.dtype]
        self.write(f"const {kind} {name} = {self.value(value)};", value.origin)
        self.names[value] = name

    def value(self, value: Value) -> str:
        """The expression of a value, its operands named already."""
        args = [self.names[arg] if isinstance(arg, Value) else arg for arg in value.args]
        match value.op:
            case "load":
                return self._load(value)
            case "index":
                return self._index(value.args[0])
            case "checked":
                at = f"checked({args[0]}, {self._index(value.args[1])}, out_of_range)"
                return at if value.args[2] is None else f"{self.names[value.args[2]]} ? {at} : 0"
            case "scalar":
                return str(args[0])
            case "cast":
                kind = REGISTER[value.dtype]
                if value.dtype is torch.bool:
                    return f"{args[0]} != 0"
                rounds = {torch.bfloat16: "from_bf16(to_bf16({0}))", torch.float16: "(_Float16){0}"}
                return rounds.get(value.dtype, f"({kind}){{0}}").format(args[0])
            case "where":
                return f"{args[0]} ? {args[1]} : {args[2]}"
            case op:
                dtype = value.args[0].dtype
                spelling = OPERATORS[op].c.of(is_float=dtype in FLOATS)
                suffix = "" if dtype is torch.float64 else "f"
                return spelling.format(*args, f=suffix, t=REGISTER[value.dtype])

    def _load(self, value: Value) -> str:
        buffer, at, mask = value.args
        read = self._place(buffer, at)
        dtype = self.kernel.scratch.get(buffer) or self.kernel.buffer(buffer).dtype
        if dtype is torch.bfloat16:
            read = f"from_bf16({read})"
        return read if mask is None else f"{self.names[mask]} ? {read} : 0"

    def _place(self, buffer: str, at: Index) -> str:
        if buffer not in self.kernel.scratch:
            return f"{buffer}[{self._index(at)}]"
        row = self._index(flatten(self.kernel.inner, self.kernel.space.inner))
        return (
            f"{buffer}[({row}) * {self.tile} + {self.columns}_t]"
            if self.columns
            else f"{buffer}[{row}]"
        )

    def _rounded(self, buffer: str, name: str) -> str:
        return f"to_bf16({name})" if self.kernel.buffer(buffer).dtype is torch.bfloat16 else name

    def _memory(self, buffer: str) -> str:
        return MEMORY[self.kernel.buffer(buffer).dtype]

    def _index(self, e: Size) -> str:
        return ix.text(e, self._atom)

    def _atom(self, atom: Atom) -> str:
        match atom.kind:
            case "div":
                return f"(({self._index(atom.args[0])})/({self._index(atom.args[1])}))"
            case "mod":
                return f"(({self._index(atom.args[0])})%({self._index(atom.args[1])}))"
            case "value":
                return self.names[atom.args[0]]
            case _:
                return atom.name

    # ---- text

    def write(self, line: str, origin: str = "") -> None:
        """Add a line at the depth of the loops that are open, and the node that it computes for."""
        self.lines.append("  " * self.depth + line)
        if origin:
            self.origins[len(self.lines) + 1] = origin  # the head is line 1

    def _open(self, name: str, size: str, step: int = 1) -> None:
        ahead = f"{name}++" if step == 1 else f"{name} += {step}"
        self.write(f"for (long {name} = 0; {name} < {size}; {ahead}) {{")
        self.depth += 1

    def _close(self, depth: int) -> None:
        while self.depth > depth:
            self.depth -= 1
            self.write("}")
