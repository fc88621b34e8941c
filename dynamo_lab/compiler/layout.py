"""Positions and layouts: where an element of a tensor lies in its memory.

In come sizes, strides and positions; out come index expressions, and what is known of a layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.compiler.index import ZERO, Index, Size, is_below, loop, of, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Position = tuple[Index, ...]


def loops(letter: str, sizes: Sequence[Size]) -> Position:
    """A loop variable for each size: the position of any element."""
    return tuple(loop(f"{letter}{k}", size) for k, size in enumerate(sizes))


def flatten(position: Sequence[Size], sizes: Sequence[Size]) -> Index:
    """The position in row-major order."""
    found = ZERO
    for at, size in zip(position, sizes, strict=True):
        found = found * size + at
    return found


def unflatten(at: Index, sizes: Sequence[Size]) -> tuple[Index, ...]:
    """The position of the row-major element `at`."""
    found: list[Index] = []
    for place, size in reversed(list(enumerate(sizes))):
        if size in (0, 1):
            found.append(ZERO)
            continue
        leading = all(before == 1 for before in sizes[:place])
        found.append(at if leading and is_below(at, size) else at % size)
        at = at // size
    return tuple(reversed(found))


def dot(position: Sequence[Size], strides: Sequence[Size]) -> Index:
    """The element of a buffer with these strides."""
    found = ZERO
    for at, stride in zip(position, strides, strict=True):
        found = found + of(at) * stride
    return found


def contiguous(size: Sequence[Size]) -> tuple[Size, ...]:
    """The strides of row-major memory, in elements."""
    strides: list[Size] = []
    step: Size = 1
    for n in reversed(size):
        strides.append(plain(step))
        step = step * (n if n != 0 else 1)
    return tuple(reversed(strides))


def is_dense(size: Sequence[Size], stride: Sequence[Size]) -> bool:
    """Do the strides walk through memory without gap or overlap, in whatever order?"""
    left = [(s, n) for s, n in zip(stride, size, strict=True) if n != 1]
    step: Size = 1
    while left:
        following = next((pair for pair in left if pair[0] == step), None)
        if following is None:
            return False
        left.remove(following)
        step = plain(step * following[1])
    return True


def spread(dims: Sequence[int], rank: int) -> Callable[[Position], Position]:
    """From a position in loops over these dimensions to one in all `rank`: 0 along the others."""

    def position(at: Position) -> Position:
        found = [ZERO] * rank
        for d, place in zip(dims, at, strict=True):
            found[d] = place
        return tuple(found)

    return position


def same_strides(size: Sequence[Size], a: Sequence[Size], b: Sequence[Size] | None) -> bool:
    """Do both place each element alike? Any are right where `b` is None."""
    return b is None or all(x == y or n == 1 for x, y, n in zip(a, b, size, strict=True))
