"""The same work in this process, where it cannot be copied: what it leaves is put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.record.replay import without_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.record.run import Program


class Here:
    """Answers each request before it returns: Ctrl-C ends one that takes long."""

    def __init__(self, work: Callable[[bytes], bytes], program: Program) -> None:
        self._work, self._program = work, program

    def ask(self, request: bytes, stamp: str = "") -> Done:
        """The answer to this request."""
        with without_trace(self._program.roots()):
            return Done(self._work(request))

    def end(self) -> None:
        """Nothing: it is done."""


class Done:
    """A request that is answered."""

    def __init__(self, found: bytes) -> None:
        self._found = found

    def wait(self) -> bytes:
        """The answer."""
        return self._found
