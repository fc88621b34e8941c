"""Times from start to end: which of them any covers, and what two lists of them have in common.

A list of intervals is in order, and no two of them overlap or touch.
"""

from collections.abc import Iterable, Sequence

Interval = tuple[float, float]
"""A time from its start to its end."""


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The times that any of them covers."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        elif end > start:
            found.append((start, end))
    return found


def without(intervals: Sequence[Interval], holes: Sequence[Interval]) -> list[Interval]:
    """What is left of intervals where others are taken out."""
    found: list[Interval] = []
    at = 0
    for start, end in intervals:
        while at < len(holes) and holes[at][1] <= start:
            at += 1
        here = at
        while here < len(holes) and holes[here][0] < end:
            if holes[here][0] > start:
                found.append((start, holes[here][0]))
            start = holes[here][1]
            here += 1
        if start < end:
            found.append((start, end))
    return found


def length(intervals: Iterable[Interval]) -> float:
    """The seconds that they cover."""
    return sum(end - start for start, end in intervals)
