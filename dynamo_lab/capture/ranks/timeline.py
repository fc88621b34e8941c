"""When this process computes and communicates, from PyTorch's profiler, which runs all the time."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from dynamo_lab.model.core.streams import quiet_stderr
from dynamo_lab.model.ranks.intervals import union, without
from dynamo_lab.model.ranks.names import kind_of
from dynamo_lab.model.ranks.ranks import Timeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dynamo_lab.model.ranks.intervals import Interval
    from dynamo_lab.model.ranks.ranks import Call

_MOST = 20_000
"""The most intervals of a kind that are kept, the last ones."""
_CLOCK = 1e-3
"""Seconds by which work may seem to begin before it was handed over: two clocks tell the times."""
_BACKEND = re.compile(r"(gloo|mpi|ucc|xccl):(\w+)$")
_KERNEL = re.compile(r"nccl\w*?Kernel_([A-Za-z]+?)(?:_|$)")
_WAITS = re.compile(r"(?:c10d|_c10d_functional(?:_autograd)?)::")
_OPERATOR = re.compile(r"(?!autograd::|profiler::)\w+(?:::\w+)+$")
"""An operator that does something itself: not a node of autograd, in whose hooks ranks may wait."""
_COMPILED = re.compile(r"## Call CompiledFxGraph")


class _Work(NamedTuple):
    """A collective that ran: its kind, such as "allreduce"; `elements` is None if not known."""

    kind: str
    ran: Interval
    elements: int | None = None


class Profile:
    """PyTorch's profiler around a program; `timeline` and `timed` are for when it is over."""

    def __init__(self) -> None:
        import torch
        from torch.profiler import ProfilerActivity, profile

        known = [ProfilerActivity.CPU]
        if torch.cuda.is_available():
            known.append(ProfilerActivity.CUDA)
        self._watched = profile(activities=known, record_shapes=True)
        self._work: list[_Work] = []
        self.timeline: Timeline | None = None

    def __enter__(self) -> Profile:
        with quiet_stderr():
            self._watched.start()
        return self

    def __exit__(self, *_: object) -> None:
        with quiet_stderr():
            self._watched.stop()

    def read(self) -> None:
        """Take what was measured; the profiler is over then."""
        profiler: Any = self._watched.profiler
        events: list[Any] = list(profiler.kineto_results.events())
        on_gpu = [one for one in events if one.device_type().name == "CUDA"]
        own = on_gpu or [one for one in events if one.device_type().name == "CPU"]
        self._work = sorted(_kernels(on_gpu) if on_gpu else _backends(own), key=lambda w: w.ran)
        busy = union(_other_kernels(on_gpu) if on_gpu else _operators(own))
        if not on_gpu:
            busy = without(busy, union(_span(one) for one in own if _WAITS.match(one.name())))
        talks = union(work.ran for work in self._work)
        cut = max((found[-_MOST][0] for found in (busy, talks) if len(found) > _MOST), default=None)
        begin = min((_span(one)[0] for one in events), default=0.0)
        self.timeline = Timeline(
            device="cuda" if on_gpu else "cpu",
            start=begin if cut is None else cut,
            computing=tuple(busy[-_MOST:]),
            communicating=tuple(talks[-_MOST:]),
        )

    def timed(self, calls: Sequence[Call]) -> tuple[Call, ...]:
        """The calls, with the times at which those ran that can be told from others.

        A backend begins its work in the order of the calls. NCCL's kernels are told apart by that
        order alone: where there are more or fewer of a kind than calls, none of it is.
        """
        is_gpu = self.timeline is not None and self.timeline.device != "cpu"
        found: list[Call] = list(calls)
        for kind in {work.kind for work in self._work}:
            works = [work for work in self._work if work.kind == kind]
            own = [at for at, call in enumerate(calls) if kind_of(call.name) == kind]
            if is_gpu and len(own) != len(works):
                continue
            for at, work in _pairs(calls, own, works):
                found[at] = replace(calls[at], ran=work.ran)
        return tuple(found)


def _pairs(
    calls: Sequence[Call], own: Sequence[int], works: Sequence[_Work]
) -> Iterator[tuple[int, _Work]]:
    """The calls of a kind, each with the first work that is not another's and can be its own."""
    left = list(works)
    for at in own:
        call = calls[at]
        elements = sum(map(prod, call.sizes))
        for place, work in enumerate(left):
            is_later = work.ran[0] + _CLOCK >= call.started
            if is_later and work.elements in (None, elements):
                yield at, left.pop(place)
                break


def _span(event: Any) -> Interval:
    start = event.start_ns() / 1e9
    return start, start + event.duration_ns() / 1e9


def _kernels(events: Iterable[Any]) -> Iterator[_Work]:
    for one in events:
        if found := _KERNEL.search(one.name()):
            yield _Work(kind_of(found[1]), _span(one))


def _other_kernels(events: Iterable[Any]) -> Iterator[Interval]:
    for one in events:
        is_work = not one.is_user_annotation() and "nccl" not in one.name().lower()
        if is_work and one.duration_ns() > 0:
            yield _span(one)


def _backends(events: Iterable[Any]) -> Iterator[_Work]:
    for one in events:
        if found := _BACKEND.match(one.name()):
            sizes = list(one.shapes())
            yield _Work(kind_of(found[2]), _span(one), sum(map(prod, sizes)) if sizes else None)


def _operators(events: Iterable[Any]) -> Iterator[Interval]:
    for one in events:
        name = one.name()
        is_operator = _OPERATOR.match(name) and not _WAITS.match(name)
        if is_operator or _COMPILED.match(name):
            yield _span(one)
