"""When the program's backwards ran, and from which lines they were called.

For a GPU autograd's engine runs in a thread of its own, so that the flight recorder sees no line of
the user's in a collective that a hook of FSDP's, or DDP's reducer, calls there. Who called the
engine waits for it: that line is the call's.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.capture.ranks import hooks
from dynamo_lab.capture.ranks.flight import frames_now, stack_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from dynamo_lab.capture.core.patches import Patches
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.model.ranks.ranks import Call

_MOST = 2000
"""As many as the flight recorder remembers calls."""


@dataclass(slots=True)
class Backward:
    """From when to when it ran, by the clock of calls, and the stack that called it."""

    stack: int | None
    start: float
    end: float = math.inf


class Backwards:
    """The backwards so far, the last ones."""

    def __init__(self) -> None:
        self._seen: deque[Backward] = deque(maxlen=_MOST)

    def begun(self, stack: int | None) -> Backward:
        """One begins now; its `end` is for the caller to set."""
        one = Backward(stack, time.time())
        self._seen.append(one)
        return one

    def placed(self, calls: Sequence[Call]) -> tuple[Call, ...]:
        """Calls of autograd's threads with the stack of the backward, where only one was running.

        One that was called inside another, as by a checkpoint, has no Python above it there.
        """
        return tuple(
            replace(call, stack=self._at(call.started))
            if call.is_backward and call.stack is None
            else call
            for call in calls
        )

    def _at(self, moment: float) -> int | None:
        running = [one for one in self._seen if one.start <= moment <= one.end]
        return running[0].stack if len(running) == 1 else None


class BackwardProbes:
    """Watches backwards, in a rank of a job that runs."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def install(self, patches: Patches) -> None:
        """Watch the engine being called; a plan has no thread of its own."""
        if self._recorder.rank is not None and self._recorder.rank.backwards is not None:
            patches.hook(hooks.BACKWARD, self.backward)

    def backward(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A backward runs."""
        rank = self._recorder.rank
        if rank is None:
            return
        begun = rank.backwards.begun(stack_of(frames_now(above=1), self._recorder.texts))
        try:
            yield
        finally:
            begun.end = time.time()
