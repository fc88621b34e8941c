"""The fast path in a call that is made without a compiler: the interpreter tells what it runs."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from msgspec.structs import replace
from torch import nn

from dynamo_lab.capture.fast_path.words import FORWARDS, made_so, variable_of
from dynamo_lab.model.fast_path.calls import OPERATORS, FastPathCall


def calls_of(work: Callable[[], object], root: object = None) -> tuple[FastPathCall, ...]:
    """Each call in `work`, by PyTorch's own `forward`; `root` is where paths of modules start."""
    heard = _Heard(root)
    before = sys.getprofile()
    try:
        sys.setprofile(heard.event)
        work()
    finally:
        sys.setprofile(before)
    return tuple(heard.calls)


class _Heard:
    def __init__(self, root: object) -> None:
        self.calls: list[FastPathCall] = []
        self._open: list[int] = []
        named = root.named_modules() if isinstance(root, nn.Module) else ()
        self._paths = {id(module): path for path, module in named}

    def event(self, frame: FrameType, event: str, arg: Any) -> None:
        """What CPython tells a profiler: functions that begin or return, and those written in C."""
        kind = FORWARDS.get(frame.f_code)
        if kind is None:
            return
        if event == "call":
            path = self._paths.get(id(frame.f_locals["self"]), "")
            called = FastPathCall(kind=kind, taken=False, module=path, depth=len(self._open))
            self._open.append(len(self.calls))
            self.calls.append(called)
        elif event == "c_call" and getattr(arg, "__name__", "") == OPERATORS[kind]:
            self._update(taken=True)
        elif event == "return":
            name = variable_of(frame.f_locals)
            reason = "" if name is None else str(frame.f_locals[name])
            self._update(reason=reason, made_so=made_so(frame.f_locals["self"], reason))
            self._open.pop()

    def _update(self, **changes: Any) -> None:
        at = self._open[-1]
        self.calls[at] = replace(self.calls[at], **changes)
