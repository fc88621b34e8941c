"""Collectives that this rank calls on process groups that it is not in.

Of such a group `new_group` gives a rank no group but a mark, `GroupMember.NON_GROUP_MEMBER`. With
that most collectives warn and do nothing, so no process group knows of them.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.ranks import hooks
from dynamo_lab.capture.ranks.flight import frames_now, stack_of
from dynamo_lab.model.ranks.ranks import Outside

if TYPE_CHECKING:
    from collections.abc import Generator

    from dynamo_lab.capture.core.patches import Patches
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.sources import Texts

_MOST = 200
"""Of so many places at most it is remembered that they called."""


class OutsideCalls:
    """Each place that called, with how often."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._times: dict[tuple[str, int | None], int] = {}

    def called(self, name: str) -> None:
        """The code that now runs has called it."""
        key = name, stack_of(frames_now(above=1), self._texts)
        if key in self._times or len(self._times) < _MOST:
            self._times[key] = self._times.get(key, 0) + 1

    def freeze(self) -> tuple[Outside, ...]:
        """What is known so far."""
        known = tuple(self._times.items())
        return tuple(Outside(name=name, times=times, stack=at) for (name, at), times in known)


class OutsideProbes:
    """Watches PyTorch warn of such a call, and modules being wrapped for such a group."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def install(self, patches: Patches) -> None:
        """Watch, in a rank of a job, planned or not."""
        if self._recorder.rank is None:
            return
        patches.hook(hooks.NOT_IN_GROUP, self.warned)
        patches.hook(hooks.DDP_MADE, self.wrapped)
        if hooks.NOT_IN_GROUP.exists:  # Dynamo, which comes to it, traces it as it was
            owner, name = hooks.NOT_IN_GROUP.place()
            watched = getattr(owner, name)
            watched._torchdynamo_inline = watched.__wrapped__

    def warned(self, name: str, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """PyTorch warns that this collective does nothing."""
        self._called(name)
        yield

    def wrapped(self, module: Any, *args: Any, **kwargs: Any) -> Generator[None, Any, None]:
        """A module is wrapped: for such a group that raises."""
        made = inspect.unwrap(type(module).__init__)
        given = inspect.signature(made).bind_partial(module, *args, **kwargs).arguments
        if _is_mark(given.get("process_group")):
            self._called("DistributedDataParallel")
        yield

    def _called(self, name: str) -> None:
        if self._recorder.rank is not None:
            self._recorder.rank.outside.called(name)


def _is_mark(group: Any) -> bool:
    from torch.distributed import GroupMember

    return group is not None and group is GroupMember.NON_GROUP_MEMBER
