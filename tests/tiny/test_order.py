"""The order of operations: best where the search ends, and never below its bound."""

from __future__ import annotations

import itertools
import random

import pytest

from dynamo_lab.tiny.arena import arena, lives
from dynamo_lab.tiny.order import best_order, moments, own_order
from dynamo_lab.tiny.work import Operation, Storage, Work


def made_up(seed: int, count: int = 6) -> Work:
    """Operations that read some of what came before; some may write over an input."""
    draw = random.Random(seed)
    storages = [Storage("x", 8 * draw.randint(1, 9), "sample")]
    operations: list[Operation] = []
    for number in range(count):
        reads = frozenset(draw.sample(range(len(storages)), min(len(storages), draw.randint(1, 2))))
        size = draw.choice([8 * draw.randint(1, 9), storages[min(reads)].bytes])
        storages.append(Storage(f"s{number}", size, "activation"))
        over = tuple(r for r in sorted(reads) if storages[r].bytes == size)
        operations.append(
            Operation(
                name=f"o{number}",
                reads=reads,
                makes=(number + 1,),
                over=over if draw.random() < 0.5 else (),
                after=frozenset(r - 1 for r in reads if r),
            )
        )
    return Work(tuple(operations), tuple(storages), frozenset({0}), frozenset({count}))


def peak(work: Work, order: tuple[int, ...]) -> int:
    """What lies in memory at the worst moment, counted from scratch."""
    return max(sum(work.storages[s].bytes for s in one.alive) for one in moments(work, order))


def is_valid(work: Work, order: tuple[int, ...]) -> bool:
    places = {number: at for at, number in enumerate(order)}
    return all(places[a] < places[n] for n in order for a in work.operations[n].after)


def orders(work: Work) -> list[tuple[int, ...]]:
    every = itertools.permutations(range(len(work.operations)))
    return [order for order in every if is_valid(work, order)]


@pytest.mark.parametrize("seed", range(40))
def test_no_order_is_better_than_the_best(seed: int) -> None:
    work = made_up(seed)
    found = best_order(work)
    least = min(peak(work, order) for order in orders(work))
    assert is_valid(work, found.operations)
    assert (found.peak, found.bound) == (least, least)
    assert peak(work, found.operations) == least


@pytest.mark.parametrize("seed", range(40))
def test_a_search_that_stops_early_says_a_true_bound(seed: int) -> None:
    work = made_up(seed)
    found = best_order(work, most_states=1)
    least = min(peak(work, order) for order in orders(work))
    assert found.bound <= least <= found.peak
    assert found.peak == peak(work, found.operations)
    assert own_order(work).bound <= least


def test_some_orders_are_worse_than_others() -> None:
    """So that the tests above can tell."""
    works = [made_up(seed) for seed in range(40)]
    assert sum(own_order(work).peak > best_order(work).peak for work in works) >= 5


@pytest.mark.parametrize("seed", range(40))
def test_places_in_the_arena_are_never_shared_by_what_is_alive_together(seed: int) -> None:
    work = made_up(seed, count=9)
    order = best_order(work).operations
    found, places = arena(work, order), lives(work, order)
    assert found.size >= found.bound == peak(work, order)
    for one, other in itertools.combinations(places, 2):
        if one.born <= other.dies and other.born <= one.dies:
            first, second = found.offsets[one.storages[0]], found.offsets[other.storages[0]]
            assert first + one.bytes <= second or second + other.bytes <= first
    assert set(found.offsets) == {s for life in places for s in life.storages}
