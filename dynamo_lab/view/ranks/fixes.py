"""What to try with a job under DDP: other buckets, a static graph, gradients in the buckets.

Only what would change something is offered: not a setting that the program has, nor a size of
buckets that makes the same ones. What is not known of a job is no reason against a setting.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from dynamo_lab.errors import FixError
from dynamo_lab.model.ranks.reducers import Reduced, Reducer
from dynamo_lab.model.recording import Recording

_MB = 1 << 20
_FIRST = _MB
"""What DDP's first bucket takes at most (`_DEFAULT_FIRST_BUCKET_BYTES`)."""


class JobFix(Struct, frozen=True, kw_only=True):
    """Something to write, as `name` says it, and what it changes; `changes` are DDP's arguments.

    It concerns buckets of more than `over` bytes.
    """

    name: str
    sentence: str
    changes: dict[str, Any]
    over: int = 0

    @property
    def code(self) -> str:
        """What to write."""
        if "python_reducer" in self.changes:
            return (
                'torch._dynamo.config.optimize_ddp = "python_reducer"\n'
                "torch._dynamo.config.compiled_autograd = True"
            )
        return f"DistributedDataParallel(model, {self.name})"


def fixes_of(recording: Recording) -> tuple[JobFix, ...]:
    """The fixes for a rank's modules under DDP; none where it has none."""
    reducers = recording.rank.reducers if recording.rank else ()
    return tuple(_fixes(recording, reducers)) if reducers else ()


def _fixes(recording: Recording, reducers: Sequence[Reducer]) -> Iterator[JobFix]:
    if any(map(_has_several, reducers)):
        yield _of_size(
            max(1, math.ceil(max(map(_bytes, reducers)) / _MB) + 1),
            "All gradients of a type in one bucket: sent once the whole backward is over, with "
            "nothing to hide it.",
        )
    for half in sorted(set(_halves(recording, reducers))):
        yield _of_size(
            half, "Buckets of half the size: sent earlier, and more of them.", over=half * _MB
        )
    if not all(one.static_graph for one in reducers):
        yield JobFix(
            name="static_graph=True",
            sentence="For a model that uses the same parameters in each step: DDP finds out once.",
            changes={"static_graph": True},
        )
    if not all(one.gradient_as_bucket_view for one in reducers):
        yield JobFix(
            name="gradient_as_bucket_view=True",
            sentence="Gradients lie in the buckets: they take their memory once, and no copy.",
            changes={"gradient_as_bucket_view": True},
        )
    if any(graph.stage == "dynamo" for graph in recording.graphs):
        yield _PYTHON_REDUCER


_PYTHON_REDUCER = JobFix(
    name="python_reducer",
    sentence="The collectives are in the backward's graph, by compiled autograd.",
    changes={"python_reducer": True},
)


def _halves(recording: Recording, reducers: Sequence[Reducer]) -> Iterator[int]:
    """Half of each limit, in megabytes, of which a module has more gradients than fit."""
    most = max(map(_bytes, reducers))
    limits = [one.limit for one in reducers if one.limit] or [one.limit for one in recording.splits]
    for limit in limits:
        half = limit // _MB // 2
        if half and most > half * _MB:
            yield half


def _has_several(reducer: Reducer) -> bool:
    """Whether it has several buckets, or may have since the second step."""
    if reducer.rebuilt is not None:
        return len(reducer.rebuilt) > 1
    return _bytes(reducer) > min(_FIRST, reducer.limit or _FIRST)


def _bytes(reducer: Reducer) -> int:
    return sum(bucket.bytes for bucket in reducer.initial)


def _of_size(megabytes: int, sentence: str, over: int = 0) -> JobFix:
    return JobFix(
        name=f"bucket_cap_mb={megabytes}",
        sentence=sentence,
        changes={"bucket_cap_mb": megabytes},
        over=over,
    )


def concerning(bucket: Reduced, fixes: Sequence[JobFix]) -> tuple[str, ...]:
    """The names of the fixes that would change a bucket."""
    return tuple(one.name for one in fixes if bucket.bytes > one.over)


def fix_named(recording: Recording, name: str) -> JobFix:
    """A fix of this name, whether it is offered or not; of buckets any size.

    Raises:
        FixError: no module is under DDP, or there is no such fix.
    """
    rank = recording.rank
    if rank is None or not rank.reducers:
        raise FixError("No module of this job is wrapped in DistributedDataParallel.")
    known = fixes_of(recording)
    for one in (*known, _PYTHON_REDUCER):
        if one.name == name:
            return one
    key, _, value = name.partition("=")
    if key == "bucket_cap_mb" and value.isdecimal() and 0 < int(value) < 10**6:
        return _of_size(int(value), "Buckets of another size.")
    offered = ", ".join(one.name for one in known)
    raise FixError(f"There is no fix {name!r} for this job: use one of {offered}.")
