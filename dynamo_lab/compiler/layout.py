"""Positions and layouts: where an element of a tensor lies in its memory.

In come sizes, strides and positions; out come index expressions, and what is known of a layout.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dynamo_lab.compiler.index import ZERO, Index, Size, hint, is_below, loop, of, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

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


SHORT_ROW = 1024
"""Elements of a row that one program of a GPU reduces while it waits for memory anyway."""
SIDE_BY_SIDE = 32
"""Rows that a program reduces at once where neighbours in memory are neighbouring rows."""


def in_parts(size: Sequence[Size], reduced: Sequence[int], rows: int) -> tuple[int, int] | None:
    """The dimension to cut, and into how many parts, so that a reduction has `rows` rows to do.

    None where it has them, where rows are short, where a size is known at run time only, and where
    no dimension divides.
    """
    if not rows or not all(isinstance(n, int) for n in size):
        return None
    known = [hint(n) for n in size]
    inner = math.prod(known[d] for d in reduced)
    if inner <= SHORT_ROW:
        return None
    outer = math.prod(known) // inner
    across = 1 if len(size) - 1 in reduced else SIDE_BY_SIDE
    wanted = min(-(-rows * across // outer), inner // SHORT_ROW * across, inner // 2)
    found = {d: _largest_divisor(known[d], wanted) for d in reduced}
    at = max(found, key=lambda d: (found[d], -d))
    return (at, found[at]) if found[at] > 1 else None


def _largest_divisor(n: int, most: int) -> int:
    return next((d for d in range(min(most, n), 0, -1) if n % d == 0), 1)
