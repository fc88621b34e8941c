"""What a number in a fact refers to, declared in its type: `Annotated[int, Ref("frames")]`.

`model/validate.py` reads these marks, and refuses a recording that violates one of them.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta, Struct


class Ref(Struct, frozen=True):
    """The numbers are positions in a table; on a tuple or a dict's values, each of them is one.

    A table is the recording's ("frames"), one of a struct around the field ("StepTable.codes"), or
    that of a row which a field next to it names ("graphs[graph].nodes",
    "graphs[Lowering.graph].nodes").
    `noun` is the name of the rows in a message, if that is not the table's name; "{0.name}" in it
    is a field of the struct whose table it is. Several marks on a column of bytes are its columns.

    `or_none` allows -1, for none; `or_end` one past the last; `from_one` counts lines from 1.
    """

    table: str
    noun: str = ""
    or_none: bool = False
    or_end: bool = False
    from_one: bool = False


def line_of(text: str, noun: str) -> Ref:
    """A line, from 1, of a text: `text` is written like a table."""
    return Ref(text, noun, from_one=True)


class Parallel(Struct, frozen=True):
    """The column is as long as another table."""

    table: str


class Plain(Struct, frozen=True):
    """A number that looks like a reference and is not; `reason` says why."""

    reason: str


class Position(Struct, frozen=True):
    """The row's own position in its table."""


Id = Annotated[int, Position()]
"""An id by which other facts name the row: its position."""

Depth = Annotated[int, Meta(ge=0, le=1_000)]
"""How deep a row is in others: it is indented so far, and a file may be anyone's."""


def circle(relation: str, edges: Sequence[Sequence[int]]) -> Iterator[str]:
    """A sentence if a walk along `edges` can go on forever: a view on it would not return."""
    if _has_circle(edges):
        yield f"{relation} each other in a circle"


def _has_circle(edges: Sequence[Sequence[int]]) -> bool:
    """Remove what ends until nothing changes: whether anything is left."""
    waiting = [len(successors) for successors in edges]  # those not yet known to end
    callers: list[list[int]] = [[] for _ in edges]
    for node, successors in enumerate(edges):
        for successor in successors:
            callers[successor].append(node)
    ended = [node for node, count in enumerate(waiting) if not count]
    for node in ended:  # grows while it is walked
        for caller in callers[node]:
            waiting[caller] -= 1
            if not waiting[caller]:
                ended.append(caller)
    return len(ended) < len(edges)
