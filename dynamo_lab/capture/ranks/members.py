"""Groups that a rank has no more, and those that it is not in: what it calls on them.

Of such a group `new_group` gives a rank no group but a mark, `GroupMember.NON_GROUP_MEMBER`. With
that most collectives warn and do nothing, so no process group knows of them. Functional ones raise.
"""

from __future__ import annotations

import inspect
import sys
import traceback
import warnings
from types import FunctionType
from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.core.hooks import REAL_STACK
from dynamo_lab.capture.ranks import hooks
from dynamo_lab.capture.ranks.flight import Frame, frames_now, stack_of
from dynamo_lab.model.ranks.ranks import Outside

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from dynamo_lab.capture.core.patches import Patches
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.sources import Texts
    from dynamo_lab.capture.core.undo import Undo

_FUNCTIONAL = "_functional_collectives.py"
_MOST = 200
"""Of so many places at most it is remembered that they called."""


class OutsideCalls:
    """Each place that called, with how often."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._times: dict[tuple[str, int | None], int] = {}
        self._ended: tuple[Outside, ...] = ()

    def called(self, name: str) -> None:
        """The code that now runs has called it."""
        key = name, stack_of(frames_now(above=1), self._texts)
        if key in self._times or len(self._times) < _MOST:
            self._times[key] = self._times.get(key, 0) + 1

    def ended(self, error: BaseException) -> None:
        """The exception ended the program: perhaps a functional collective raised it."""
        frames = _marked(error)
        if frames:
            name = next(str(one["name"]) for one in frames if _is_functional(one))
            at = stack_of(frames[::-1], self._texts)
            self._ended = (Outside(name=name, has_ended_it=True, stack=at),)

    def freeze(self) -> tuple[Outside, ...]:
        """What is known so far."""
        known = tuple(self._times.items())
        warned = (Outside(name=name, times=times, stack=at) for (name, at), times in known)
        return (*warned, *self._ended)


class MemberProbes:
    """Watches PyTorch warn of such a call, modules being wrapped for such a group, groups' ends."""

    def __init__(self, recorder: Recorder, undo: Undo) -> None:
        self._recorder = recorder
        self._undo = undo

    def install(self, patches: Patches) -> None:
        """Watch, in a rank of a job, planned or not."""
        if self._recorder.rank is None:
            return
        patches.hook(hooks.DDP_MADE, self.wrapped)
        patches.hook(hooks.ENDS_GROUPS, self.ending)
        if hooks.NOT_IN_GROUP.exists:
            warns = hooks.NOT_IN_GROUP.get()

            def warned(name: str) -> None:
                patches.run(lambda: self._called(name))

            self._undo.replace(*hooks.NOT_IN_GROUP.place(), _heard(warns, warned))

    def ending(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """The program ends its groups, whose ranks are asked for before."""
        if self._recorder.rank is not None:
            self._recorder.rank.ending_groups()
        yield

    def wrapped(self, module: Any, *args: Any, **kwargs: Any) -> Generator[None, Any, None]:
        """A module is wrapped: for such a group that raises."""
        made = inspect.unwrap(hooks.DDP_MADE.get())  # a subclass may take other arguments
        given = inspect.signature(made).bind_partial(module, *args, **kwargs).arguments
        if _is_mark(given.get("process_group")):
            self._called("DistributedDataParallel")
        yield

    def _called(self, name: str) -> None:
        if self._recorder.rank is not None:
            self._recorder.rank.outside.called(name)


class _Warnings:
    """In place of the module: a warning is heard, and is of the line that it was of.

    The listener gets the name of the function that warns of itself: the collective's.
    """

    def __init__(self, listener: Callable[[str], None]) -> None:
        self._listener = listener

    def warn(self, message: Any, category: Any = None, stacklevel: int = 1) -> None:
        """Warn as PyTorch does; this function stands between."""
        self._listener(sys._getframe(2).f_code.co_name)
        warnings.warn(message, category, stacklevel + 1)


def _heard(warns: Any, listener: Callable[[str], None]) -> Any:
    """PyTorch's function with other `warnings`: a function around it would be what is warned of.

    Dynamo, which comes to it, traces the one that was.
    """
    names = {**warns.__globals__, "warnings": _Warnings(listener)}
    made: Any = FunctionType(warns.__code__, names, warns.__name__, warns.__defaults__)
    made._torchdynamo_inline = warns
    return made


def _is_mark(group: Any) -> bool:
    from torch.distributed import GroupMember

    return group is not None and group is GroupMember.NON_GROUP_MEMBER


def _marked(error: BaseException) -> list[Frame]:
    """The frames, innermost last, in which a functional collective had such a group; else none."""
    steps = list(traceback.walk_tb(error.__traceback__))
    frames = [_frame(at.f_code.co_filename, line, at.f_code.co_name) for at, line in steps]
    held = [at.f_locals.get("group") for (at, _), one in zip(steps, frames, strict=True)
            if _is_functional(one)]  # fmt: skip
    if held:
        return frames if _is_mark(held[-1]) else []
    # Dynamo, tracing it, has no such frames but the stack, and what was raised in words
    told = [_frame(one.filename, one.lineno, one.name) for one in REAL_STACK.of(error) or ()]
    return told if any(map(_is_functional, told)) and _says_mark(str(error)) else []


def _frame(path: str, line: int | None, name: str) -> Frame:
    return {"filename": path, "line": line or 1, "name": name}


def _is_functional(frame: Frame) -> bool:
    return str(frame["filename"]).endswith(_FUNCTIONAL)


def _says_mark(text: str) -> bool:
    from torch.distributed import GroupMember

    mark = GroupMember.NON_GROUP_MEMBER
    return f"Unsupported group type: {type(mark)}, {mark}" in text
