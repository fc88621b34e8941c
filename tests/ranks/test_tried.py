"""Settings of DDP tried on a job: what is offered, how steps are timed, what is said of them."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import dynamo_lab as lab
from dynamo_lab.api.ranks.jobs import JobRecording
from dynamo_lab.api.settings import VARIABLE
from dynamo_lab.bench import progress
from dynamo_lab.capture.ranks.changes import changed
from dynamo_lab.errors import DynamoLabError, FixError
from dynamo_lab.live import ranks as live
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Call, Ending, Rank
from dynamo_lab.model.ranks.reducers import Reduced, Reducer
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.ranks.work import Work
from dynamo_lab.render.waiting import Waiting
from dynamo_lab.view.ranks.fixes import fix_named
from tests.ranks import trained

if TYPE_CHECKING:
    from dynamo_lab.api.ranks.trial import JobTrial

FINISHED = Ending(kind="finished")
WORK = Work(kind="function", title="train")
REDUCER = Reducer(group="0", initial=(Reduced(bytes=40),))


def job(step: float, steps: int = 9, ending: Ending = FINISHED, **rank: Any) -> Job:
    """Two ranks that sent their one bucket every so many seconds."""
    calls = tuple(
        Call(name="allreduce", group="0", number=at + 1, sizes=((10,),), dtypes=("Float",),
             is_backward=True, is_done=True, started=10 + at * step)
        for at in range(steps)
    )  # fmt: skip
    known: dict[str, Any] = {"calls": calls, "reducers": (REDUCER,), "ending": ending, **rank}
    made = (Recording(title="train", rank=Rank(number=n, size=2, **known)) for n in (0, 1))
    return Job(title="train", recordings=tuple(made))


def tried(monkeypatch: pytest.MonkeyPatch, with_it: Any, rounds: int = 7) -> JobTrial:
    """A setting tried on jobs whose steps take 0.1 s without it; `with_it` is the other job."""
    number = iter(range(1000))

    def launch(work: Work, n: int) -> Job:
        assert n == 2
        noise = 1 + next(number) % 3 / 1000
        return with_it(noise) if work.changes else job(0.1 * noise)

    monkeypatch.setattr(live, "launch", launch)
    return JobRecording(job(0.1), WORK).try_fix("static_graph=True", rounds=rounds)


def test_a_faster_step_is_told_with_what_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tried(monkeypatch, lambda noise: job(0.05 * noise))
    assert len(found.before) == len(found.after) == 7
    assert found.speed is not None
    assert found.speed.differs
    assert found.speed.value == pytest.approx(2, rel=0.01)
    assert "times faster" in str(found)
    assert "DistributedDataParallel(model, static_graph=True)" in str(found)


def test_what_is_no_faster_is_not_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    for step, words in ((0.1, "not distinguishable"), (0.2, "times slower")):
        found = tried(monkeypatch, lambda noise, step=step: job(step * noise))
        assert words in str(found)
        assert "Write:" not in str(found)


def test_few_rounds_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tried(monkeypatch, lambda noise: job(0.01), rounds=3)
    assert "too few rounds to tell" in str(found)
    assert "Write:" not in str(found)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda _: job(0.1, steps=4), "the steps cannot be timed"),
        (lambda _: job(0.1, reducers=()), "the steps cannot be timed"),
        (
            lambda _: job(0.1, ending=Ending(kind="raised", message="RuntimeError: no")),
            "RuntimeError",
        ),
    ],
)
def test_what_fails_or_has_no_steps_is_not_timed(
    monkeypatch: pytest.MonkeyPatch, other: Any, words: str
) -> None:
    found = tried(monkeypatch, other)
    assert words in str(found)
    assert found.speed is None
    assert "Write:" not in str(found)


class Stopping(Waiting):
    """A reader who stops it once the second job has begun."""

    def tell(self, what: str, fraction: float | None, seconds_left: float | None) -> None:
        if fraction:
            self.on_stop()


def asked_of_a_view(
    monkeypatch: pytest.MonkeyPatch, waiting: Waiting, what: str = "try_on_job"
) -> Any:
    monkeypatch.setattr(live, "launch", lambda work, n: job(0.05 if work.changes else 0.1))
    shown: Any = JobRecording(job(0.1), WORK)
    return shown._runs()(shown["rank 0"], what, {"fix": "static_graph=True"}, waiting)


def test_a_view_has_a_setting_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    label, outcome, recording = asked_of_a_view(monkeypatch, Waiting(lambda _: None))
    assert label == recording.title == "rank 0 with static_graph=True"
    assert outcome["fix"] == "static_graph=True"
    assert outcome["is_faster"] is True
    assert any("times faster" in one for one in outcome["sentences"])


def test_a_view_is_told_which_job_runs_and_how_long_the_others_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[str, float | None, float | None]] = []

    class Telling(Waiting):
        def tell(self, what: str, fraction: float | None, seconds_left: float | None) -> None:
            told.append((what, fraction, seconds_left))

    asked_of_a_view(monkeypatch, Telling(lambda _: None))
    assert len(told) == 14
    assert told[0] == ("Job 1 of 14, with static_graph=True", 0, None)
    assert told[1][0] == "Job 2 of 14, without static_graph=True"
    assert told[2][0] == "Job 3 of 14, without static_graph=True"
    assert all(left is not None for _, _, left in told[1:])


def test_a_view_can_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _, outcome, _ = asked_of_a_view(monkeypatch, Stopping(lambda _: None))
    assert outcome["is_faster"] is None
    assert "It was stopped before all jobs had run." in outcome["sentences"]


def interrupted(monkeypatch: pytest.MonkeyPatch, at: int) -> JobTrial:
    """A trial in whose job number `at` the reader presses Ctrl-C."""
    numbers = iter(range(1, 100))

    def launch(work: Work, n: int) -> Job:
        if next(numbers) == at:
            raise KeyboardInterrupt
        return job(0.05 if work.changes else 0.1)

    monkeypatch.setattr(live, "launch", launch)
    return JobRecording(job(0.1), WORK).try_fix("static_graph=True")


def test_what_was_timed_before_ctrl_c_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = interrupted(monkeypatch, at=6)
    assert (len(found.before), len(found.after)) == (2, 3)
    assert "It was stopped before all jobs had run." in str(found)
    assert "too few rounds to tell" in str(found)
    with pytest.raises(KeyboardInterrupt):
        interrupted(monkeypatch, at=1)


def test_ctrl_c_between_two_jobs_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, seconds_of = iter(range(1, 100)), live.step_seconds

    def step_seconds(known: Any) -> float | None:
        if next(numbers) == 6:
            raise KeyboardInterrupt
        return seconds_of(known)

    monkeypatch.setattr(live, "step_seconds", step_seconds)
    found = tried(monkeypatch, lambda noise: job(0.05 * noise))
    assert (len(found.before), len(found.after)) == (2, 3)
    assert "It was stopped before all jobs had run." in str(found)


def test_a_terminal_shows_which_job_runs_and_how_it_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    tried(monkeypatch, lambda _: job(0.05), rounds=1)
    shown = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", terminal.getvalue())
    assert re.search(r"Job 2 of 2, without static_graph=True .*0:00:0\d Ctrl-C stops it", shown)


def shown_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that stand under a cell from now on, one after another."""
    shown: list[str] = []

    class Output:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(data["text/plain"])

    def publish(data: dict[str, str], *, raw: bool, display_id: bool) -> Output:
        assert display_id
        output = Output()
        output.update(data, raw=raw)
        return output

    monkeypatch.setattr(progress, "_publisher", lambda: publish)
    return shown


