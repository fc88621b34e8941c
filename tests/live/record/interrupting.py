"""Interrupts at chosen lines, and all that a recording could leave behind."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo
import torch._functorch.config
import torch._inductor.config
from torch._dynamo import convert_frame, trace_rules

import dynamo_lab
from dynamo_lab.capture import session
from dynamo_lab.capture.core.undo import Undo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    import pytest

OURS = str(Path(dynamo_lab.__file__).parent)
BETWEEN = (contextlib.__file__,)
"""What runs between our own lines when a block begins or ends."""

BODIES = {("running.py", "run"), ("lowered.py", "lower_once"), ("compiled_cell.py", "run_frame")}
"""The functions that run the recorded program: an interrupt there is any program's."""

Point = tuple[str, int, str, int]
"""A line or call: the file, the line, the kind of event, and which time it came."""


class Changed:
    """Remembers each attribute that is replaced, and what it was at first."""

    def __init__(self) -> None:
        self.before: dict[tuple[int, str], tuple[Any, str, Any]] = {}

    def spy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        replace = Undo.replace

        def noted(undo: Undo, owner: Any, name: str, value: Any) -> None:
            known = (owner, name, vars(owner).get(name, "nothing"))
            self.before.setdefault((id(owner), name), known)
            replace(undo, owner, name, value)

        monkeypatch.setattr(Undo, "replace", noted)

    def now(self) -> list[str]:
        """The attributes that are not what they were."""
        held = self.before.values()
        return [name for owner, name, was in held if vars(owner).get(name, "nothing") is not was]


def state() -> dict[str, Any]:
    """What else could stay changed."""
    return {
        "inductor": torch._inductor.config.get_config_copy(),
        "functorch": torch._functorch.config.get_config_copy(),
        "dynamo": torch._dynamo.config.get_config_copy(),
        "bytecode hooks": dict(convert_frame._bytecode_hooks),
        "skipped": list(trace_rules.SKIP_DIRS),
        "interrupt": signal.getsignal(signal.SIGINT),
        "running": dict(session._running),
        "environment": dict(os.environ),
        "gradients": torch.is_grad_enabled(),
        "default dtype": torch.get_default_dtype(),
        "function modes": torch._C._len_torch_function_stack(),
        "random": torch.get_rng_state().tolist()[:8],
    }


def differences(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """What is not as it was, before and now; of settings those that changed alone."""
    found: dict[str, Any] = {}
    for name, value in now.items():
        was = before[name]
        if value == was:
            continue
        if isinstance(value, dict):
            keys = [key for key in {**was, **value} if was.get(key) != value.get(key)]
            was, value = ({key: one.get(key) for key in keys} for one in (was, value))
        found[name] = (was, value)
    return found


class Tracer:
    """Counts lines and calls of our own files, and strikes at one of them."""

    def __init__(self, at: Point | None = None, strike: Callable[[], None] | None = None) -> None:
        self._at, self._strike = at, strike
        self._counts: Counter[tuple[str, int, str]] = Counter()
        self._body: FrameType | None = None

    def __call__(self, frame: FrameType, event: str, _: object) -> Any:
        path, name = frame.f_code.co_filename, frame.f_code.co_name
        if self._body is None and (os.path.basename(path), name) in BODIES:
            self._body = frame
            return self
        if self._body is not None:
            self._body = None if (self._body, event) == (frame, "return") else self._body
            return None
        if (not path.startswith(OURS) and path not in BETWEEN) or _is_end_of_an_object(frame):
            return None
        if event in ("line", "call"):
            place = (path, frame.f_lineno, event)
            self._counts[place] += 1
            if self._strike and self._at == (*place, self._counts[place]):
                self._at = None
                self._strike()
        return self

    def points(self, *, all_times: bool = False) -> Iterator[Point]:
        """Each line or call, every time it came or the first and the last time."""
        for place, count in self._counts.items():
            for time in range(1, count + 1) if all_times else sorted({1, count}):
                yield (*place, time)


def _is_end_of_an_object(frame: FrameType) -> bool:
    """Python ignores what is raised there."""
    caller = frame.f_back
    return "__del__" in (frame.f_code.co_name, caller.f_code.co_name if caller else "")


def run(act: Callable[[], None], tracer: Tracer) -> bool:
    """Do it under the tracer; whether an interrupt came out."""
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        act()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def raises() -> None:
    """As if an interrupt came at exactly this line."""
    raise KeyboardInterrupt


def signals() -> None:
    """What Ctrl-C does."""
    signal.raise_signal(signal.SIGINT)
