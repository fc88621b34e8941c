"""Tuning: the order, tiles and unrolling of a kernel's loops, where a reader says them.

A loop is called as the kernel prints it: `i0`, `i1`, or `r0` for one that is reduced.
"""

from __future__ import annotations

from dataclasses import dataclass, field


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
    tile: dict[str, int] = field(default_factory=dict[str, int])
    unroll: dict[str, int] = field(default_factory=dict[str, int])