def test_a_notebook_shows_since_when_a_job_runs_and_how_it_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = shown_in_a_notebook(monkeypatch)
    tried(monkeypatch, lambda _: job(0.05), rounds=2)
    first, *_, last, end = shown
    assert len(shown) == 5
    clock = r"\d\d:\d\d:\d\d \S+"
    stops = r"Interrupting the kernel stops it\."
    assert re.fullmatch(rf"Job 1 of 4, with static_graph=True, since {clock}\. {stops}", first)
    assert re.fullmatch(rf"Job 4 .*, since {clock}\. {stops} All .* at about {clock}\.", last)
    assert end == ""


def test_what_fails_at_once_leaves_no_output(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_in_a_notebook(monkeypatch)
    with pytest.raises(FixError):
        JobRecording(job(0.1), WORK).try_fix("no such fix")
    assert shown == []


def test_a_view_that_may_run_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    with pytest.raises(DynamoLabError, match="evaluate"):
        asked_of_a_view(monkeypatch, Waiting(lambda _: None))


def test_a_rank_alone_cannot_be_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DynamoLabError):
        asked_of_a_view(monkeypatch, Waiting(lambda _: None), what="try_fix")


def test_what_is_offered_and_what_is_refused() -> None:
    own = job(0.1).recordings[0]
    names = [fix.name for fix in JobRecording(job(0.1), WORK).fixes]
    assert names == ["static_graph=True", "gradient_as_bucket_view=True"]
    assert fix_named(own, "python_reducer").changes == {"python_reducer": True}
    assert fix_named(own, "bucket_cap_mb=50").changes == {"bucket_cap_mb": 50}
    for name in ("bucket_cap_mb=0", "bucket_cap_mb=x", "static_graph=False", ""):
        with pytest.raises(FixError, match="There is no fix"):
            fix_named(own, name)
    assert own.rank is not None
    with pytest.raises(FixError, match="No module of this job"):
        fix_named(replace(own, rank=replace(own.rank, reducers=())), "static_graph=True")
    with pytest.raises(FixError, match="was loaded"):
        JobRecording(job(0.1)).try_fix("static_graph=True")


def test_arguments_are_changed_in_the_block_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.nn.parallel import DistributedDataParallel as Wrapped

    got: list[Any] = []

    def made(self: Any, module: Any, device_ids: Any = None, bucket_cap_mb: Any = None) -> None:
        got.append((module, bucket_cap_mb))

    # The class itself stays: where it is found is looked up once in a process.
    monkeypatch.setattr(Wrapped, "__init__", made)
    wrapped: Any = Wrapped
    with changed({"bucket_cap_mb": 7}):
        wrapped("a")
        wrapped("b", None, 3)
    wrapped("c", bucket_cap_mb=1)
    assert got == [("a", 7), ("b", 7), ("c", 1)]
    assert Wrapped.__init__ is made


@pytest.mark.live
@pytest.mark.long
def test_another_size_of_buckets_is_tried_on_a_job() -> None:
    ran = lab.ranks(trained.train, 2, timeout=300)
    found = ran.try_fix("bucket_cap_mb=100", rounds=1)
    assert found.problem == ""
    assert len(found.before) == len(found.after) == 1
    assert "-> 2.1 MB" in str(found)
    assert "too few rounds to tell" in str(found)
