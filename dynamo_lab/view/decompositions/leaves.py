"""How many operators a call becomes in each set, counted over shared trees."""

from collections import Counter
from collections.abc import Sequence

from dynamo_lab.model.decompositions import TARGETS, Decompositions, End, Target

_MOST = 10**9
"""Counts stop here: trees with shared parts can represent any number of operators."""


class Leaves:
    """The calls at which the trees end."""

    def __init__(self, facts: Decompositions) -> None:
        self.facts = facts
        self._orders = [_children_first(facts, to) for to in range(len(TARGETS))]
        self._counts = [self._sizes(to) for to in range(len(TARGETS))]
        self._staying = [self._multiplicities(to) for to in range(len(TARGETS))]

    def of(self, call: int, to: int) -> int:
        """How many operators a call becomes."""
        return self._counts[to][call]

    def operators(self, to: int) -> Counter[str]:
        """How often each operator occurs once all calls of the run are decomposed to a set."""
        found: Counter[str] = Counter()
        for call, times in self._staying[to].items():
            found[self.facts.calls[call].operator] += times
        return found

    def staying(self, to: Target, end: End) -> Counter[str]:
        """How often each operator remains for this reason."""
        at = TARGETS.index(to)
        found: Counter[str] = Counter()
        for call, times in self._staying[at].items():
            ways = self.facts.calls[call].ways
            if ways and ways[at].end == end:
                found[self.facts.calls[call].operator] += times
        return found

    def _sizes(self, to: int) -> dict[int, int]:
        sizes: dict[int, int] = {}
        for call in self._orders[to]:
            children = _children(self.facts, call, to)
            size = 1 if children is None else sum(sizes[child] for child in children)
            sizes[call] = min(size, _MOST)
        return sizes

    def _multiplicities(self, to: int) -> Counter[int]:
        """How often each remaining call occurs in this run."""
        times = Counter(traced.call for traced in self.facts.traced)
        staying: Counter[int] = Counter()
        for call in reversed(self._orders[to]):
            count = min(times[call], _MOST)
            children = _children(self.facts, call, to)
            if not count:
                continue
            if children is None:
                staying[call] = count
            for child in children or ():
                times[child] += count
        return staying


def _children(facts: Decompositions, call: int, to: int) -> Sequence[int] | None:
    """The calls that a rule makes of this one, None where no rule decomposes it."""
    ways = facts.calls[call].ways
    step = ways[to].step if ways else None
    return None if step is None else [row.call for row in facts.steps[step].rows]


def _children_first(facts: Decompositions, to: int) -> list[int]:
    """The calls in postorder: each after all those that it becomes."""
    ordered: list[int] = []
    done: set[int] = set()
    for start in range(len(facts.calls)):
        waiting = [(start, False)]
        while waiting:
            call, is_left = waiting.pop()
            if is_left:
                ordered.append(call)
            elif call not in done:
                done.add(call)
                children = _children(facts, call, to) or ()
                waiting.append((call, True))
                waiting += ((child, False) for child in children if child not in done)
    return ordered
