"""Watch functions of PyTorch without changing what they do, and without a trace afterwards."""

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from dynamo_lab.capture.core.hooks import SET_EVAL_FRAME
from dynamo_lab.capture.core.private import Private
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.errors import AbsentError

Probe = Callable[..., Generator[None, Any, None]]
"""A generator function with the watched function's arguments: it runs up to its `yield` before the
call, gets the result from the `yield`, or has the call's exception thrown into it."""

T = TypeVar("T")

_UNDEFINED = object()


class _Held(Generic[T]):
    """What a wrapper calls, until the recording is over: PyTorch may keep the wrapper for ever."""

    def __init__(self, value: T) -> None:
        self.value: T | None = value

    def let_go(self) -> None:
        self.value = None


def _unheard(_probe: str, _error: BaseException) -> None:
    """Where what fails is reported after the recording."""


class _Unseen:
    """Keeps Dynamo from compiling what a probe calls.

    A backward can be compiled in the middle of a program that runs under Dynamo, and then every
    Python function called there is one more frame for it to look at.
    """

    def __init__(self, set_eval_frame: Callable[[Any], Any]) -> None:
        self._set = set_eval_frame

    def __enter__(self) -> None:
        self._callback = self._set(None)

    def __exit__(self, *_: object) -> None:
        self._set(self._callback)


class Patches:
    """Wraps functions with probes. A probe that fails is reported and never reaches the program."""

    def __init__(
        self, report: Callable[[str, BaseException], None], lock: threading.RLock, undo: Undo
    ) -> None:
        self._report = report
        self._lock = lock  # held while a probe runs, not while the watched function does
        self._undo = undo
        self._held: list[_Held[Any]] = []
        undo.add(self._end)  # before any function: so it is the last to be undone
        self._set_eval_frame = SET_EVAL_FRAME.get()
        self._absent: set[str] = set()
        self.missing: list[str] = []

    def hook(self, row: Private, probe: Probe) -> None:
        """Run `probe` around every call of a private function, if this torch has it."""
        if row.exists:
            self.watch(*row.place(), probe)

    def hear(self, row: Private, listener: Callable[..., None]) -> None:
        """Listen to a private function, if this torch has it."""
        if row.exists:
            self.listen(*row.place(), listener)

    def watch(self, owner: Any, name: str, probe: Probe) -> None:
        """Run `probe` around every call of `owner.name`; add a note if this torch lacks that."""
        self._replace(owner, name, lambda function: self._wrap(function, probe))

    def listen(self, owner: Any, name: str, listener: Callable[..., None]) -> None:
        """Call `listener` with the result and the arguments of every call, after it.

        For functions that are called very often: no lock is held, and Dynamo is not kept away.
        """
        self._replace(owner, name, lambda function: self.heard(function, listener))

    def run(self, work: Callable[[], None]) -> None:
        """Do something of ours in the middle of the program, as a probe is run."""

        def probe() -> Generator[None, Any, None]:
            work()
            yield

        self._start(probe, (), {})

    def heard(
        self, function: Callable[..., Any], listener: Callable[..., None]
    ) -> Callable[..., Any]:
        """The function with a listener, to put where it is kept."""
        held = self._hold(listener)

        @functools.wraps(function)
        def heard(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            listener = held.value
            if listener is not None:
                try:
                    listener(result, *args, **kwargs)
                except Exception as error:
                    self._failed(listener.__name__, error)
            return result

        return heard

    def _hold(self, value: T) -> _Held[T]:
        held = _Held(value)
        self._held.append(held)
        return held

    def _replace(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        raw = inspect.getattr_static(owner, name, _UNDEFINED)
        if raw is _UNDEFINED:
            self.missing.append(f"{getattr(owner, '__name__', owner)}.{name}")
            return
        if isinstance(raw, classmethod | staticmethod):
            wrapped: Any = type(raw)(wrap(raw.__func__))
        else:
            wrapped = wrap(raw)
        self._undo.replace(owner, name, wrapped)

    def _wrap(self, function: Callable[..., Any], probe: Probe) -> Callable[..., Any]:
        held = self._hold(probe)

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            probe = held.value
            if probe is None:
                return function(*args, **kwargs)
            watcher = self._start(probe, args, kwargs)
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                self._fail(probe, watcher, error)
                raise
            self._finish(probe, watcher, result)
            return result

        return watched

    def _start(self, probe: Probe, args: Any, kwargs: Any) -> Generator[None, Any, None] | None:
        try:
            with self._lock, _Unseen(self._set_eval_frame):
                watcher = probe(*args, **kwargs)
                next(watcher)
        except StopIteration:
            return None
        except Exception as error:
            self._failed(probe.__name__, error)
            return None
        return watcher

    def _finish(
        self, probe: Probe, watcher: Generator[None, Any, None] | None, result: Any
    ) -> None:
        if watcher is None:
            return
        try:
            with self._lock, _Unseen(self._set_eval_frame):
                watcher.send(result)
        except StopIteration:
            pass
        except Exception as error:
            self._failed(probe.__name__, error)

    def _fail(
        self, probe: Probe, watcher: Generator[None, Any, None] | None, error: BaseException
    ) -> None:
        if watcher is None:
            return
        # throw() would add the probe's frames to the traceback that the user is going to see
        traceback: TracebackType | None = error.__traceback__
        try:
            with self._lock, _Unseen(self._set_eval_frame):
                watcher.throw(error)
        except StopIteration:
            pass
        except BaseException as raised:
            if raised is not error:
                self._failed(probe.__name__, raised)
        finally:
            error.__traceback__ = traceback

    def _failed(self, probe: str, error: BaseException) -> None:
        """Report a probe's failure; that PyTorch lacks a name once, as it is met at every event."""
        if isinstance(error, AbsentError):
            if error.path in self._absent:
                return
            self._absent.add(error.path)
        self._report(probe, error)

    def _end(self) -> None:
        """A wrapper may outlive the recording: from now on it does nothing and holds nothing."""
        for held in self._held:
            held.let_go()
        self._held.clear()
        self._report = _unheard


class Probes(Protocol):
    """What watches one noun."""

    def install(self, patches: Patches) -> None:
        """Put probes around what is to be watched."""
        ...
