"""Changes for the length of a block, of which no interrupt leaves a part behind.

Ctrl-C may come between any two instructions: also between a change and the line that would have
noted how to undo it, and inside the undoing. So a step that undoes is registered before its change
is made, it may run twice, and while changes are made or undone an interrupt waits.
"""

import functools
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

_UNDEFINED = object()

T = TypeVar("T")
P = ParamSpec("P")


class Undo:
    """The steps that undo what was changed. Each may run more than once."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], object]] = []

    def add(self, step: Callable[..., object], *args: Any) -> None:
        """Register a step, before the change that it undoes."""
        self._steps.append(functools.partial(step, *args))

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute of an object, which may not have had it."""
        self.add(_put_back, owner, name, vars(owner).get(name, _UNDEFINED))
        setattr(owner, name, value)

    def put(self, known: dict[Any, Any], key: Any, value: Any) -> None:
        """Put an entry into a dictionary, which may not have had it."""
        self.add(_entry_back, known, key, known.get(key, _UNDEFINED))
        known[key] = value

    def set(self, config: Any, name: str, value: Any) -> None:
        """Change one of PyTorch's settings."""
        self.add(setattr, config, name, getattr(config, name))
        setattr(config, name, value)

    def run(self) -> None:
        """Undo everything, the last change first, whatever a step raises; then raise that."""
        raised: BaseException | None = None
        while self._steps:
            try:
                self._steps[-1]()
                self._steps.pop()  # only now: a step that an interrupt ended runs again
            except KeyboardInterrupt as error:
                raised = error
            except BaseException as error:
                raised = error
                self._steps.pop()
        if raised is not None:
            raise raised


def _put_back(owner: Any, name: str, value: Any) -> None:
    if value is not _UNDEFINED:
        setattr(owner, name, value)
    elif name in vars(owner):
        delattr(owner, name)


def _entry_back(known: dict[Any, Any], key: Any, value: Any) -> None:
    if value is not _UNDEFINED:
        known[key] = value
    else:
        known.pop(key, None)


class Changes(AbstractContextManager[T]):
    """Makes changes at the start of a block, and undoes them at its end.

    `make` gets the `Undo` to register steps with; what it returns is the block's. An interrupt in
    the instruction that ends the block comes before anything can be undone: then `close` does it,
    or the end of this object.
    """

    def __init__(self, make: Callable[[Undo], T]) -> None:
        self._make = make
        self._undo = Undo()

    def __enter__(self) -> T:
        try:
            return held(self._make, self._undo)
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Undo what is not undone yet."""
        try:
            held(self._undo.run)
        finally:  # if the first time was interrupted before the interrupt could be held
            held(self._undo.run)

    def __del__(self) -> None:
        if undo := vars(self).get("_undo"):  # none where even its making was interrupted
            undo.run()


class Whole(AbstractContextManager[T]):
    """A context manager that is entered and left without an interrupt.

    It may be left twice: the second time does nothing, as of a generator and of an `ExitStack`.
    """

    def __init__(self, inner: AbstractContextManager[T]) -> None:
        self._inner = inner

    def __enter__(self) -> T:
        try:
            return held(self._inner.__enter__)
        except BaseException as error:  # the interrupt that waited, or of the start itself
            held(self._inner.__exit__, type(error), error, error.__traceback__)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        try:
            return held(self._inner.__exit__, kind, error, trace)
        except KeyboardInterrupt:  # perhaps before it could be held
            held(self._inner.__exit__, kind, error, trace)
            raise


def whole(make: Callable[P, Iterator[T]]) -> Callable[P, AbstractContextManager[T]]:
    """Like `contextlib.contextmanager`; an interrupt waits while the block begins or ends."""
    made = contextmanager(make)

    @functools.wraps(make)
    def managed(*args: P.args, **kwargs: P.kwargs) -> AbstractContextManager[T]:
        return Whole(made(*args, **kwargs))

    return managed


def held(work: Callable[..., T], *args: Any) -> T:
    """The result of this work. An interrupt meanwhile, such as Ctrl-C, comes after it."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        return work(*args)  # only the main thread is interrupted
    came: list[int] = []
    try:
        try:
            signal.signal(signal.SIGINT, lambda number, _: came.append(number))
            return work(*args)
        finally:
            signal.signal(signal.SIGINT, before)
    finally:
        signal.signal(signal.SIGINT, before)  # if the line above was itself interrupted
        if came:
            signal.raise_signal(signal.SIGINT)
