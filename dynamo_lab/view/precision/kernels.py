"""Where the kernels of one precision are not those of another, and what is not generated."""

import re
from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.origins import where_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.lowering.causes import left

_NUMBER = re.compile(r"_\d+$")


class KernelsView(Struct, frozen=True, kw_only=True):
    """A place in the program, and the kernels that have something of it, in both."""

    where: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def kernels_changed(before: Recording, after: Recording) -> tuple[KernelsView, ...]:
    """The places whose kernels have other names, numbers left out; fused ones are at several."""
    old, new = _by_place(before), _by_place(after)
    return tuple(
        KernelsView(where=where, before=old.get(where, ()), after=new.get(where, ()))
        for where in dict.fromkeys((*old, *new))
        if old.get(where) != new.get(where)
    )


def _by_place(recording: Recording) -> dict[str, tuple[str, ...]]:
    places = Places(recording)
    found: dict[str, dict[str, None]] = {}
    for kernel in recording.kernels:
        if kernel.graph is None:
            continue
        for node in kernel.nodes:
            where = where_of([(kernel.graph, node)], recording, places)
            if where:
                found.setdefault(where, {})[_NUMBER.sub("", kernel.name)] = None
    return {where: tuple(names) for where, names in found.items()}


def fallbacks(recording: Recording) -> tuple[str, ...]:
    """'line 3: aten.mm.default: <why>': what Inductor has no code for, and calls as it is."""
    return tuple(dict.fromkeys(_fallbacks(recording)))


def _fallbacks(recording: Recording) -> Iterator[str]:
    places = Places(recording)
    for lowering in recording.lowerings:
        nodes = recording.graphs[lowering.graph].nodes
        for row in lowering.nodes:
            if row.outcome == "fallback":
                where = where_of([(lowering.graph, row.node)], recording, places)
                named = f"{where}: {nodes[row.node].target}" if where else nodes[row.node].target
                yield f"{named}: {left(row.why, lowering.compiler)}"
