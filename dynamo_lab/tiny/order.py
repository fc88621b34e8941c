"""Order: in which order the operations need the least memory at once.

Every order goes from nothing done to all done by one operation at a time; what lies in memory
depends only on what is done. So the best order is the path on which the largest step is least,
and a search by that (Dijkstra's, with the largest step as length) finds it. One rule keeps the
search small and loses no best order: an operation that fits below the largest step so far and
leaves no more in memory than there was is done at once. A bound is known before: while an
operation runs, what its ancestors made and it or its descendants read is in memory in every order.
When the search takes too long, the largest step that it had come to is the bound, and the order is
a greedy one or the graph's own, whichever needs less.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dynamo_lab.tiny.work import Work

MOST_STATES = 2_000
FEW_STATES = 100
"""Of many plans of which each has to be quick."""


@dataclass(frozen=True)
class Order:
    """Operations by number, the bytes at the worst moment, and a bound that no order is below."""

    operations: tuple[int, ...]
    peak: int
    bound: int

    @property
    def is_best(self) -> bool:
        """Whether no order needs less."""
        return self.peak == self.bound


@dataclass(frozen=True)
class Moment:
    """While an operation runs: the storages in memory, and which it writes its result over."""

    operation: int
    alive: frozenset[int]
    over: int | None


def moments(work: Work, order: Sequence[int]) -> list[Moment]:
    """What lies in memory while each operation runs, in an order."""
    search = _Search(work)
    done, found = 0, list[Moment]()
    alive = {storage for storage in work.given if not search.is_free(storage, 0)}
    for number in order:
        operation, over = work.operations[number], search.over(number, done)
        made = frozenset(operation.makes)
        found.append(Moment(number, frozenset(alive | made if over is None else alive), over))
        done |= 1 << number
        touched = made | operation.reads
        alive = (alive | made) - {s for s in touched if search.is_free(s, done)}
    return found


def own_order(work: Work) -> Order:
    """The order that the graph has."""
    search = _Search(work)
    order = tuple(range(len(work.operations)))
    return Order(order, search.peak(order), search.least())


def best_order(work: Work, most_states: int = MOST_STATES) -> Order:
    """The order that needs the least memory, or a good one and its bound."""
    search = _Search(work)
    tries = [tuple(range(len(work.operations))), search.greedy()]
    best = min(tries, key=search.peak)
    return search.best(Order(best, search.peak(best), search.least()), most_states)


class _Search:
    """States are sets of operations that are done, as bits."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._bytes = [storage.bytes for storage in work.storages]
        self._all = (1 << len(work.operations)) - 1
        self._after = [_bits(operation.after) for operation in work.operations]
        self._readers = [_bits(readers) for readers in work.readers]
        self._followers = self._of_followers()
        self._made = [sum(self._bytes[s] for s in one.makes) for one in work.operations]
        self._touched = [
            [
                (self._bytes[s], self._readers[s])
                for s in (*one.reads, *one.makes)
                if s not in work.kept
            ]
            for one in work.operations
        ]

    def _of_followers(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self._work.operations]
        for number, operation in enumerate(self._work.operations):
            for earlier in operation.after:
                found[earlier].append(number)
        return found

    def least(self) -> int:
        """What lies in memory at the worst operation whatever the order."""
        before = [0] * len(self._after)
        for number in range(len(before)):  # the graph's own order is one of them
            before[number] = self._after[number]
            for earlier in self._work.operations[number].after:
                before[number] |= before[earlier]
        following = [0] * len(before)
        for number, earlier in enumerate(before):
            for one in _numbers(earlier):
                following[one] |= 1 << number
        makers = self._makers()
        return max(
            (self._forced(n, before[n], following[n], makers) for n in range(len(before))),
            default=0,
        )

    def _makers(self) -> list[int]:
        """By storage the bit of the operation that makes it, 0 of what is given."""
        found = [0] * len(self._bytes)
        for number, operation in enumerate(self._work.operations):
            for made in operation.makes:
                found[made] = 1 << number
        return found

    def _forced(self, number: int, before: int, following: int, makers: Sequence[int]) -> int:
        """What is there while an operation runs, or right after it, in every order."""
        operation, this = self._work.operations[number], 1 << number
        during = after = 0
        for storage, readers in enumerate(self._readers):
            maker = makers[storage]
            is_made = before & maker if maker else storage in self._work.given
            is_kept = storage in self._work.kept
            if is_made and (is_kept or readers & (following | this)):
                during += self._bytes[storage]
            if (is_made or maker == this) and (is_kept or readers & following):
                after += self._bytes[storage]
        if not operation.over:
            during += sum(self._bytes[made] for made in operation.makes)
        return max(during, after)

    def is_free(self, storage: int, done: int) -> bool:
        return storage not in self._work.kept and not self._readers[storage] & ~done

    def over(self, number: int, done: int) -> int | None:
        """The storage that it can write over, if nobody else reads that later."""
        after = done | 1 << number
        found = [s for s in self._work.operations[number].over if self.is_free(s, after)]
        return found[0] if found else None

    def during_and_after(self, number: int, done: int, now: int) -> tuple[int, int]:
        """The bytes in memory while an operation runs, and after it, from those before it."""
        after, made = done | 1 << number, self._made[number]
        freed = 0
        for size, readers in self._touched[number]:
            if not readers & ~after:
                freed += size
        is_over = self._work.operations[number].over and self.over(number, done) is not None
        return now if is_over else now + made, now + made - freed

    def start(self) -> int:
        return sum(self._bytes[s] for s in self._work.given if not self.is_free(s, 0))

    def peak(self, order: Iterable[int]) -> int:
        """The most bytes at once in an order."""
        done, now, most = 0, self.start(), self.start()
        for number in order:
            during, now = self.during_and_after(number, done, now)
            most = max(most, during, now)
            done |= 1 << number
        return most

    def ready(self, done: int) -> list[int]:
        return [n for n, after in enumerate(self._after) if not done >> n & 1 and not after & ~done]

    def greedy(self) -> tuple[int, ...]:
        """Always the operation that leaves the least in memory."""
        done, now, found = 0, self.start(), list[int]()
        ready = self.ready(0)
        while ready:
            costs = {n: self.during_and_after(n, done, now) for n in ready}
            chosen = min(ready, key=lambda n: (costs[n][1], costs[n][0], n))
            now = costs[chosen][1]
            done |= 1 << chosen
            found.append(chosen)
            ready.remove(chosen)
            ready += self._newly_ready(chosen, done)
        return tuple(found)

    def _newly_ready(self, number: int, done: int) -> list[int]:
        return [n for n in self._followers[number] if not self._after[n] & ~done]

    def best(self, known: Order, most_states: int) -> Order:
        """The best order, if the search ends; else the one that was known, with its bound."""
        start = self.start()
        first = self._closed((max(start, known.bound), start, 0, tuple(self.ready(0)), None))
        waiting, seen = [(first[0], -first[2].bit_count(), 0)], set[int]()
        states = [first]
        while waiting:
            most, _, at = heapq.heappop(waiting)
            if most >= known.peak:
                return Order(known.operations, known.peak, known.peak)
            state = states[at]
            if state[2] == self._all:
                return Order(_path(state[4]), most, most)
            if len(states) > most_states:
                return Order(known.operations, known.peak, most)
            if state[2] in seen:
                continue
            seen.add(state[2])
            for number in state[3]:
                following = self._closed(self._done(state, number))
                if following[0] < known.peak and following[2] not in seen:
                    states.append(following)
                    size = following[2].bit_count()
                    heapq.heappush(waiting, (following[0], -size, len(states) - 1))
        return Order(known.operations, known.peak, known.peak)

    def _done(self, state: _State, number: int) -> _State:
        most, now, done, ready, path = state
        during, after = self.during_and_after(number, done, now)
        done |= 1 << number
        ready = (*(n for n in ready if n != number), *self._newly_ready(number, done))
        return max(most, during, after), after, done, ready, (number, path)

    def _closed(self, state: _State) -> _State:
        """The state once all is done that costs nothing now."""
        changed = True
        while changed:
            changed = False
            for number in state[3]:
                during, after = self.during_and_after(number, state[2], state[1])
                if during <= state[0] and after <= state[1]:
                    state, changed = self._done(state, number), True
                    break
        return state


_State = tuple[int, int, int, tuple[int, ...], "_Path | None"]
_Path = tuple[int, "_Path | None"]


def _path(path: _Path | None) -> tuple[int, ...]:
    found: list[int] = []
    while path is not None:
        found.append(path[0])
        path = path[1]
    return tuple(reversed(found))


def _numbers(bits: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)
