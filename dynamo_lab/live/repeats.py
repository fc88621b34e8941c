"""Calls after the first: one call does not show a storm, which compiles anew in each of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.record.replay import without_trace
from dynamo_lab.view.core.words import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.live.changes import Ready
    from dynamo_lab.record.run import Program

CALLS = 4
"""The first compiles, the second may once more, because of what the first left behind."""


class Repeats(NamedTuple):
    """The graphs that each call after the first compiled, with the same arguments."""

    graphs: tuple[int, ...]

    @property
    def goes_on(self) -> bool:
        """Whether the last call compiled too, so that the next one is to be expected to."""
        return self.graphs[-1] > 0

    @property
    def told(self) -> str:
        """'3 graphs in 3 calls'."""
        return f"{plural(sum(self.graphs), 'graph')} in {plural(len(self.graphs), 'call')}"

    def __str__(self) -> str:
        return f"{sum(self.graphs)} in {len(self.graphs)}"


def without_and_with(program: Program, ready: Ready) -> tuple[Repeats, Repeats] | None:
    """What calls after the first compile, without a change and with it; None if they fail."""
    plain = repeated(program)
    with ready.on():
        changed = repeated(ready.program)
    return (plain, changed) if plain and changed else None


def repeated(program: Program) -> Repeats | None:
    """What calls after the first compile; None if one of them fails.

    Dynamo alone runs: what it hands over is counted, and called as it is.
    """
    from dynamo_lab.capture.core.compat import many_ways

    counted = 0

    def backend(graph: Any, _: Any) -> Callable[..., Any]:
        nonlocal counted
        counted += 1
        return graph.forward

    after = list[int]()
    with without_trace(program.roots()), many_ways():
        call = call_of(program, backend)
        try:
            for _ in range(CALLS):
                call()
                after.append(counted)
        except Exception:
            return None
    return Repeats(tuple(now - before for before, now in pairwise(after)))


def call_of(
    program: Program, backend: str | Callable[..., Any] | None = None
) -> Callable[[], object]:
    """A call of the program, compiled apart; `backend` in place of the one that was chosen."""
    from dynamo_lab.capture.core.compiled_apart import compiled_apart
    from dynamo_lab.capture.core.running import call_once

    choice = program.choice
    fn, args, kwargs = program.call()
    compiled = compiled_apart(
        fn,
        backend or choice.backend,
        mode=choice.mode,
        dynamic=choice.dynamic,
        fullgraph=choice.fullgraph,
        options=choice.settings,
    )
    return lambda: call_once(compiled, args, kwargs, grad=choice.grad)
