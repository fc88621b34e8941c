"""What has to run between two groups, worked out from what each operation comes after."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

from dynamo_lab.model.fusion.fusion import Ruling, Schedule
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.fusion.advice.groups import BETWEEN
from dynamo_lab.view.fusion.advice.sentences import Advice

_SHOWN = 4
_ORDER = " to run after {a} and before {b}."


def without_names(advice: Advice) -> Advice:
    """The same of all pairs that something has to run between, whatever that is."""
    return BETWEEN if advice.why.endswith(_ORDER) else advice


class Between:
    """The operations of a schedule that stand between two groups. Sets are bits of an integer."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._made_before: dict[int, list[int]] = {}

    def told(self, ruling: Ruling, producer: int, consumer: int) -> Advice:
        """The advice with their names, which PyTorch does not give; without where none is found."""
        ends = self._mask(producer), self._mask(consumer)
        found = self._operations(*ends) or self._with_groups(*ends, ruling.round)
        if not found:
            return BETWEEN
        verb = "has" if found.bit_count() == 1 else "have"
        return Advice(f"{self._named(found)} {verb}{_ORDER}")

    def _named(self, found: int) -> str:
        """The first of them by name: there may be thousands, between thousands of pairs."""
        shown = [self._schedule.operations[at].name for at in islice(_indices(found), _SHOWN)]
        return listed([*shown, *[""] * (found.bit_count() - len(shown))], _SHOWN)

    def _operations(self, first: int, last: int) -> int:
        """Those that need the one and that the other needs."""
        return _union(self._below, first) & _union(self._above, last) & ~(first | last)

    def _with_groups(self, first: int, last: int, until: int) -> int:
        """The same where a group that was made by then waits, and is waited for, as a whole."""
        ends = first | last
        made = [one for one in self._made(until) if not one & ends]
        below, above = _union(self._below, first), _union(self._above, last)
        return _closed(below, made, self._below) & _closed(above, made, self._above) & ~ends

    def _made(self, until: int) -> list[int]:
        """The groups of several that there were at the start, or before a round."""
        if until not in self._made_before:
            rulings = self._schedule.verdicts.rulings
            into = {one.into for one in rulings if one.into is not None and one.round < until}
            made = {*self._schedule.start, *into}
            self._made_before[until] = [self._mask(group) for group in made]
        return self._made_before[until]

    def _mask(self, group: int) -> int:
        return sum(1 << index for index in set(self._schedule.groups[group].operations))

    @cached_property
    def _above(self) -> list[int]:
        """All that each operation needs. They are in an order in which they can run."""
        found: list[int] = []
        for index, one in enumerate(self._schedule.operations):
            earlier = [at for at in one.after if at < index]
            found.append(_any(found[at] | 1 << at for at in earlier))
        return found

    @cached_property
    def _below(self) -> list[int]:
        """All that need each operation."""
        found = [0] * len(self._schedule.operations)
        for index in reversed(range(len(found))):
            for at in self._schedule.operations[index].after:
                if at < index:
                    found[at] |= found[index] | 1 << index
        return found


def _closed(reached: int, groups: list[int], further: list[int]) -> int:
    """What is reached when each group is reached as a whole."""
    while True:
        wider = _any(one for one in groups if one & reached)
        wider = reached | wider | _union(further, wider & ~reached)
        if wider == reached:
            return reached
        reached = wider


def _union(sets: list[int], of: int) -> int:
    return _any(sets[index] for index in _indices(of))


def _any(sets: Iterable[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found


def _indices(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
