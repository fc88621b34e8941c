"""Groups of loops, and what has to run before what.

In come the loops and calls of a graph; out comes an order that runs.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, TypeVar

from dynamo_lab.compiler.work import Extern, Loop

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(eq=False)
class Group:
    """Loops that become one kernel."""

    nodes: list[Loop]
    reads: set[str] = field(init=False)
    writes: set[str] = field(init=False)
    forced: bool = False
    """Was it joined by the reader's will where that is not legal?"""
    keeps_order: ClassVar[bool] = False
    """Its turn among random numbers and checks never matters."""

    def __post_init__(self) -> None:
        self.reads = set[str]().union(*(node.reads for node in self.nodes))
        self.writes = {node.buffer.name for node in self.nodes}

    @property
    def reducing(self) -> Loop | None:
        """One of its reductions, if it has any: all go over the same loops."""
        return next((node for node in self.nodes if node.reduction), None)

    def __str__(self) -> str:
        return "+".join(node.buffer.name for node in self.nodes)


Unit = Group | Extern
Work = TypeVar("Work", Loop, Loop | Extern, Unit)
"""What has an order: the loops of a kernel, what a graph does, and its units."""


def predecessors(units: Sequence[Work], mutated: set[str]) -> dict[int, list[Work]]:
    """What has to run before each unit, by its id."""
    writer = {name: unit for unit in units for name in unit.writes if name not in mutated}
    readers: dict[str, list[Work]] = defaultdict(list)
    found: dict[int, list[Work]] = {}
    last: Work | None = None
    for unit in units:
        before = {id(w): w for name in unit.reads if (w := writer.get(name)) and w is not unit}
        if unit.keeps_order:
            if last:
                before[id(last)] = last
            last = unit
        found[id(unit)] = list(before.values())
        for name in unit.reads & mutated:
            readers[name].append(unit)
    for unit in units:
        for name in unit.writes & mutated:
            found[id(unit)] += [reader for reader in readers[name] if reader is not unit]
    return found


def ordered(units: Sequence[Work], mutated: set[str]) -> list[Work]:
    """The units in an order that runs, otherwise as they came."""
    before = predecessors(units, mutated)
    found: list[Work] = []
    seen: set[int] = set()
    for start in units:
        stack: list[tuple[Work, bool]] = [(start, False)]
        while stack:
            unit, is_ready = stack.pop()
            if is_ready:
                found.append(unit)
            elif id(unit) not in seen:
                seen.add(id(unit))
                stack.append((unit, True))
                stack += [(other, False) for other in reversed(before[id(unit)])]
    return found
