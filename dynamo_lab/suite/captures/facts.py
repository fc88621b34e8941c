"""What became of a program in each way of capturing it, and the file that stores that."""

import os
from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct

from dynamo_lab.suite.lines import read_lines

Way = Literal["eager", "dynamo", "script", "export"]
"""How a program is tried: as it is, by `torch.compile`, `torch.jit.script`, `torch.export`."""

WAYS: tuple[Way, ...] = get_args(Way)

Verdict = Literal[
    "whole", "breaks", "parts", "nothing", "failed", "crashed", "timed out", "out of memory"
]
"""Eager is "whole" if it runs. Of Dynamo, "breaks" has graphs with breaks between, "parts" several
without one, and "nothing" none."""


class Outcome(Struct, frozen=True, array_like=True):
    """What became of a program in one way, and the first line of why."""

    verdict: Verdict
    reason: str = ""


class Captured(Struct, frozen=True, kw_only=True):
    """What became of a program. A way that was not come to has no outcome.

    `breaks` counts Dynamo's graph breaks by their kind, in PyTorch's words. `seconds` is what
    finding out took, with building the program. `of` is how many programs its family has, 0 where
    that was not recorded, and `seed` that of the random sample that the program is of, if any.
    """

    program: str
    family: str
    outcomes: dict[Way, Outcome] = {}
    graphs: int | None = None
    breaks: dict[str, int] = {}
    seconds: float = 0.0
    software: str = ""
    of: int = 0
    seed: int | None = None

    @property
    def runs(self) -> bool:
        """Whether eager PyTorch runs it, so that it counts."""
        return self.is_whole("eager")

    def is_whole(self, way: Way) -> bool:
        """Whether it is captured whole in this way."""
        outcome = self.outcomes.get(way)
        return outcome is not None and outcome.verdict == "whole"


def read(path: str | os.PathLike[str], must_exist: bool = True) -> tuple[Captured, ...]:
    """The facts in a file, the last of each program.

    Raises:
        SuiteError: there is no such file, or nothing in it is such a fact.
    """
    facts = read_lines(path, Captured, must_exist).facts
    return tuple({fact.program: fact for fact in facts}.values())


def still_to_do(programs: Iterable[str], known: Iterable[Captured]) -> list[str]:
    """The programs that no fact is about."""
    done = {fact.program for fact in known}
    return [name for name in programs if name not in done]
