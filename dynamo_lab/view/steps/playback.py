"""Playback of the steps: the state after a step, and the step that comes next.

The front-end computes it too: tests/cases/steps.json checks both.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.frames import Instruction
from dynamo_lab.model.steps import AddedGuard, Symbolic, on_stack, unpack
from dynamo_lab.view.steps.steps import CodeView, EventRow, NodeRow, StepsView, TakeView

Stop = Literal["step", "over", "out", "break", "node", "guard", "attempt"]
"""What a move looks for: the next instruction, the next of the same call, the next of the caller,
or the next instruction that breaks, adds a node or a guard, or begins an attempt."""


class Local(Struct, frozen=True, kw_only=True):
    """A local variable; `is_new` if the step changed it."""

    name: str
    value: Symbolic
    is_new: bool


class Moment(Struct, frozen=True, kw_only=True):
    """The state after a step.

    `calls` are the names of the inlined functions, the frame's own first; the stack's top is last;
    `nodes` and `guards` are those of the attempt so far.
    """

    step: int
    take: TakeView
    code: CodeView
    instruction: Instruction
    calls: tuple[str, ...]
    stack: tuple[Symbolic, ...]
    variables: tuple[Local, ...]
    nodes: tuple[NodeRow, ...]
    guards: tuple[AddedGuard, ...]
    events: tuple[EventRow, ...]


class Playback:
    """All steps, indexed so that any step is found at once."""

    def __init__(self, steps: StepsView) -> None:
        self._steps = steps
        self._call = unpack(steps.call)
        self._at = unpack(steps.instruction)
        self._cell = unpack(steps.stack)
        self._below, self._held = unpack(steps.below), unpack(steps.held)
        self._bound = self._by_call(unpack(steps.bound))
        self._firsts = [take.first for take in steps.takes]
        # rows come in the order of their steps; some guards are made before the first
        self._node_steps = [row.added.step for row in steps.nodes]
        self._guard_steps = [guard.step for guard in steps.guards]
        self._event_steps = [event.step for event in steps.events]

    def _by_call(self, bound: Sequence[int]) -> dict[int, list[tuple[int, int, int]]]:
        found: dict[int, list[tuple[int, int, int]]] = {}
        for row in range(0, len(bound), 3):
            step, name, value = bound[row : row + 3]
            found.setdefault(self._call[step], []).append((step, name, value))
        return found

    def __len__(self) -> int:
        return len(self._call)

    def moment(self, step: int) -> Moment:
        """The state after a step, counted from 0."""
        steps, call = self._steps, self._steps.calls[self._call[step]]
        take = steps.takes[self._take(step)]
        code = steps.codes[call.code]
        nodes = _between(self._node_steps, take.first, step)
        return Moment(
            step=step,
            take=take,
            code=code,
            instruction=code.instructions[self._at[step]],
            calls=tuple(self._names(self._call[step]))[::-1],
            stack=tuple(steps.values[value] for value in self._stack(step)),
            variables=tuple(self._variables(step)),
            nodes=tuple(n for n in steps.nodes[nodes] if not 0 <= n.added.removed <= step),
            guards=steps.guards[_between(self._guard_steps, take.first, step)],
            events=steps.events[_between(self._event_steps, step, step)],
        )

    def _take(self, step: int) -> int:
        return bisect_right(self._firsts, step) - 1

    def _names(self, call: int) -> Iterator[str]:
        while call >= 0:
            yield self._steps.codes[self._steps.calls[call].code].name
            call = self._steps.calls[call].parent

    def _stack(self, step: int) -> list[int]:
        return on_stack(self._cell[step], self._below, self._held)

    def _variables(self, step: int) -> Iterator[Local]:
        found: dict[str, tuple[int, int]] = {}
        for at, name, value in self._bound.get(self._call[step], ()):
            if at > step:
                break
            found[self._steps.strings[name]] = (at, value)
        for name, (at, value) in found.items():
            if value >= 0:
                yield Local(name=name, value=self._steps.values[value], is_new=at == step)

    def move(self, step: int, stop: Stop, forward: bool = True) -> int:
        """The step to go to; the current one where there is none."""
        match stop:
            case "step":
                return min(max(step + (1 if forward else -1), 0), len(self) - 1)
            case "over":
                return self._scan(step, forward, self._around(step))
            case "out":
                return self._scan(step, forward, self._around(step) - {self._call[step]})
            case _:
                return self._nearest(step, forward, self._stops(stop))

    def _around(self, step: int) -> set[int]:
        """The call that a step belongs to, and the calls around it."""
        call, found = self._call[step], set[int]()
        while call >= 0:
            found.add(call)
            call = self._steps.calls[call].parent
        return found

    def _scan(self, step: int, forward: bool, calls: set[int]) -> int:
        """The next step of one of these calls, or the next attempt."""
        ahead = range(step + 1, len(self)) if forward else range(step - 1, -1, -1)
        take = self._take(step)
        return next((s for s in ahead if self._call[s] in calls or self._take(s) != take), step)

    def _stops(self, stop: Stop) -> list[int]:
        steps = self._steps
        match stop:
            case "break":
                return [e.step for e in steps.events if e.kind in ("break", "restart")]
            case "node":
                return self._node_steps
            case "guard":
                return self._guard_steps
            case _:
                return self._firsts

    def _nearest(self, step: int, forward: bool, stops: Sequence[int]) -> int:
        index = bisect_right(stops, step) if forward else bisect_left(stops, step) - 1
        return max(stops[index], 0) if 0 <= index < len(stops) else step


def _between(steps: Sequence[int], first: int, last: int) -> slice:
    """The rows of these steps, both ends included."""
    return slice(bisect_left(steps, first), bisect_right(steps, last))
