"""A kernel as C with OpenMP: the text that a C compiler turns into a shared library.

No header is included: the lines of `prelude.py` stand before the kernels. A value is a constant of
the name `t<n>`; loops that touch memory in steps of one are marked for SIMD, the outermost for
threads. How loops are cut (columns, blocks, chunks, borders) is in `walks.py` and `borders.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import WRITES, Body, Value
from dynamo_lab.compiler.layout import flatten
from dynamo_lab.compiler.operators import FLOATS, HALVES
from dynamo_lab.compiler.printers.borders import ALL, Within, parts
from dynamo_lab.compiler.printers.c_text import CLAUSE, FIRST, JOIN, MEMORY, REGISTER, constant
from dynamo_lab.compiler.printers.printer import Printer
from dynamo_lab.compiler.printers.walks import (
    Turns,
    columns_of,
    keeps_apart,
    loops_of,
    read_across,
    unmoved_by,
    values_in,
    walked_across,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.index import Index
    from dynamo_lab.compiler.kernel import Kernel, Section

WORTH_THREADS = 1 << 14
"""Turns of the innermost code from which a second thread is woken."""
ENOUGH_TURNS = 64
"""Turns of an outer loop that keep the threads of any usual machine at work."""
TILE, LEAST_TILE = 64, 16
"""Columns that are reduced side by side, where neighbours in memory are neighbouring columns."""
BLOCK = 32
"""Rows and columns of a block, where one tensor is walked across its memory."""
CHUNK = 4096
"""Elements of a long last loop that a thread takes at once, where the outer loops are few."""

ROW = 256
"""Elements of a row that a thread adds at once, where rows are added where an index says."""

PARALLEL = "#pragma omp parallel for num_threads(threads)"
SIMD = "#pragma omp simd"


class CPrinter(Printer):
    """Prints one kernel. A reader who wants other C overrides a method."""

    target: ClassVar[Literal["c"]] = "c"
    divides = "/"
    indent = "  "
    most_columns, block = TILE, BLOCK

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self.columns = columns_of(kernel)
        """The loop whose turns are reduced side by side, if that is how this kernel runs."""
        self.tile = self._columns_at_once()
        self.outer = loops_of(kernel.outer, kernel.space.outer)
        self.parallel = PARALLEL if kernel.work >= WORTH_THREADS else ""
        self.few = self._few_rows()
        """How many rows, if there may be more threads than rows: then they share the columns."""
        self.tiles: dict[Value, str] = {}
        """Loads across memory, whose blocks were turned round before."""

    def text(self) -> str:
        """The whole function."""
        self._loops()
        return self.whole([f"void {self.kernel.name}({', '.join(self.parameters())}) {{"], "}")

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

    # ---- outer loops

    def _columns_at_once(self) -> int:
        count = self.kernel.space.outer[-1] if self.columns else 0
        if not isinstance(count, int):
            return self.most_columns
        return min(self.most_columns, max(count // LEAST_TILE, LEAST_TILE), count)

    def _few_rows(self) -> int:
        space = self.kernel.space
        rows, row = space.outer_size, ix.hint(space.inner_size)
        is_few = isinstance(rows, int) and rows < ENOUGH_TURNS and row >= WORTH_THREADS
        return rows if is_few and isinstance(rows, int) and not self.columns else 0

    def _loops(self) -> None:
        kernel = self.kernel
        if self.columns:
            self._open_columns()
        elif kernel.reduces:
            self._share(self.outer, f" if(parallel: threads <= {self.few})" if self.few else "")
            self._open_all(self.outer)
        elif kernel.base:
            self._scatter()
            return
        elif across := walked_across(kernel):
            self._blocks(across)
            return
        elif self.outer:
            self._pointwise()
            return
        for name, dtype in kernel.scratch.items():
            row = self.index(ix.product(kernel.space.inner))
            each = f"({row}) * {self.tile}" if self.columns else row
            self.write(f"{MEMORY[dtype]} {name}[{each}];")
        for section in kernel.sections:
            self._section(section)
        self._close(1)

    def _share(self, loops: Sequence[Turns], condition: str = "") -> None:
        """The threads share the turns of these loops, which are opened next."""
        if loops and self.parallel:
            collapse = f" collapse({len(loops)})" if len(loops) > 1 else ""
            self.write(self.parallel + collapse + condition)

    def _pointwise(self) -> None:
        """The last loop by SIMD, the others by threads; with few others, in chunks of the last."""
        body, (*outside, last) = self.kernel.sections[0].body, self.outer
        turns = ix.product(turn.size for turn in outside)
        if not outside:
            self._before(body, [last.name])
            self._run(body, last, self.parallel.replace("for", "for simd") or SIMD)
        elif isinstance(turns, int) and turns < ENOUGH_TURNS and ix.hint(last.size) > 2 * CHUNK:
            chunk = Turns(f"{last.name}_0", last.size, CHUNK)
            self._share([*outside, chunk])
            self._open_all([*outside, chunk])
            self._before(body, [last.name])
            self.write(SIMD)
            self._open(last.within(self.index, CHUNK))
            self._body(body)
        else:
            self._share(outside)
            self._open_all(outside)
            self._before(body, [last.name])
            self._run(body, last, SIMD)
        self._close(1)

    def _open_columns(self) -> None:
        *outside, last = self.outer
        loops = [*outside, Turns(f"{last.name}_0", last.size, self.tile)]
        self._share(loops)
        self._open_all(loops)
        size = last.text(self.index)
        whole = isinstance(last.size, int) and last.size % self.tile == 0
        rest = f"{size} - {last.name}_0"
        end = str(self.tile) if whole else f"{rest} < {self.tile} ? {rest} : {self.tile}"
        self.write(f"const long {last.name}_n = {end};")

    def _blocks(self, across: str) -> None:
        """Blocks of both loops; what one walks across is turned round in the cache before."""
        last, body = self.outer[-1], self.kernel.sections[0].body
        pair = [turn for turn in self.outer if turn.name in (across, last.name)]
        loops = [turn for turn in self.outer if turn not in pair]
        loops += [Turns(f"{turn.name}_0", turn.size, self.block) for turn in pair]
        self._share(loops)
        self._open_all(loops)
        for value, rest, step in read_across(self.kernel, across):
            buffer, block = value.args[0], self.block
            tile, kind = self.new_name("tile"), self._memory(buffer)
            count = [
                f"{size} - {name}_0 < {block} ? {size} - {name}_0 : {block}"
                for name, size in ((turn.name, turn.text(self.index)) for turn in pair)
            ]
            jump = self.index(step)
            start = f"{buffer} + ({self.index(rest)}) + {across}_0 + ({jump}) * {last.name}_0"
            self.write(f"{kind} {tile}[{block * block}];")
            size = self.kernel.buffer(buffer).dtype.itemsize
            given = f"{start}, {jump}, {tile}, {block}, {', '.join(count)}"
            self.write(f"turned_{size}({given});", value.origin)
            at = f"({across} - {across}_0) * {block} + {last.name} - {last.name}_0"
            self.tiles[value] = f"{tile}[{at}]"
        for turn in pair:
            if turn is last:
                self.write(SIMD)
            self._open(turn.within(self.index, self.block))
        self._body(body)
        self._close(1)

    def _scatter(self) -> None:
        """Threads share the loops along which no two turns meet; the others run in order."""
        body = self.kernel.sections[0].body
        alone = [turn for turn in self.outer if keeps_apart(body, turn)]
        *_, last = self.outer or [None]
        shared = [turn for turn in alone if turn is not last]
        in_order = [turn for turn in self.outer if turn not in alone]
        if last in alone and not shared and last.size != 0:
            shared = [Turns(f"{last.name}_0", last.size, ROW)]
        self._share(shared)
        self._open_all([*shared, *in_order])
        if last in alone:
            self._before(body, [last.name])
            self.write(SIMD)
            is_cut = any(turn.step > 1 for turn in shared)
            self._open(last.within(self.index, ROW) if is_cut else last.whole(self.index))
        self._body(body)
        self._close(1)

    # ---- sections

    def _section(self, section: Section) -> None:
        if section.level == "inner":
            self._inner(section)
        elif self.columns:
            self._outer_of_columns(section)
        else:
            self._body(section.body)

    def _inner(self, section: Section) -> None:
        loops = loops_of(self.kernel.inner, self.kernel.space.inner)
        for value in section.reductions:
            self._accumulator(value)
        depth = self.depth
        if self.columns:
            self._open_all(loops)
            self._open_column()
            self._body(section.body)
        else:
            self._before(section.body, [turn.name for turn in loops])
            self._row(section, loops)
        self._close(depth)
        for value in section.reductions:
            if value.args[2] in self.kernel.live:
                self._store_result(value)

    def _row(self, section: Section, loops: Sequence[Turns]) -> None:
        """A row, by SIMD; where there are no other rows for them, by all threads too."""
        joins = "".join(
            f" reduction({CLAUSE[v.args[0]]}:{self.names[v]})" for v in section.reductions
        )
        shared = self.parallel if self.few or not self.outer else ""
        condition = f" if(parallel: threads > {self.few})" if self.few > 1 else ""
        if not loops:
            self._body(section.body)
            return
        *outside, last = loops
        if outside and shared:
            self.write(shared + condition + joins)
        self._open_all(outside)
        simd = shared.replace("for", "for simd") + condition if shared and not outside else SIMD
        self._run(section.body, last, simd + joins)

    def _accumulator(self, value: Value) -> None:
        kind, name = REGISTER[value.dtype], self.new_name("acc")
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
        self.write(f"{buffer}[{self.index(at)}] = {self._rounded(buffer, self.names[value])};")
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
            name = self.new_name("column")
            self.write(f"{REGISTER[value.dtype]} {name}[{self.tile}];")
            self.names[value] = arrays[value] = f"{name}[{self.columns}_t]"
        depth = self.depth
        self._open_column()
        self._body(section.body, arrays=arrays)
        self._close(depth)

    def _open_column(self) -> None:
        name = self.columns
        self.write(SIMD)
        self._open(f"long {name}_t = 0; {name}_t < {name}_n; {name}_t++")
        self.write(f"const long {name} = {name}_0 + {name}_t;")

    # ---- values

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
        name, kind = self.new_name("t"), REGISTER[value.dtype]
        self.write(f"const {kind} {name} = {self.value(value)};", value.origin)
        self.names[value] = name

    def value(self, value: Value) -> str:
        """The expression of a value, its operands named already."""
        args = [self.names[arg] if isinstance(arg, Value) else arg for arg in value.args]
        match value.op:
            case "load":
                return self._load(value)
            case "index":
                return self.index(value.args[0])
            case "checked":
                at = f"checked({args[0]}, {self.index(value.args[1])}, out_of_range)"
                return at if args[2] in (None, "1") else f"{args[2]} ? {at} : 0"
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
            case _:
                return self.operator(value, REGISTER)

    def _load(self, value: Value) -> str:
        buffer, at, mask = value.args
        read = self.tiles.get(value) or self._place(buffer, at)
        dtype = self.kernel.scratch.get(buffer) or self.kernel.buffer(buffer).dtype
        if dtype is torch.bfloat16:
            read = f"from_bf16({read})"
        return (
            read if mask is None or self.names[mask] == "1" else f"{self.names[mask]} ? {read} : 0"
        )

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
        dtype = self.kernel.buffer(buffer).dtype
        there = f"from_bf16({place})" if dtype is torch.bfloat16 else place
        return f"{there} {'|' if dtype is torch.bool else '+'} {name}"

    def _rounded(self, buffer: str, name: str) -> str:
        return f"to_bf16({name})" if self.kernel.buffer(buffer).dtype is torch.bfloat16 else name

    def _memory(self, buffer: str) -> str:
        return MEMORY[self.kernel.buffer(buffer).dtype]

    # ---- text

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
