"""C whose loops are ordered, tiled and unrolled as the reader says.

In comes a kernel with a `tuning`; out comes its text. What the printer chooses by itself (columns
side by side, blocks) is left out: the loops are those that were asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.printers.c import WORTH_THREADS, CPrinter
from dynamo_lab.compiler.printers.c_text import CLAUSE, MEMORY
from dynamo_lab.compiler.printers.walks import loops_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.kernel import Kernel, Section
    from dynamo_lab.compiler.printers.tuning import Tuning


def c_printer(kernel: Kernel, printer: type[CPrinter]) -> CPrinter:
    """The printer of a kernel: this one, with the given one's other methods, if it is tuned."""
    if kernel.tuning is None:
        return printer(kernel)
    tuned = type(f"Tuned{printer.__name__}", (TunedCPrinter, printer), {})
    return tuned(kernel, kernel.tuning)


class TunedCPrinter(CPrinter):
    """Prints the loops of a kernel in the order, the tiles and the unrolling of its tuning."""

    def __init__(self, kernel: Kernel, tuning: Tuning) -> None:
        super().__init__(kernel)
        self.tuning = tuning

    def _loops(self) -> None:
        kernel = self.kernel
        outer = loops_of(kernel.outer, kernel.space.outer)
        threads = "#pragma omp parallel for num_threads(threads)"
        parallel = threads if kernel.work >= WORTH_THREADS else ""
        self.shares_inner = kernel.reduces and not outer
        self._nest(outer, parallel, "" if kernel.reduces else "#pragma omp simd")
        for name, dtype in kernel.scratch.items():
            row = ix.text(ix.product(kernel.space.inner), self._atom)
            self.write(f"{MEMORY[dtype]} {name}[{row}];")
        for section in kernel.sections:
            self._section(section, parallel)
        self._close(1)

    def _inner(self, section: Section, parallel: str) -> None:
        for value in section.reductions:
            self._accumulator(value)
        joins = "".join(
            f" reduction({CLAUSE[v.args[0]]}:{self.names[v]})" for v in section.reductions
        )
        depth = self.depth
        loops = loops_of(self.kernel.inner, self.kernel.space.inner)
        shared = parallel + joins if parallel and self.shares_inner else ""
        self._nest(loops, shared, f"#pragma omp simd{joins}")
        self._body(section.body)
        self._close(depth)
        for value in section.reductions:
            if value.args[2] in self.kernel.live:
                self._store_result(value)

    def _nest(self, loops: Sequence[tuple[str, str]], parallel: str, simd: str) -> None:
        """Open the loops: first those over tiles, then those within.

        The outermost is for threads, the innermost for SIMD; one that is unrolled is for neither,
        as C takes one direction for a loop.
        """
        sizes, tile, unroll = dict(loops), self.tuning.tile, self.tuning.unroll
        order = [name for name in self.tuning.order if name in sizes] or list(sizes)
        tiled = [name for name in order if name in tile]
        first = parallel
        for name in tiled:
            if first:
                self.write(first)
                first = ""
            self._open(f"{name}_0", sizes[name], tile[name])
        for name in order:
            last = name == order[-1]
            if name in unroll:
                self.write(f"UNROLL({unroll[name]})")
            elif first and last and simd:
                self.write(first.replace("parallel for", "parallel for simd"))
            elif first or (last and simd):
                self.write(first or simd)
            first = ""
            self._open_within(name, sizes[name])

    def _open_within(self, name: str, size: str) -> None:
        """A loop, or of one that is tiled the turns of one tile."""
        if name not in self.tuning.tile:
            self._open(name, size)
            return
        end = f"{name}_0 + {self.tuning.tile[name]}"
        turns = f"{name} < ({end} < {size} ? {end} : {size})"
        self.write(f"for (long {name} = {name}_0; {turns}; {name}++) {{")
        self.depth += 1
