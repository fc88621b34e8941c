"""The lines that write a value, found by watching it while the program runs eagerly."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.capture.core.values import describe, reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import CodeType, FrameType

_ABSENT = "nothing"
_DEEPEST = 60
"""The most callers that are named of a line."""


class At(NamedTuple):
    """A line that was running, in which function, and of which class that is a method."""

    path: str
    line: int
    function: str
    owner: str


class Write(NamedTuple):
    """A change of the value. `stack` goes from the line that wrote it to its callers.

    `is_passed`: the line called the compiled function with another value.
    """

    was: str
    now: str
    stack: tuple[At, ...]
    is_passed: bool


class Watching:
    """Watches the value with Dynamo's name `source` in the calls of a function.

    It reads the value at each line of Python that runs: a change belongs to the line before.
    """

    def __init__(self, source: str, is_watched: Callable[[CodeType], bool]) -> None:
        self.writes: list[Write] = []
        self.calls = 0
        self._read = reader(source)
        self._is_watched = is_watched
        self._scope: Mapping[str, Any] = {}
        self._known = ""
        self._at: FrameType | None = None
        self._line = 0

    def trace(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        """Python is about to run a line, to call or to return: what `sys.settrace` wants."""
        if self._scope:
            self._compare(self._at, self._line, is_passed=False)
        if event == "call" and self._is_watched(frame.f_code):
            self._begin(frame)
        if event == "return":
            self._at = frame.f_back
            self._line = frame.f_back.f_lineno if frame.f_back else 0
        else:
            self._at, self._line = frame, frame.f_lineno
        return self.trace

    def _begin(self, frame: FrameType) -> None:
        """The compiled function is called: perhaps with another object."""
        self.calls += 1
        self._scope = {"L": dict(frame.f_locals), "G": frame.f_globals}
        caller = frame.f_back
        self._compare(caller, caller.f_lineno if caller else 0, is_passed=True)

    def _compare(self, frame: FrameType | None, line: int, *, is_passed: bool) -> None:
        now = self._now()
        if self._known and now != self._known:
            stack = tuple(_stack(frame, line))
            self.writes.append(Write(self._known, now, stack, is_passed))
        self._known = now

    def _now(self) -> str:
        try:
            return describe(self._read(self._scope))
        except LookupError:
            return _ABSENT

    def end(self) -> None:
        """Let go of the program's objects."""
        self._scope, self._at = {}, None


def _stack(frame: FrameType | None, line: int) -> Iterator[At]:
    for _ in range(_DEEPEST):
        if frame is None:
            return
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount]
        held = frame.f_locals.get("self") if names[:1] == ("self",) else None
        owner = type.__getattribute__(type(held), "__name__") if held is not None else ""
        yield At(code.co_filename, line, code.co_name, owner)
        frame = frame.f_back
        line = frame.f_lineno if frame else 0


@whole
def watched(watching: Watching) -> Iterator[None]:
    """Watch in the block: what is compiled runs eagerly, a line at a time."""
    before = sys.gettrace()
    with torch.compiler.set_stance("force_eager"):
        sys.settrace(watching.trace)
        try:
            yield
        finally:
            sys.settrace(before)
            watching.end()
