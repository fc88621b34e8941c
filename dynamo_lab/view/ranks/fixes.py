"""What to try with a job under DDP: other buckets, a static graph, gradients in the buckets."""

import math
from typing import Any

from msgspec import Struct

from dynamo_lab.errors import FixError
from dynamo_lab.model.recording import Recording

_MB = 1 << 20


class JobFix(Struct, frozen=True, kw_only=True):
    """Something to write, as `name` says it, and what it changes; `changes` are DDP's arguments."""

    name: str
    sentence: str
    changes: dict[str, Any]

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
    if not reducers:
        return ()
    whole = max(sum(bucket.bytes for bucket in one.initial) for one in reducers)
    limits = [one.limit for one in recording.splits]
    one_bucket = max(1, math.ceil(whole / _MB) + 1)
    return (
        _of_size(one_bucket, "All gradients in one bucket: one collective, and nothing is hidden."),
        *(
            _of_size(limit, "Buckets of half the size: sent earlier, and more of them.")
            for limit in sorted({at // _MB // 2 for at in limits} - {0})
        ),
        JobFix(
            name="static_graph=True",
            sentence="The same parameters are used in each step: DDP need not look for others.",
            changes={"static_graph": True},
        ),
        JobFix(
            name="gradient_as_bucket_view=True",
            sentence="Gradients lie in the buckets: they take their memory once, and no copy.",
            changes={"gradient_as_bucket_view": True},
        ),
        JobFix(
            name="python_reducer",
            sentence="The collectives are in the backward's graph, by compiled autograd.",
            changes={"python_reducer": True},
        ),
    )


def _of_size(megabytes: int, sentence: str) -> JobFix:
    return JobFix(
        name=f"bucket_cap_mb={megabytes}",
        sentence=sentence,
        changes={"bucket_cap_mb": megabytes},
    )


def fix_named(recording: Recording, name: str) -> JobFix:
    """A fix of this name; of buckets any size.

    Raises:
        FixError: no module is under DDP, or there is no such fix.
    """
    known = fixes_of(recording)
    if not known:
        raise FixError("No module of this job is wrapped in DistributedDataParallel.")
    for one in known:
        if one.name == name:
            return one
    key, _, value = name.partition("=")
    if key == "bucket_cap_mb" and value.isdecimal() and 0 < int(value) < 10**6:
        return _of_size(int(value), "Buckets of another size.")
    offered = ", ".join(one.name for one in known)
    raise FixError(f"There is no fix {name!r} for this job: use one of {offered}.")
