"""Where a reader of the film is: what a step left behind, and which step comes next.

A mirror of the front-end's `playback`: tests/cases/steps.json holds both alike.
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
    """What is known after a step.

    `calls` names the functions inlined, the frame's own first; the top of the stack is its last;
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
    """A film, indexed so that any step is found at once."""

    def __init__(self, film: StepsView) -> None:
        self._film = film
        self._call = unpack(film.call)
        self._at = unpack(film.instruction)
        self._cell = unpack(film.stack)
        self._below, self._held = unpack(film.below), unpack(film.held)
        self._bound = self._by_call(unpack(film.bound))
        self._firsts = [take.first for take in film.takes]
        # rows come in the order of their steps; some guards are made before the first
        self._node_steps = [row.added.step for row in film.nodes]
        self._guard_steps = [guard.step for guard in film.guards]
        self._event_steps = [event.step for event in film.events]

    def _by_call(self, bound: Sequence[int]) -> dict[int, list[tuple[int, int, int]]]:
        found: dict[int, list[tuple[int, int, int]]] = {}
        for row in range(0, len(bound), 3):
            step, name, value = bound[row : row + 3]
            found.setdefault(self._call[step], []).append((step, name, value))
        return found

    def __len__(self) -> int:
        return len(self._call)

    def moment(self, step: int) -> Moment:
        """What is known after a step, from 0."""
        film, call = self._film, self._film.calls[self._call[step]]
        take = film.takes[self._take(step)]
        code = film.codes[call.code]
        nodes = _between(self._node_steps, take.first, step)
        return Moment(
            step=step,
            take=take,
            code=code,
            instruction=code.instructions[self._at[step]],
            calls=tuple(self._names(self._call[step]))[::-1],
            stack=tuple(film.values[value] for value in self._stack(step)),
            variables=tuple(self._variables(step)),
            nodes=tuple(n for n in film.nodes[nodes] if not 0 <= n.added.removed <= step),
            guards=film.guards[_between(self._guard_steps, take.first, step)],
            events=film.events[_between(self._event_steps, step, step)],
        )

    def _take(self, step: int) -> int:
        return bisect_right(self._firsts, step) - 1

    def _names(self, call: int) -> Iterator[str]:
        while call >= 0:
            yield self._film.codes[self._film.calls[call].code].name
            call = self._film.calls[call].parent

    def _stack(self, step: int) -> list[int]:
        return on_stack(self._cell[step], self._below, self._held)

    def _variables(self, step: int) -> Iterator[Local]:
        found: dict[str, tuple[int, int]] = {}
        for at, name, value in self._bound.get(self._call[step], ()):
            if at > step:
                break
            found[self._film.strings[name]] = (at, value)
        for name, (at, value) in found.items():
            if value >= 0:
                yield Local(name=name, value=self._film.values[value], is_new=at == step)

    def move(self, step: int, stop: Stop, forward: bool = True) -> int:
        """The step to go to; the same one where there is none."""
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
        """The call that a step belongs to, and those that it lies in."""
        call, found = self._call[step], set[int]()
        while call >= 0:
            found.add(call)
            call = self._film.calls[call].parent
        return found

    def _scan(self, step: int, forward: bool, calls: set[int]) -> int:
        """The next step of one of these calls, or the next attempt."""
        ahead = range(step + 1, len(self)) if forward else range(step - 1, -1, -1)
        take = self._take(step)
        return next((s for s in ahead if self._call[s] in calls or self._take(s) != take), step)

    def _stops(self, stop: Stop) -> list[int]:
        film = self._film
        match stop:
            case "break":
                return [e.step for e in film.events if e.kind in ("break", "restart")]
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
