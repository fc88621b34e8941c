"""Which frame a code object is. A library's wrapper has one code for all that it calls."""

import weakref
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple


class _Known(NamedTuple):
    """A frame, and what its wrapper calls: something that returns None if that is not known."""

    code: CodeType
    frame: int
    called: Callable[[], Any]


class KnownFrames:
    """The frames by their code objects, which it keeps alive, and by what a wrapper calls.

    `torch.compile(nn.Linear(...))` compiles a function that PyTorch puts around the module, and two
    such functions share their code object. Of a code object alone, the frame is meant that was
    asked for last with what it calls: Dynamo compiles one at a time.
    """

    def __init__(self) -> None:
        # code objects compare equal by content, so two functions alike need their identities
        self._last: dict[int, _Known] = {}
        self._by_called: dict[tuple[int, int], _Known] = {}

    def find(self, code: CodeType, called: Any = None) -> int | None:
        """The frame of this code, of a wrapper with what it calls; None where there is none yet."""
        last = self._last.get(id(code))
        if called is None or last is None:
            return last.frame if last else None
        known = self._by_called.get((id(code), id(called)))
        if known is None or known.called() is not called:  # an id is free again after its object
            is_first = not any(key[0] == id(code) for key in self._by_called)
            return self.add(code, last.frame, called) if is_first else None
        self._last[id(code)] = known
        return known.frame

    def add(self, code: CodeType, frame: int, called: Any = None) -> int:
        """Remember the frame of a code object, and give it back."""
        self._last[id(code)] = known = _Known(code, frame, _weakly(called))
        if called is not None:
            self._by_called[id(code), id(called)] = known
        return frame


def _weakly(called: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(called)
    except TypeError:  # it cannot be watched, so it is not told apart
        return lambda: None
