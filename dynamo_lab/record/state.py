"""What a program can reach, as it was, to restore it: tensors, containers and variables."""

from __future__ import annotations

import random
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.record.reach import attributes_of, cells_of, globals_written_by, reachable, slots_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import torch

Undo = Callable[[], bool]
"""Restores one thing; whether it had changed."""

_ABSENT = object()


class State:
    """All that is reachable from these roots, but these tensors, as it is now.

    Tensors that share memory share it afterwards. What the program keeps elsewhere is not known: an
    iterator, a file, what a library hides.
    """

    def __init__(self, roots: Iterable[Any], without: Iterable[torch.Tensor] = ()) -> None:
        import torch

        from dynamo_lab.capture.core.storages import Tensors

        found = list(reachable(roots))
        others = set(map(id, without))
        tensors = (t for t in found if isinstance(t, torch.Tensor) and id(t) not in others)
        self._tensors = Tensors(tensors)
        self._undo = [undo for thing in found for undo in _undos(thing)]
        self._kept = found  # an id must not be given to something else
        self.is_written = False
        """Whether something else than a tensor's memory had to be restored so far."""

    def put_back(self) -> list[Exception]:
        """Restore all of it; what failed, after all was tried."""
        failed = self._tensors.put_back()
        return [*failed, *self._put_python_back()]

    def rewind(self) -> list[Exception]:
        """The same, of memory only what had changed before: fast enough to be done often."""
        failed = self._tensors.rewind()
        return [*failed, *self._put_python_back()]

    def has_changed(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor's memory differs from what it was."""
        return self._tensors.has_changed(tensor)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor lies in memory that will be restored."""
        return self._tensors.holds(tensor)

    def _put_python_back(self) -> list[Exception]:
        failed: list[Exception] = []
        for undo in self._undo:
            try:
                self.is_written |= undo()
            except Exception as error:
                failed.append(error)
        return failed


def _undos(thing: Any) -> Iterator[Undo]:
    import torch

    match thing:
        case dict():
            yield _dict(cast("dict[Any, Any]", thing))
        case list() | bytearray():
            yield _list(cast("list[Any]", thing))
        case set() | deque():
            yield _bag(cast("set[Any]", thing))
        case torch.Generator() | random.Random():
            yield _generator(thing)
        case FunctionType():
            yield from _variables(thing)
        case type():
            yield _class(cast("type[Any]", thing))
        case _:
            if slots := slots_of(thing):
                yield _slots(thing, slots)
            yield from _array(thing)


def _dict(thing: dict[Any, Any]) -> Undo:
    before = list(thing.items())
    kind: Any = OrderedDict if isinstance(thing, OrderedDict) else dict

    def undo() -> bool:
        if len(before) == len(thing) and all(
            a is c and b is d for (a, b), (c, d) in zip(before, kind.items(thing), strict=True)
        ):
            return False
        kind.clear(thing)  # not the class's own, which may refuse it
        for key, value in before:
            kind.__setitem__(thing, key, value)
        return True

    return undo


def _list(thing: Any) -> Undo:
    before = list(thing)

    def undo() -> bool:
        if len(before) == len(thing) and all(a is b for a, b in zip(before, thing, strict=True)):
            return False
        thing[:] = before
        return True

    return undo


def _bag(thing: Any) -> Undo:
    before = list(thing)
    add = thing.append if hasattr(thing, "append") else thing.add

    def undo() -> bool:
        if len(before) == len(thing) and all(a is b for a, b in zip(before, thing, strict=True)):
            return False
        thing.clear()
        for item in before:
            add(item)
        return True

    return undo


def _generator(thing: Any) -> Undo:
    """A generator of random numbers; what draws from it keeps nothing else for its next call."""
    is_python = isinstance(thing, random.Random)
    put = thing.setstate if is_python else thing.set_state
    before = thing.getstate() if is_python else thing.get_state()

    def undo() -> bool:
        put(before)
        return False

    return undo


def _variables(function: FunctionType) -> Iterator[Undo]:
    """The variables of a closure, and the globals that the function writes."""
    for cell, value in cells_of(function):
        yield _attribute(cell, "cell_contents", value)
    known = function.__globals__
    for name in globals_written_by(function):
        yield _global(known, name, known.get(name, _ABSENT))


def _attribute(thing: Any, name: str, value: Any) -> Undo:
    def undo() -> bool:
        if getattr(thing, name, _ABSENT) is value:
            return False
        setattr(thing, name, value)
        return True

    return undo


def _slots(thing: Any, slots: dict[str, Any]) -> Undo:
    each = [_attribute(thing, name, value) for name, value in slots.items()]
    return lambda: any([undo() for undo in each])


def _class(kind: type) -> Undo:
    before = attributes_of(kind)

    def undo() -> bool:
        now = attributes_of(kind)
        changed = [
            name
            for name in {**before, **now}
            if now.get(name, _ABSENT) is not before.get(name, _ABSENT)
        ]
        for name in changed:
            if name in before:
                setattr(kind, name, before[name])
            else:
                delattr(kind, name)
        return bool(changed)

    return undo


def _global(known: dict[str, Any], name: str, value: Any) -> Undo:
    def undo() -> bool:
        if known.get(name, _ABSENT) is value:
            return False
        if value is _ABSENT:
            del known[name]
        else:
            known[name] = value
        return True

    return undo


def _array(thing: Any) -> Iterator[Undo]:
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return
    if isinstance(thing, numpy.random.Generator):
        bits: Any = thing.bit_generator
        yield _attribute_always(bits, "state")
    elif isinstance(thing, numpy.ndarray) and not thing.dtype.hasobject:
        yield _numbers(numpy, thing)


def _attribute_always(thing: Any, name: str) -> Undo:
    before = getattr(thing, name)

    def undo() -> bool:
        setattr(thing, name, before)
        return False

    return undo


def _numbers(numpy: Any, thing: Any) -> Undo:
    before = thing.copy()

    def undo() -> bool:
        if thing.tobytes() != before.tobytes():
            numpy.copyto(thing, before)
        return False

    return undo
