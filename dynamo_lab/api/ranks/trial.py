"""A setting of DDP that was tried on a job: what became of its buckets and of its steps."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from dynamo_lab.view.core.words import plural, seconds, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynamo_lab.live.ranks import TriedJob
    from dynamo_lab.measure.statistics import Ratio
    from dynamo_lab.model.ranks.jobs import Job
    from dynamo_lab.view.messages import JobTrialOutcome


class JobTrial:
    """Print it. `speed` is how many times faster a step is, `job` the last job with the setting.

    `before` and `after` are the seconds of a step, of each job without and with it: the median of
    the slowest rank. `problem` is why there are no more of them.
    """

    def __init__(self, before: Job, tried: TriedJob) -> None:
        self._before = before
        self.fix = tried.fix
        self.job = tried.job
        self.before, self.after = tried.before, tried.after
        self.speed: Ratio | None = tried.speed
        self.problem = tried.problem

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    @property
    def is_faster(self) -> bool | None:
        """Whether a step is faster with it; None where no difference can be told."""
        return self.speed.value > 1 if self.speed is not None and self.speed.differs else None

    def outcome(self) -> JobTrialOutcome:
        """What a view shows of it, as JSON."""
        return {
            "fix": self.fix.name,
            "sentences": list(self.sentences()),
            "is_faster": self.is_faster,
        }

    def _lines(self) -> Iterator[str]:
        yield f"tried {self.fix.name}: {self.fix.sentence}"
        yield ""
        yield from self.sentences()
        if self.is_faster:
            yield from ("", "Write:", *(f"    {line}" for line in self.fix.code.split("\n")))

    def sentences(self) -> Iterator[str]:
        """What became of the buckets and of a step, and what was not looked at."""
        yield f"buckets: {_buckets(self._before)} -> {_buckets(self.job)}"
        if self.speed is not None:
            jobs = plural(len(self.before), "job")
            a, b = (seconds(statistics.median(one)) for one in (self.before, self.after))
            yield f"a step: {a} -> {b}, {self.speed.sentence}; medians of {jobs} of each, in turns"
        if self.problem:
            yield self.problem
        yield "What the program computes was not compared."


def _buckets(job: Job) -> str:
    """The buckets of a step, of the first rank: '2.1 MB, 2.1 MB and 68 kB'."""
    rank = job.recordings[0].rank
    reducers = rank.reducers if rank else ()
    if not reducers:
        return "none in C++"
    return "; ".join(
        _sizes([one.bytes for one in each.rebuilt or each.initial]) for each in reducers
    )


def _sizes(sizes: Sequence[int]) -> str:
    shown = ", ".join(size(one) for one in sizes[:6])
    return f"{shown} and {len(sizes) - 6} more" if len(sizes) > 6 else shown
