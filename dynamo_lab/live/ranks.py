"""A setting of DDP, tried on a job: run with it and without, in turns, and timed."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from dynamo_lab.measure.rounds import Watch
from dynamo_lab.measure.statistics import Ratio, unpaired
from dynamo_lab.record.ranks.launch import launch
from dynamo_lab.view.ranks.causes.causes import causes, known_of
from dynamo_lab.view.ranks.steps import step_seconds

if TYPE_CHECKING:
    from dynamo_lab.model.ranks.jobs import Job
    from dynamo_lab.record.ranks.work import Work
    from dynamo_lab.view.ranks.fixes import JobFix


class TriedJob(NamedTuple):
    """The last job with the fix, and the steps of each job in seconds, without and with it.

    `problem` is why there are no times, or no more than these.
    """

    fix: JobFix
    job: Job
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    problem: str = ""

    @property
    def speed(self) -> Ratio | None:
        """How many times faster a step is with it; None where nothing was timed."""
        return unpaired(self.before, self.after) if self.before and self.after else None


def try_on_job(
    work: Work, n: int, fix: JobFix, rounds: int, watch: Watch | None = None
) -> TriedJob:
    """Run the job without the fix and with it, once each a round; in each another goes first."""
    watch = watch or Watch()
    changed = replace(work, changes=fix.changes)
    times: dict[bool, list[float]] = {False: [], True: []}
    latest: Job | None = None
    started = watch.clock()
    turns = [(True, False) if number % 2 == 0 else (False, True) for number in range(rounds)]
    problem = ""
    try:
        for done, is_changed in enumerate(chain.from_iterable(turns)):
            if watch.stopped and latest is not None:
                problem = _STOPPED
                break
            which = "with" if is_changed else "without"
            total, passed = 2 * rounds, watch.clock() - started
            left = passed / done * (total - done) if done else None
            watch.tell(f"Job {done + 1} of {total}, {which} {fix.name}", done, total, left)
            job = launch(changed if is_changed else work, n)
            if is_changed or latest is None:
                latest = job
            failed = _problem(job)
            took = None if failed else step_seconds(known_of(job))
            if took is None:
                problem = f"{which.capitalize()} it: {failed or _UNTIMED}"
                break
            times[is_changed].append(took)
    except KeyboardInterrupt:
        if latest is None:
            raise  # nothing is known yet
        problem = _STOPPED
    assert latest is not None
    return TriedJob(fix, latest, tuple(times[False]), tuple(times[True]), problem)


_STOPPED = "It was stopped before all jobs had run."
_UNTIMED = (
    "the steps cannot be timed. DDP's reducer in C++ has to run, and five steps or more after the "
    "last compilation."
)


def _problem(job: Job) -> str:
    is_whole = all(one.rank and one.rank.ending.kind == "finished" for one in job.recordings)
    return "" if is_whole else next(causes(job), "not all ranks ran to their end.")
