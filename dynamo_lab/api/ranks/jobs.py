"""Programs of several ranks, run here and recorded on each, or joined from recordings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from msgspec import structs

from dynamo_lab.api.diff import diff
from dynamo_lab.api.recording import Recording, run
from dynamo_lab.api.settings import EVALUATES_NOTHING, settings
from dynamo_lab.api.traces import Ranks
from dynamo_lab.errors import DynamoLabError, FixError, OptionError
from dynamo_lab.model.ranks import jobs

ROUNDS = 7
"""So many jobs with a setting, and without, are the fewest after which a difference is told."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.api.diff import Diff
    from dynamo_lab.api.ranks.trial import JobTrial
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.ranks.jobs import Job
    from dynamo_lab.model.recording import Recording as Facts
    from dynamo_lab.record.ranks.work import Work
    from dynamo_lab.render.waiting import Waiting
    from dynamo_lab.render.widget import Runs
    from dynamo_lab.view.messages import Outcome
    from dynamo_lab.view.ranks.collectives import CollectivesView, MeetingView
    from dynamo_lab.view.ranks.fixes import JobFix
    from dynamo_lab.view.ranks.ranks import RanksView


def ranks(
    fn: Callable[[], Any] | str | Path,
    n: int,
    backend: str = "gloo",
    timeout: float = 60.0,
    arguments: tuple[str, ...] = (),
    profile: bool = False,
) -> JobRecording:
    """Run a program as n processes of one job on this machine, and record each.

    PyTorch's launcher starts them. A function is called without arguments on each rank, with the
    default process group made (`torch.distributed.get_rank()` says which rank it is); a script
    makes its own. A rank that raises, dies, stands still or waits forever leaves what was recorded
    so far, and the job says which it was, and where. Afterwards all processes are gone.

    Args:
        fn: A function that is defined at the top of a module, or the path of a script.
        n: How many ranks.
        backend: The backend of a function's process group: "gloo"; or "nccl", for which rank N
            has GPU N as its current device; or "fake": nothing is run. Then it is the plan of the
            job, made in this process of fake groups and fake tensors: one rank of each kind is
            traced and stands for the others. Any function will do, and up to 1,024 ranks.
        timeout: The seconds that the job has, from its start; then it is ended.
        arguments: A script's arguments.
        profile: Run each rank under PyTorch's profiler, which tells when it computed and when it
            communicated: how much of the communication is hidden. It slows small programs.

    Raises:
        OptionError: other processes cannot find the function, or an option has an invalid value.
    """
    from dynamo_lab.record.ranks.launch import launch
    from dynamo_lab.record.ranks.work import work_of

    if backend == "fake":
        return _planned(fn, n, timeout, tuple(arguments), profile)
    work = work_of(fn, tuple(arguments), backend=backend, limit=timeout, is_profiled=profile)
    return JobRecording(launch(work, n), work)


def _planned(
    fn: Callable[[], Any] | str | Path,
    n: int,
    timeout: float,
    arguments: tuple[str, ...],
    profile: bool,
) -> JobRecording:
    from dynamo_lab.record.ranks.plan import plan
    from dynamo_lab.record.ranks.work import work_here, work_of

    if profile:
        raise OptionError("A plan runs nothing, so there is nothing to profile: leave profile out.")
    if callable(fn):
        return JobRecording(plan(work_here(fn, limit=timeout), n, fn))
    return JobRecording(plan(work_of(fn, arguments, backend="fake", limit=timeout), n))


def open_job(*paths: str | Path) -> JobRecording:
    """A saved job, or one joined from the recordings that its ranks wrote.

    Args:
        *paths: A file that `JobRecording.save` wrote; or the folder that
            `torchrun -m dynamo_lab.record` wrote to, or several, or the files in them. Or a folder
            with dumps of PyTorch's flight recorder (`..._rank_0`), and `TORCH_TRACE`'s logs beside
            them where there are: a dump is read as plain data, and nothing in it is run.

    Raises:
        OptionError: there are no recordings of ranks of one job.
        RecordingFileError: a file cannot be read.
        TraceError: a dump cannot be read.
    """
    from dynamo_lab.record.ranks.join import join

    if not paths:
        raise OptionError("open_job() opens nothing: pass a saved job, or the folder of one.")
    if len(paths) == 1 and os.path.isfile(paths[0]) and jobs.is_job(paths[0]):
        return JobRecording(jobs.load(paths[0]))
    if len(paths) == 1 and (job := open_dumps(paths[0])) is not None:
        return job
    return JobRecording(join(paths))


def open_dumps(path: str | Path, sources: str | Path | None = None) -> JobRecording | None:
    """The job whose flight recorders' dumps are in a folder; None where there are none.

    Args:
        path: The folder, or the dump of one rank; logs of `TORCH_TRACE` in the folder are read too.
        sources: A folder with the program's files, as for `open_trace`.

    Raises:
        TraceError: a dump, or a log beside it, cannot be read.
    """
    from dynamo_lab.record.ranks.join import from_dumps

    job = from_dumps(Path(path), None if sources is None else Path(sources))
    return None if job is None else JobRecording(job)


def _recording(label: str, facts: Facts) -> Recording:
    own: dict[str, Any] = structs.asdict(facts)
    own["title"] = label
    return Recording(**own)


