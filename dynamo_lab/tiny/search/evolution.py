"""Evolution: schemes are crossed and changed, and those with the most gain that fit are kept.

The gain of a scheme is the sum of its choices' gains. What memory it needs is asked for only where
its gain would keep it. A generation is drawn by the seed and its number, so that a search that is
continued goes as one that never stopped.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from dynamo_lab.tiny.search.space import Choice, Scheme, Space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Bytes = Callable[[Scheme], int | None]


class Evolution:
    """Schemes of a space under a limit.

    Args:
        space: What there is to choose from.
        gains: Of the choices that can be made.
        needed: The bytes that a scheme needs, None where it cannot be planned.
        limit: The most bytes.
        size: How many schemes are kept.
        seed: Draws them.
    """

    def __init__(
        self,
        space: Space,
        gains: Mapping[Choice, float],
        needed: Bytes,
        limit: int,
        size: int,
        seed: int,
    ) -> None:
        self._space, self._gains, self._needed = space, gains, needed
        self._limit, self._size, self._seed = limit, size, seed
        biases = [choice for choice in gains if not choice.parameter]
        self._genes: list[list[Choice]] = [[Choice("", biases=0), *biases]] * bool(biases)
        for name in space.weights:
            shares = [choice for choice in gains if choice.parameter == name]
            self._genes += [[Choice(name, 0.0), *shares]] * bool(shares)

    def gain(self, scheme: Scheme) -> float:
        """The sum over what it has."""
        return sum(self._gains[choice] for choice in self._space.chosen(scheme))

    def first(self) -> list[Scheme]:
        """Nothing, and what is found by taking always the best choice that still fits."""
        nothing = self._space.nothing()
        start = self._needed(nothing) or 0
        by_gain = sorted(self._gains, key=lambda one: -self._gains[one])

        def per_byte(choice: Choice) -> float:
            alone = self._needed(self._space.with_choice(nothing, choice)) or 0
            return -self._gains[choice] / max(alone - start, 1)

        by_byte = sorted(self._gains, key=per_byte)
        return self._kept([nothing, self._filled(by_gain), self._filled(by_byte)])

    def _filled(self, choices: Sequence[Choice]) -> Scheme:
        found = self._space.nothing()
        for choice in choices:
            tried = self._space.with_choice(found, choice)
            if self.gain(tried) > self.gain(found) and self._fits(tried):
                found = tried
        return found

    def next(self, schemes: Sequence[Scheme], generation: int) -> list[Scheme]:
        """The next generation."""
        if not self._genes:
            return list(schemes)
        draw = random.Random(f"{self._seed} {generation}")
        parents = schemes[: max(len(schemes) // 2, 1)]
        children = [self._child(draw, parents) for _ in range(2 * self._size)]
        return self._kept([*schemes, *children])

    def _child(self, draw: random.Random, parents: Sequence[Scheme]) -> Scheme:
        one, other = draw.choice(parents), draw.choice(parents)
        shares = tuple(map(draw.choice, zip(one.shares, other.shares, strict=True)))
        child = Scheme(draw.choice((one.biases, other.biases)), shares)
        for _ in range(draw.choice((1, 1, 2, 3))):
            child = self._space.with_choice(child, draw.choice(draw.choice(self._genes)))
        return child

    def _kept(self, schemes: Iterable[Scheme]) -> list[Scheme]:
        """The best that fit, the best first; of equal ones those that need less."""
        found: list[Scheme] = []
        apart = dict.fromkeys(schemes)
        for scheme in sorted(apart, key=lambda one: (-self.gain(one), one.biases, one.shares)):
            if len(found) == self._size:
                break
            if self._fits(scheme):
                found.append(scheme)
        return sorted(found, key=lambda one: (-self.gain(one), self._needed(one) or 0))

    def _fits(self, scheme: Scheme) -> bool:
        needed = self._needed(scheme)
        return needed is not None and needed <= self._limit
