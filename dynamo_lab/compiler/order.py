"""Order: what has to run before what, and an order that runs.

In come loops and calls, or groups of them; each says what it reads and writes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class HasOrder(Protocol):
    """The loops of a kernel, what a graph does, and its units."""

    @property
    def reads(self) -> set[str]:
        """The buffers and sizes that it needs."""
        ...

    @property
    def writes(self) -> set[str]:
        """What is known by it."""
        ...

    @property
    def keeps_order(self) -> bool:
        """Whether its turn among random numbers and checks matters."""
        ...


Work = TypeVar("Work", bound=HasOrder)


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
