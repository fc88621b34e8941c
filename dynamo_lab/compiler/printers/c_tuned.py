"""C whose loops are ordered, tiled and unrolled as the reader says.

In comes a kernel with a `tuning`; out comes its text. What the printer chooses by itself (columns
side by side, blocks) is left out: the loops are those that were asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.compiler.printers.c import SIMD, CPrinter
from dynamo_lab.compiler.printers.walks import Turns, keeps_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.body import Body
    from dynamo_lab.compiler.kernel import Kernel
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
        self.columns = ""

    def _loops(self) -> None:
        self._nest(self.outer, self.parallel, "" if self.kernel.reduces else SIMD)
        self._sections()
        self._close(1)

    def _row(self, body: Body, loops: Sequence[Turns], joins: str) -> None:
        shared = self.parallel + joins if self.parallel and not self.outer else ""
        self._nest(loops, shared, SIMD + joins)
        self._body(body)

    def _nest(self, loops: Sequence[Turns], parallel: str, simd: str) -> None:
        """Open the loops: first those over tiles, then those within.

        The outermost is for threads, the innermost for SIMD, unless turns of it may write one
        element; one that is unrolled is for neither, as C takes one direction for a loop.
        """
        turns = {turn.name: turn for turn in loops}
        tile, unroll = self.tuning.tile, self.tuning.unroll
        order = [name for name in self.tuning.order if name in turns] or list(turns)
        tiled = [name for name in order if name in tile]
        first = parallel
        if order and not self._keeps_apart(turns[(tiled or order)[0]]):
            first = ""
        if order and not self._keeps_apart(turns[order[-1]]):
            simd = ""
        for name in tiled:
            if first:
                self.write(first)
                first = ""
            self._open_all([Turns(f"{name}_0", turns[name].size, tile[name])])
        for name in order:
            last = name == order[-1]
            if name in unroll:
                self.write(f"UNROLL({unroll[name]})")
            elif first and last and simd:
                self.write(first.replace("parallel for", "parallel for simd"))
            elif first or (last and simd):
                self.write(first or simd)
            first = ""
            if name in tile:
                self._open(turns[name].within(self.index, tile[name]))
            else:
                self._open_all([turns[name]])

    def _keeps_apart(self, turn: Turns) -> bool:
        """May turns of this loop run at once? Of a scatter, only where no two of them meet."""
        return not self.kernel.base or keeps_apart(self.kernel.sections[0].body, turn)
