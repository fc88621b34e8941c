"""Arena: a place in one block of memory for each storage, for as long as it lives.

Storages that are never in memory together may have the same place. The largest are placed first,
each into the smallest gap that it fits in (best fit), or as low as it can; of several sequences of
placing the one that needs the least is taken. No arena is below the most that is alive at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynamo_lab.tiny.order import moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dynamo_lab.tiny.work import Work

ALIGNMENT = 8
"""Of each place, in bytes: what the largest element, of a label, needs."""


@dataclass(frozen=True)
class Life:
    """A place's bytes and the first and last moment it is used, by the number in the order.

    `storages` follow one another in it: each later one is written over the earlier.
    """

    storages: tuple[int, ...]
    bytes: int
    born: int
    dies: int


@dataclass(frozen=True)
class Arena:
    """By storage the offset in bytes, the size of all, and the bytes no arena can be below."""

    offsets: Mapping[int, int]
    size: int
    bound: int


_MOST_TRIES = 40


def lives(work: Work, order: Sequence[int]) -> list[Life]:
    """The places of an order, those of storages that write over each other as one."""
    born: dict[int, int] = {}
    dies: dict[int, int] = {}
    place: dict[int, int] = {}
    chains: dict[int, list[int]] = {}
    for at, moment in enumerate(moments(work, order)):
        for made in work.operations[moment.operation].makes:
            place[made] = made if moment.over is None else place.get(moment.over, moment.over)
        for storage in moment.alive | set(work.operations[moment.operation].makes):
            first = place.setdefault(storage, storage)
            if storage not in chains.setdefault(first, []):
                chains[first].append(storage)
            born.setdefault(first, at)
            dies[first] = at
    for kept in work.kept:
        dies[place[kept]] = len(order)
    return [
        Life(tuple(chain), work.storages[first].bytes, born[first], dies[first])
        for first, chain in chains.items()
    ]


def arena(work: Work, order: Sequence[int], alignment: int = ALIGNMENT) -> Arena:
    """An arena for an order of operations."""
    places = lives(work, order)
    bound = max((_alive(places, at) for at in range(len(order) + 1)), default=0)
    tries = [_placed(sorted(places, key=key), alignment) for key in _SEQUENCES]
    best = _improved(min(tries, key=_end), alignment, bound)
    offsets = {storage: offset for life, offset in best for storage in life.storages}
    return Arena(offsets, _end(best), bound)


_SEQUENCES: tuple[Callable[[Life], tuple[int, ...]], ...] = (
    lambda life: (-life.bytes, life.born),
    lambda life: (life.born - life.dies, -life.bytes),
    lambda life: (-life.bytes * (life.dies - life.born + 1), life.born),
    lambda life: (life.born, -life.bytes),
)


def _improved(best: list[tuple[Life, int]], alignment: int, bound: int) -> list[tuple[Life, int]]:
    """Placed again with the life at the top first, as long as that may help."""
    sequence, end = [life for life, _ in best], _end(best)
    placed = best
    for _ in range(_MOST_TRIES):
        if _end(best) <= bound:
            break
        top = max(placed, key=lambda one: one[1] + one[0].bytes)[0]
        sequence.remove(top)
        sequence.insert(0, top)
        placed = _placed(sequence, alignment)
        if _end(placed) < end:
            best, end = placed, _end(placed)
    return best


def _alive(places: Iterable[Life], at: int) -> int:
    return sum(life.bytes for life in places if life.born <= at <= life.dies)


def _end(placed: Iterable[tuple[Life, int]]) -> int:
    return max((offset + life.bytes for life, offset in placed), default=0)


def _placed(sequence: Iterable[Life], alignment: int) -> list[tuple[Life, int]]:
    """Each life with its offset, placed one after the other."""
    found: list[tuple[Life, int]] = []
    for life in sequence:
        beside = sorted(
            (offset, offset + other.bytes)
            for other, offset in found
            if other.born <= life.dies and life.born <= other.dies
        )
        found.append((life, _offset(beside, life.bytes, alignment)))
    return found


def _offset(beside: Iterable[tuple[int, int]], size: int, alignment: int) -> int:
    """The start of the smallest gap that is large enough, else the end of all."""
    end, gaps = 0, list[tuple[int, int]]()
    for start, stop in beside:
        if start - end >= size:
            gaps.append((start - end, end))
        end = max(end, -(-stop // alignment) * alignment)
    return min(gaps)[1] if gaps else end