class Collectives(Sequence["MeetingView"]):
    """The collectives of a job, in the order in which the first rank came to each.

    Each has its `operator`, `group`, `bytes` (what a rank brings), `result_bytes`, `where` and
    `text` of the user's line, `node` of a graph, `why` (who asked for it), `waited` (seconds from
    the first rank that came to the last); `view` has the numbers of each rank.
    """

    def __init__(self, view: CollectivesView | None) -> None:
        self.view = view
        self._meetings = view.meetings if view else ()

    @overload
    def __getitem__(self, at: int) -> MeetingView: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[MeetingView, ...]: ...

    def __getitem__(self, at: int | slice) -> MeetingView | tuple[MeetingView, ...]:
        return self._meetings[at]

    def __len__(self) -> int:
        return len(self._meetings)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import as_text
        from dynamo_lab.render.terminal.ranks.collectives import collectives

        return as_text(collectives(self.view)) if self.view else "No collective is known."

    __repr__ = __str__


class JobRecording(Ranks):
    """The recordings of a job's ranks by label ("rank 0"), what went wrong, and where they diverge.

    Print it, leave it as the last expression of a cell for the interactive view, or take one:
    `job["rank 1"]`. `findings` are sentences, the cause first; there are none if all went well and
    the ranks compiled the same.
    """

    def __init__(self, job: Job, work: Work | None = None) -> None:
        labels = {f"rank {one.rank.number if one.rank else at}": one
                  for at, one in enumerate(job.recordings)}  # fmt: skip
        opened = {label: _recording(label, one) for label, one in labels.items()}
        super().__init__(job.title, opened, tuple(opened), job.remarks)
        self.job = job
        self._work = work

    @property
    def findings(self) -> tuple[str, ...]:
        """What went wrong, then where the ranks diverge."""
        from dynamo_lab.view.ranks.job import findings

        return findings(self.job, self._compared_recordings())

    @property
    def collectives(self) -> Collectives:
        """Each collective that its ranks met in, in order; print them, or take one."""
        return Collectives(self.ranks().collectives)

    @property
    def is_plan(self) -> bool:
        """Whether it is a plan: nothing ran, and a rank of each kind stands for the others."""
        return self.job.plan is not None

    @property
    def is_whole(self) -> bool:
        """Whether all ranks ran to the end; of a plan, whether those that were planned did."""
        ends = [one.rank.ending.kind for one in self.job.recordings if one.rank is not None]
        return len(ends) == len(self.job.recordings) and set(ends) == {"finished"}

    def ranks(self) -> RanksView:
        """What is shown of them side by side."""
        from dynamo_lab.view.ranks.job import build_job

        return build_job(self.job, self._compared_recordings(), can_try=self._work is not None)

    @property
    def fixes(self) -> tuple[JobFix, ...]:
        """What to try with modules under DDP: each a name, a sentence, the code to write."""
        from dynamo_lab.view.ranks.fixes import fixes_of

        return fixes_of(self.job.recordings[0])

    def try_fix(self, name: str, rounds: int = ROUNDS) -> JobTrial:
        """Run the program again with a setting of DDP and without, in turns, and time its steps.

        Each run is a job of its own: 14 of them by default, as after fewer than 7 of each no
        difference can be told. What the program computes is not compared. It is said which job
        runs; Ctrl-C, or interrupting the kernel, ends it, and what was timed until then is told.

        Args:
            name: One of `fixes`, such as "static_graph=True"; "bucket_cap_mb=N" with any N.
            rounds: How many jobs with it, and without.

        Raises:
            FixError: there is no such fix, or the program cannot be run again: the job was loaded.
        """
        from dynamo_lab.bench.progress import progress_of_minutes

        with progress_of_minutes() as watch:
            return self._try(name, rounds, watch)

    def _try(self, name: str, rounds: int, watch: Watch | None = None) -> JobTrial:
        from dynamo_lab.api.ranks.trial import JobTrial
        from dynamo_lab.live.ranks import try_on_job
        from dynamo_lab.view.ranks.fixes import fix_named

        fix = fix_named(self.job.recordings[0], name)
        if self._work is None:
            raise FixError("This job was loaded from files, so there is no program to run again.")
        if rounds < 1:
            raise FixError(f"rounds={rounds} tries nothing: pass 7 to tell a difference.")
        size = len(self.job.recordings)
        return JobTrial(self.job, try_on_job(self._work, size, fix, rounds, watch))

    def _runs(self) -> Runs:
        return self._run

    def _run(
        self, recording: Facts, what: str, asked: dict[str, Any], waiting: Waiting
    ) -> tuple[str, Outcome, Recording]:
        """What a view asks for: a setting of DDP is tried on the job, all else on a recording."""
        from dynamo_lab.api.runs import watch_of

        fix = asked.get("fix")
        if what != "try_on_job" or not isinstance(fix, str):
            return run(recording, what, asked, waiting)
        if not settings().evaluates:
            raise DynamoLabError(EVALUATES_NOTHING)
        tried = self._try(fix, ROUNDS, watch_of(waiting))
        label = f"rank 0 with {tried.fix.name}"
        return label, tried.outcome(), _recording(label, tried.job.recordings[0])

    def _compared_recordings(self) -> dict[str, Recording]:
        return {label: self[label] for label in self._compared}

    def save(self, path: str | Path) -> None:
        """Write all of it to one file, which `dynamo_lab.open_job` reads; .gz packs it."""
        jobs.save(self.job, path)

    def diff(self, other: JobRecording) -> dict[str, Diff]:
        """What changed in each rank that both jobs have, by label.

        Raises:
            OptionError: it is not a job, or they have no rank in common.
        """
        if not isinstance(other, JobRecording):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(
                "A job is compared with another: pass what `ranks` or `open_job` gave."
            )
        return {label: diff(self[label], other[label]) for label in self if label in other}
