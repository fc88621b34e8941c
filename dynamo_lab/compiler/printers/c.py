"""A kernel as C with OpenMP: the text that a C compiler turns into a shared library.

In comes a kernel; out comes one function. No header is included: the lines of `prelude.py` stand
before the kernels. Loops that touch memory in steps of one are marked for SIMD, the outermost for
threads. What is within the loops is written by `c_statements.py`; how loops are cut (columns,
blocks, chunks, borders) is in `walks.py` and `borders.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.printers.c_statements import CStatements
from dynamo_lab.compiler.printers.c_text import CLAUSE, MEMORY, REGISTER, constant
from dynamo_lab.compiler.printers.printer import first
from dynamo_lab.compiler.printers.walks import (
    Turns,
    columns_of,
    keeps_apart,
    loops_of,
    read_across,
    values_in,
    walked_across,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.body import Body, Value
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


class CPrinter(CStatements):
    """Prints one kernel. A reader who wants other C overrides a method."""

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
        self.shares_rows = self.few == 0
        """Do the threads share the rows? If not, all of them work at one row after the other."""

    def text(self) -> str:
        """The whole function."""
        self._loops()
        return self.whole([f"void {self.kernel.name}({', '.join(self.parameters())}) {{"], "}")

    def parameters(self) -> list[str]:
        """Its parameters: memory, sizes, numbers, the flag of a bad index, how many threads."""
        kernel = self.kernel
        return [
            *(f"const {self.memory_of(name)}* restrict {name}" for name in kernel.ins),
            *(f"{self.memory_of(name)}* restrict {name}" for name in kernel.outs),
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
        elif self.few > 1:
            self._rows_or_columns()
            return
        elif kernel.reduces:
            self._open_rows()
        elif kernel.base:
            self._scatter()
            return
        elif across := walked_across(kernel):
            self._blocks(across)
            return
        elif self.outer:
            self._pointwise()
            return
        self._sections()
        self._close(1)

    def _rows_or_columns(self) -> None:
        """The rows by threads where there are as many rows, else the columns of each row.

        Written twice, and not with an `if` clause at each loop: a region in a region, be the outer
        one serial, is nested, and for a nested one GCC's libgomp starts new threads every time.
        """
        for condition, shares_rows in ((f"if (threads <= {self.few})", True), ("else", False)):
            self.shares_rows = shares_rows
            self.write(condition + " {")
            self.depth += 1
            self._open_rows()
            self._sections()
            self._close(1)

    def _open_rows(self) -> None:
        if self.shares_rows:
            self._share(self.outer)
        self._open_all(self.outer)

    def _sections(self) -> None:
        for name, dtype in self.kernel.scratch.items():
            row = self.index(ix.product(self.kernel.space.inner))
            each = f"({row}) * {self.tile}" if self.columns else row
            self.write(f"{MEMORY[dtype]} {name}[{each}];")
        for section in self.kernel.sections:
            self._section(section)

    def _share(self, loops: Sequence[Turns]) -> None:
        """The threads share the turns of these loops, which are opened next."""
        if loops and self.parallel:
            collapse = f" collapse({len(loops)})" if len(loops) > 1 else ""
            self.write(self.parallel + collapse)

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
            tile, kind = self.new_name("tile"), self.memory_of(buffer)
            count = [
                f"{size} - {name}_0 < {block} ? {size} - {name}_0 : {block}"
                for name, size in ((turn.name, turn.text(self.index)) for turn in pair)
            ]
            jump = self.index(step)
            start = f"{buffer} + ({self.index(rest)}) + {across}_0 + ({jump}) * {last.name}_0"
            self.write(f"{kind} {tile}[{block * block}];")
            size = self.kernel.buffers[buffer].dtype.itemsize
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
        self._accumulators(section.reductions)
        depth = self.depth
        if self.columns:
            self._open_all(loops)
            self._open_column()
            self._body(section.body)
        elif loops:
            self._before(section.body, [turn.name for turn in loops])
            joins = "".join(
                f" reduction({CLAUSE[v.args[0]]}:{self.names[v]})" for v in section.reductions
            )
            self._row(section.body, loops, joins)
        else:
            self._body(section.body)
        self._close(depth)
        self._store_results([v for v in section.reductions if v.args[2] in self.kernel.live])
        self._close(depth)

    def _row(self, body: Body, loops: Sequence[Turns], joins: str) -> None:
        """A row, by SIMD; where there are no other rows for them, by all threads too."""
        shared = self.parallel if not self.shares_rows or not self.outer else ""
        *outside, last = loops
        if outside and shared:
            self.write(shared + joins)
        self._open_all(outside)
        simd = shared.replace("for", "for simd") if shared and not outside else SIMD
        self._run(body, last, simd + joins)

    def _accumulators(self, reductions: Sequence[Value]) -> None:
        begun: list[str] = []
        for value in reductions:
            kind, name = REGISTER[value.dtype], self.new_name("acc")
            how, dtype = value.args[0], value.dtype
            start = {"sum": "0", "prod": "1"}.get(how) or constant(first(how, dtype), dtype)
            if self.columns:
                self.write(f"{kind} {name}[{self.tile}];")
                begun.append(f"{name}[q] = {start}")
                self.names[value] = f"{name}[{self.columns}_t]"
            else:
                self.write(f"{kind} {name} = {start};")
                self.names[value] = name
        if begun:
            self.write(f"for (int q = 0; q < {self.tile}; q++) {', '.join(begun)};")

    def _store_results(self, reductions: Sequence[Value]) -> None:
        if self.columns and reductions:
            self._open_column()
        for value in reductions:
            _, _, buffer, at = value.args
            self.write(f"{buffer}[{self.index(at)}] = {self._rounded(buffer, self.names[value])};")

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
