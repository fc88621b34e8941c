"""The facts of decompositions while they are made: each call, rule and step is stored once."""

from typing import Any

from msgspec.structs import replace

from dynamo_lab.capture.decompositions.rulebook import Rulebook
from dynamo_lab.capture.graphs.calls import CallOf
from dynamo_lab.model.decompositions import (
    TARGETS,
    Call,
    Decompositions,
    Rule,
    Step,
    Traced,
    Way,
)


class CallTable:
    """The facts so far. Each call, each rule, and each rule applied to a call is stored once."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._call_index: dict[Any, int] = {}
        self._rules: dict[Rule, int] = {}
        self._steps: dict[tuple[int, int], int] = {}
        self._made: list[Step | None] = []

    def call(self, call: CallOf) -> int:
        """The index of a call, made where it is new."""
        key = call.key
        if key not in self._call_index:
            self._call_index[key] = len(self.calls)
            blank = (Way(),) * len(TARGETS)
            self.calls.append(Call(operator=call.name, arguments=call.arguments(), ways=blank))
        return self._call_index[key]

    def refused(self, operator: str, arguments: str, problem: str) -> int:
        """The index of a call that cannot be made again."""
        key = (operator, arguments)
        if key not in self._call_index:
            self._call_index[key] = len(self.calls)
            self.calls.append(Call(operator=operator, arguments=arguments, problem=problem))
        return self._call_index[key]

    def rule(self, rule: Rule) -> int:
        """The index of a rule."""
        return self._rules.setdefault(rule, len(self._rules))

    def step(self, call: int, rule: int) -> tuple[int, bool]:
        """The index of a rule applied to a call, and whether its rows are still missing."""
        key = (call, rule)
        if key not in self._steps:
            self._steps[key] = len(self._made)
            self._made.append(None)
        index = self._steps[key]
        return index, self._made[index] is None

    def tell(self, index: int, step: Step) -> None:
        """Store what a step made."""
        self._made[index] = step

    def way(self, call: int, to: int, way: Way) -> None:
        """Store how a call continues towards a set."""
        known = self.calls[call]
        ways = (*known.ways[:to], way, *known.ways[to + 1 :])
        self.calls[call] = replace(known, ways=ways)

    def is_settled(self, index: int, op: Any, book: Rulebook) -> bool:
        """Whether it is known how a call continues, or can be known without tracing it."""
        at, known = TARGETS.index(book.to), self.calls[index]
        if known.value and known.ways[at] == Way() and book.rule(op) is None:
            self.way(index, at, Way(end=book.end(op)))
            return True
        return known.ways[at] != Way()

    def freeze(self, traced: tuple[Traced, ...] = ()) -> Decompositions:
        """The facts."""
        steps = tuple(step for step in self._made if step is not None)
        assert len(steps) == len(self._made), "a step was begun and not told"
        return Decompositions(
            traced=traced, calls=tuple(self.calls), steps=steps, rules=tuple(self._rules)
        )
