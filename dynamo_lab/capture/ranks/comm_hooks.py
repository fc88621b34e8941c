"""How DDP reduces its buckets in a plan: through hooks in Python, the program's own or ours.

A fake process group gives no result back, and DDP's reducer in C++ ends without one. What a hook of
Python's returns it takes.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.capture.ranks import hooks

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.capture.core.undo import Undo


class _Hook(NamedTuple):
    run: Callable[[Any, Any], Any]
    state: Any
    is_programs: bool


class CommHooks:
    """The hook of each reducer that is made in a plan."""

    def __init__(self) -> None:
        self._hooks: weakref.WeakKeyDictionary[Any, list[_Hook]] = weakref.WeakKeyDictionary()
        self._register: Callable[..., None] = hooks.COMM_HOOK.get()

    def install(self, undo: Undo) -> None:
        """From now on hooks come here: a reducer takes one hook, once."""
        undo.replace(*hooks.COMM_HOOK.place(), self.registered)

    def wrapped(self, module: Any) -> None:
        """A module is under DDP: its buckets are summed until the program has its own hook."""
        reducer = module.reducer
        if reducer not in self._hooks:
            self._put(reducer, _Hook(_summed, module.process_group, is_programs=False))

    def registered(self, reducer: Any, state: Any, hook: Callable[[Any, Any], Any]) -> None:
        """In place of PyTorch's function that takes the program's hook."""
        if any(one.is_programs for one in self._hooks.get(reducer, ())):
            return self._register(reducer, state, hook)  # which says that there is one
        return self._put(reducer, _Hook(hook, state, is_programs=True))

    def _put(self, reducer: Any, hook: _Hook) -> None:
        known = self._hooks.setdefault(reducer, [])
        known.append(hook)
        if len(known) == 1:
            self._register(reducer, None, lambda _, bucket: known[-1].run(known[-1].state, bucket))


def _summed(group: Any, bucket: Any) -> Any:
    """What DDP does without a hook: the group is called without a function of Python's between."""
    import torch

    buffer = bucket.buffer()
    group.allreduce([buffer])
    future: Any = torch.futures.Future()
    future.set_result(buffer)
    return future


def answered(result: Any) -> Any:
    """The results of a collective, with a work whose future has its tensors: as a real one's.

    That of a fake group has nothing in it.
    """
    import torch

    match result:
        case (list() as tensors, torch.ScriptObject()):
            future: Any = torch.futures.Future()
            future.set_result(tensors)
            return tensors, hooks.WORK_OF.get()(future).boxed()
        case _:
            return result
