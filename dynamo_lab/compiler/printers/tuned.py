"""Kernels with the tuning that is said of them, if it makes sense for their loops.

In come kernels and tunings; each kernel then has its `tuning`, which the C printer follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.compiler.printers.walks import name_of
from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynamo_lab.compiler.kernel import Kernel
    from dynamo_lab.compiler.printers.tuning import Tuning

MOST_UNROLLED = 64
"""Turns of a loop that may be written one after the other: a compiler's time grows with them."""


def tune(
    kernels: Sequence[Kernel], tunings: Mapping[tuple[str, ...], Tuning], language: str
) -> None:
    """Give each kernel the tuning that is said of its buffers; one of no kernel waits for it.

    Raises:
        LoweringError: there is no such loop, or the kernels are not C.
    """
    if tunings and language != "c":
        raise LoweringError(
            f"Loops are ordered, tiled and unrolled in C; in {language} a program of the GPU has "
            "no such loops. Change a method of its printer instead."
        )
    for kernel in kernels:
        if tuning := tunings.get(kernel.joins):
            _refuse_wrong(kernel, tuning)
            kernel.tuning = tuning


def _refuse_wrong(kernel: Kernel, tuning: Tuning) -> None:
    outer, inner = ([*filter(None, map(name_of, loops))] for loops in (kernel.outer, kernel.inner))
    known = [*outer, *inner]
    for name in (*tuning.order, *tuning.tile, *tuning.unroll):
        if name not in known:
            raise LoweringError(
                f"{kernel.name} has no loop {name}; it has: {', '.join(known) or 'none'}."
            )
    orders = [[*outer, *inner], outer, inner]
    if tuning.order and not any(
        sorted(tuning.order) == sorted(listed) and _apart(tuning.order, inner) for listed in orders
    ):
        raise LoweringError(
            f"The order of {kernel.name}'s loops has to name each of {', '.join(outer) or 'none'} "
            f"once{', then each of ' + ', '.join(inner) if inner else ''}."
        )
    for name, count in (*tuning.tile.items(), *tuning.unroll.items()):
        if type(count) is not int or count < 1:
            raise LoweringError(f"{name} of {kernel.name}: {count!r} is no number of turns.")
    for name, count in tuning.unroll.items():
        if count > MOST_UNROLLED:
            raise LoweringError(f"{name} of {kernel.name}: unroll at most {MOST_UNROLLED} turns.")


def _apart(order: Sequence[str], inner: Sequence[str]) -> bool:
    """Do the loops that are reduced over come last?"""
    reduced = [name in inner for name in order]
    return reduced == sorted(reduced)
