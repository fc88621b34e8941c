"""What a library's call touches of its first argument, where it need not touch all of it.

Rows that are looked up, or places that are written to, count as often as they are asked for: that
some are the same nobody knows before it runs.
"""

import re
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

_LOOKUP = re.compile(r"aten\.(?:embedding|index_select|gather|take|take_along_dim|index)\.")
_BAG = re.compile(r"aten\._?embedding_bag(?:_forward_only)?\.")
_IN_PLACE = re.compile(
    r"aten\.(?:(scatter_add|scatter_reduce|index_add)|scatter|index_put|_index_put_impl|index_copy)_\."
)
"""In the name of a kernel: the operator in the graph is the one that writes to a copy.

Those of the group read what is there; of the others some calls do.
"""
_OVERWRITTEN = re.compile(r"aten\.bernoulli_\.")
"""In the name of a kernel that writes to all of it, and reads nothing of it."""

Shape = tuple[int, ...]


class Touched(NamedTuple):
    """The elements of the first argument that a call reads and writes, None for all."""

    read: int | None = None
    written: int | None = None


def touched(
    operator: str, kernel: str, arguments: Sequence[Shape], results: Sequence[Shape]
) -> Touched:
    """Of an operator with these tensors, by the shapes of its arguments and results in order."""
    if not arguments:
        return Touched()
    others = [prod(shape) for shape in arguments[1:]]
    if found := _IN_PLACE.search(f"{kernel}."):
        places = max(others, default=1)
        return Touched(read=places if found[1] else 0, written=places)
    if _OVERWRITTEN.search(f"{kernel}."):
        return Touched(read=0)
    if _BAG.search(operator) and others:
        return Touched(read=others[0] * prod(arguments[0][1:]))
    if _LOOKUP.search(operator) and results:
        return Touched(read=prod(results[0]))
    return Touched()
