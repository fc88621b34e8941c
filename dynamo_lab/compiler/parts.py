"""Parts of a reduction: how it is cut where a GPU would otherwise wait, or read a row twice.

In come sizes and how many rows keep the machine at work; out comes the dimension to cut.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dynamo_lab.compiler.index import hint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.compiler.index import Size

ONE_BLOCK = 16384
"""Elements of a row that one program of a GPU holds in registers."""
COLUMNS = 4096
"""The same of rows side by side, which are moved between threads."""
LEAST_PART = 1024
"""Elements that are worth a program, where a row is cut for want of rows."""
SIDE_BY_SIDE = 32
"""Rows that a program reduces at once where neighbours in memory are neighbouring rows."""


def in_parts(
    size: Sequence[Size], reduced: Sequence[int], rows: int, *, in_registers: bool = False
) -> tuple[int, int] | None:
    """The dimension to cut, and into how many parts, so that all of a GPU is at work.

    None where a reduction has `rows` rows, where they are short, where a size is known at run time
    only, and where no dimension divides.

    Args:
        size: of the tensor that is reduced.
        reduced: the dimensions that are.
        rows: how many rows keep the machine at work; 0 cuts nothing.
        in_registers: also cut rows that no program holds, because they are read twice.
    """
    if not rows or not all(isinstance(n, int) for n in size):
        return None
    known = [hint(n) for n in size]
    inner = math.prod(known[d] for d in reduced)
    by_column = len(size) - 1 not in reduced
    across = SIDE_BY_SIDE if by_column else 1
    programs = math.prod(known) // max(inner, 1) // across
    least = 0
    if programs < rows:
        least = min(-(-rows // max(programs, 1)), inner * across // LEAST_PART)
        least = least if by_column else max(least, -(-inner // ONE_BLOCK))
    if in_registers:
        least = max(least, -(-inner * across // (COLUMNS if by_column else ONE_BLOCK)))
    if least < 2:
        return None
    found = {d: _divisor(known[d], least) for d in reduced}
    at = max(found, key=lambda d: (found[d], -d))
    return (at, found[at]) if found[at] > 1 else None


def _divisor(n: int, least: int) -> int:
    """The least that is not below, of those up to four times; else the largest below."""
    above = (d for d in range(least, min(4 * least, n) + 1) if n % d == 0)
    return next(above, 0) or next(d for d in range(min(least, n), 0, -1) if n % d == 0)
