"""What C looks at before a step: numbers of a sample that would be read, or written, beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.tiny.c.values import index, loops
from dynamo_lab.tiny.indices import indices_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.tiny.c.values import Places
    from dynamo_lab.tiny.graph import StepGraph


def checks(writer: Places, step: StepGraph) -> Iterator[str]:
    """Statements that return a part of the sample with such a number, and write the number."""
    for one in indices_of(step):
        if one.looked is None:
            continue
        place = writer.place(one.looked)
        wrong = f"found[0] < 0 || found[0] >= {one.count}"
        if one.ignored is not None:
            wrong = f"found[0] != {one.ignored} && ({wrong})"
        value = f"{place.pointer}[{index(place.strides, place.shape)}]"
        body = f"if (found[0] = {value}, {wrong}) return {one.part};"
        yield loops(place.shape, body)


def unchecked(step: StepGraph) -> frozenset[str]:
    """The nodes that read by numbers which are computed: they are known too late to be refused."""
    return frozenset(one.node.name for one in indices_of(step) if one.looked is None)
