"""Tuning: the order, tiles and unrolling of a kernel's loops, where a reader says them.

In come kernels and what is said of them by name; each kernel then has its `tuning`, which the C
printer follows. A loop is called as the kernel prints it: `i0`, `i1`, or `r0` for one that is
reduced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynamo_lab.compiler.index import Index
    from dynamo_lab.compiler.kernel import Kernel

MOST_UNROLLED = 64
"""Turns of a loop that may be written one after the other: a compiler's time grows with them."""


@dataclass(frozen=True)
class Tuning:
    """How the loops of one kernel are written, in C.

    Attributes:
        order: its outer loops, the outermost first, and then those that it reduces over; either may
            be left out and stays as it is.
        tile: by loop, how many of its turns are run before the next turn of a loop outside of it.
        unroll: by loop, how many of its turns are written one after the other.
    """

    order: tuple[str, ...] = ()
    tile: Mapping[str, int] = field(default_factory=dict[str, int])
    unroll: Mapping[str, int] = field(default_factory=dict[str, int])


def tune(kernels: Sequence[Kernel], tunings: Mapping[str, Tuning], language: str) -> None:
    """Give each kernel the tuning that is said of it.

    Raises:
        LoweringError: there is no such kernel or loop, or the kernels are not C.
    """
    if tunings and language != "c":
        raise LoweringError(
            f"Loops are ordered, tiled and unrolled in C; in {language} a program of the GPU has "
            "no such loops. Change a method of its printer instead."
        )
    for name in tunings.keys() - {kernel.name for kernel in kernels}:
        known = ", ".join(kernel.name for kernel in kernels)
        raise LoweringError(f"There is no kernel {name}; there are: {known or 'none'}.")
    for kernel in kernels:
        if tuning := tunings.get(kernel.name):
            _refuse_wrong(kernel, tuning)
            kernel.tuning = tuning


def turning(loops: Sequence[Index]) -> list[str]:
    """The names of the loops that turn more than once."""
    return [alone.name for loop in loops if (alone := loop.alone())]


def _refuse_wrong(kernel: Kernel, tuning: Tuning) -> None:
    outer, inner = turning(kernel.outer), turning(kernel.inner)
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
