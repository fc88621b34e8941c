"""The modules that this process wraps in DDP, and the buckets that DDP says it made for each."""

from __future__ import annotations

import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.capture.ranks import hooks
from dynamo_lab.model.ranks.reducers import Reduced, Reducer

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from dynamo_lab.capture.core.patches import Patches
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.capture.core.sources import Texts

_IN_THE_REDUCER = ("_engine_run_backward", "_pre_forward", "_post_forward")
"""Functions during which DDP may hold the lock that its log is read under: also while it waits."""

_LOOKS = 20
"""After so many backwards DDP is asked no more: its buckets are rebuilt once, after the first."""


class Reducers:
    """Each wrapped module, with what its buckets were when it could last be asked.

    DDP writes its log as a step begins. `is_planned`: it is written when it is asked, too, so that
    what two steps tell is known after two.
    """

    def __init__(self, texts: Texts, *, is_planned: bool = False) -> None:
        self._texts = texts
        self._is_planned = is_planned
        self._main = threading.main_thread().ident
        self._known: list[tuple[weakref.ref[Any], Reducer]] = []

    def wrapped(self, module: Any) -> None:
        """A module was wrapped by the code that now runs."""
        log = _log_of(module)
        sizes = _numbers(log.get("bucket_sizes"))
        if not sizes or hooks.IN_PYTHON.of(module):
            return  # the reducer in Python has no buckets: the one in C++ is made, and rests
        names = _names(module) if len(sizes) == 1 else ()
        first = tuple(Reduced(bytes=size, parameters=names) for size in sizes)
        group = _group_of(module)
        made = Reducer(
            group=group,
            initial=first,
            span=self._texts.users_span_from(sys._getframe()),
            limit=getattr(module, "bucket_bytes_cap", None),
            static_graph=getattr(module, "static_graph", None),
            gradient_as_bucket_view=getattr(module, "gradient_as_bucket_view", None),
        )
        self._known.append((weakref.ref(module), made))

    def freeze(self) -> tuple[Reducer, ...]:
        """What is known so far."""
        if self._may_ask():
            self._known = [(module, self._asked(module(), known)) for module, known in self._known]
        return tuple(known for _, known in self._known)

    def _asked(self, module: Any, known: Reducer) -> Reducer:
        if module is None or known.rebuilt is not None:
            return known
        if self._is_planned and hooks.WORLD.get().pg_names:  # its groups are still there
            module.logger.set_runtime_stats_and_log()
        return _rebuilt(module, known)

    def _may_ask(self) -> bool:
        """Whether no lock of DDP's is held: the main thread is at work elsewhere."""
        frame = sys._current_frames().get(self._main or 0)
        while frame is not None:
            if frame.f_code.co_name in _IN_THE_REDUCER:
                return False
            frame = frame.f_back
        return True


class ReducerProbes:
    """Watches modules being wrapped, and backwards, in a rank of a job."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._backwards = 0

    def install(self, patches: Patches) -> None:
        """Watch DDP being made, and what it does: buckets are rebuilt after the first backward."""
        if self._recorder.rank is not None:
            patches.hook(hooks.DDP_MADE, self.made)
            patches.hook(hooks.BACKWARD, self.backward)

    def made(self, module: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A module is wrapped."""
        yield
        if self._recorder.rank is not None:
            self._recorder.rank.wrapped(module)

    def backward(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A backward runs; the module may be gone when the rank is asked next."""
        is_traced = hooks.is_traced()
        yield
        self._backwards += not is_traced
        if self._recorder.rank is not None and self._backwards <= _LOOKS:
            self._recorder.rank.reduced()


def _rebuilt(module: Any, known: Reducer) -> Reducer:
    log = _log_of(module)
    sizes = _numbers(log.get("rebuilt_bucket_sizes"))
    members = [
        _numbers(one, " ")
        for one in str(log.get("rebuilt_per_bucket_param_indices", "")).split(",")
    ]
    names = _names(module)
    if (
        not sizes
        or len(sizes) != len(members)
        or any(at >= len(names) for own in members for at in own)
    ):
        return known
    rebuilt = tuple(
        Reduced(bytes=size, parameters=tuple(names[at] for at in own))
        for size, own in zip(sizes, members, strict=True)
    )
    return replace(known, rebuilt=rebuilt)


def _log_of(module: Any) -> Mapping[str, Any]:
    """DDP's own log of itself; empty where it has none, as with the reducer in Python."""
    if getattr(module, "logger", None) is None:
        return {}
    return hooks.DDP_LOG.get()(module)


def _numbers(text: Any, separator: str = ",") -> list[int]:
    return [int(one) for one in str(text or "").split(separator) if one.strip()]


def _names(module: Any) -> tuple[str, ...]:
    """The parameters that DDP reduces, in the order in which it counts them."""
    ignored = getattr(module, "parameters_to_ignore", ())
    return tuple(_reduced(module.module, ignored))


def _reduced(module: Any, ignored: Any) -> Iterator[str]:
    for name, parameter in module.named_parameters():
        if parameter.requires_grad and name not in ignored:
            yield name


def _group_of(module: Any) -> str:
    group = getattr(module, "process_group", None)
    return str(hooks.WORLD.get().pg_names.get(group, ""))
