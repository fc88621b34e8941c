"""Where a sequence repeats itself: all that is compared, is compared once for each period."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

_WIDE = 4
_MOST_COMPARED = 40
"""Comparisons for each entry: what takes more, such as a sequence made to, is not folded whole."""


class Stretch(NamedTuple):
    """Entries `start` to `end` (without it), each equal to the one `period` later within it."""

    start: int
    end: int
    period: int


def stretches(keys: Sequence[int], same: Callable[[int, int], bool]) -> Iterator[Stretch]:
    """The stretches of at least three periods, each as long as it gets, for each period by itself.

    Entries that are `same` have the same key. Periods are tried where a key, or a row of 4 or 16
    of them, comes again: a loop has some entry, or some row, that it has only once.
    """
    left = _MOST_COMPARED * len(keys)
    for period, starts in _periods(keys).items():
        known = 0  # all before it was compared
        for at in starts:
            if at < known or left < 0:
                continue
            start, end = at, at
            while start > known and same(start - 1, start - 1 + period):
                start -= 1
            while end + period < len(keys) and same(end, end + period):
                end += 1
            left -= end - start + 2
            known = end + 1
            if end - start >= 2 * period:
                yield Stretch(start, end + period, period)


def _periods(keys: Sequence[int]) -> dict[int, list[int]]:
    """For each distance at which something comes again, where it does, in order."""
    found: dict[int, set[int]] = {}
    rows = keys
    for step in (0, 1, _WIDE):
        rows = _joined(rows, step) if step else rows
        seen: dict[int, int] = {}
        for at, key in enumerate(rows):
            if (before := seen.get(key)) is not None:
                found.setdefault(at - before, set()).add(before)
            seen[key] = at
    return {period: sorted(starts) for period, starts in found.items()}


def _joined(keys: Sequence[int], step: int) -> list[int]:
    """A number for each four entries that lie `step` apart."""
    numbers: dict[tuple[int, ...], int] = {}
    columns = (keys[shift * step :] for shift in range(_WIDE))
    return [numbers.setdefault(row, len(numbers)) for row in zip(*columns, strict=False)]
