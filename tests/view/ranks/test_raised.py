"""Ranks that ended by an exception, on jobs made by hand: whose fault it is, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from dynamo_lab.capture.ranks.ranks import said as message_of
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.plans import Kind, Plan
from dynamo_lab.model.ranks.ranks import Group, Handled
from dynamo_lab.model.recording import Failure
from dynamo_lab.view.ranks.causes.causes import causes
from tests.view.ranks.test_causes import call, rank, said, waiting
from tests.view.ranks.test_outside import calling

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

CLOSED = "RuntimeError: [gloo/pair.cc] Connection closed by peer"
BARRIER = "RuntimeError: [Rank 0]: Rank 1 failed to pass monitoredBarrier in 4000 ms"


def test_a_closed_connection_is_not_the_cause() -> None:
    closed = "RuntimeError: [gloo/pair.cc] Connection closed by peer"
    victim = rank(0, call(3), kind="raised", message=closed)
    (told,) = said(victim, rank(1, line=8, kind="killed", signal="SIGKILL"), was_cut=False)
    assert told.startswith("Rank 1 was ended by SIGKILL")
    assert "rank 0 waited for it in `all_reduce` 1" in told


def test_whose_connection_was_closed_is_no_cause_where_another_raised_too() -> None:
    closed = "RuntimeError: [gloo/pair.cc] Connection closed by peer"
    victim = rank(0, call(3), kind="raised", message=closed)
    (told,) = said(victim, rank(1, kind="raised", message="ValueError: no"), was_cut=False)
    assert told.startswith("Rank 1 raised ValueError: no; rank 0 waited for it")
    assert len(said(victim, rank(1, kind="raised", message=closed), was_cut=False)) == 2
    (told,) = said(victim, rank(1, call(3), kind="cut off", line=8), was_cut=False)
    assert told.startswith("Rank 0 raised RuntimeError: [gloo/pair.cc] Connection closed by peer")


def test_what_gloo_says_of_a_ranks_own_arguments_is_its_fault() -> None:
    wrong = "RuntimeError: ProcessGroupGloo::allgather: invalid tensor size at index 0"
    (told,) = said(
        rank(0, waiting(3), kind="cut off", line=3),
        rank(1, kind="raised", message=wrong),
        was_cut=False,
    )
    assert told.startswith(f"Rank 1 raised {wrong}; rank 0 waited for it in `all_reduce` 1")


def test_an_exception_is_told_with_its_line() -> None:
    failure = Failure(type="ValueError", message="no", traceback="", span=7)
    raised = replace(rank(1, kind="raised", message="ValueError: no"), failure=failure)
    told = said(rank(0, waiting(3), kind="cut off", line=3), raised)
    assert told[0].startswith(
        "Rank 1 raised ValueError: no at train.py, line 8 (`load(x)`); rank 0"
    )


def test_an_exception_that_was_raised_for_another_is_told_with_that_one() -> None:
    one = rank(1, kind="raised", message="RuntimeError: no config")
    assert one.rank is not None
    within = Handled(message="KeyError: 'lr'", span=7)
    (told,) = said(rank(0), replace(one, rank=replace(one.rank, handled=within)))
    assert told == (
        "Rank 1 raised RuntimeError: no config, while rank 1 handled KeyError: 'lr', raised at "
        "train.py, line 8 (`load(x)`)."
    )


def test_who_missed_a_monitored_barrier_is_told_before_who_raised() -> None:
    raised = "RuntimeError: [Rank 0]: Rank 1 failed to pass monitoredBarrier in 4000 ms"
    first = rank(0, line=3, kind="raised", message=raised)
    assert first.rank is not None
    failure = Failure(type="RuntimeError", message=raised, traceback="", span=2)
    first = replace(first, failure=failure, rank=replace(first.rank, seen=4.0))
    late = rank(1, line=8, kind="cut off")
    (told,) = said(first, late, was_cut=False)
    assert told == (
        "Rank 1 had not come to the monitored barrier at train.py, line 3 (`dist.all_reduce(x)`), "
        f"where rank 0 raised {raised}; rank 1 was at train.py, line 8 (`load(x)`) then."
    )
    assert late.rank is not None
    (told,) = said(first, replace(late, rank=replace(late.rank, host="elsewhere")), was_cut=False)
    assert told.endswith("monitoredBarrier in 4000 ms.")


def in_groups(one: Recording, size: int, *groups: Group) -> Recording:
    assert one.rank is not None
    return replace(one, rank=replace(one.rank, size=size, groups=groups))


def test_a_barrier_names_places_in_its_group() -> None:
    world, pair, odd = Group("0", (0, 1, 2)), Group("1", (1, 2)), Group("2", (1, 0))
    first = rank(1, kind="raised", message=BARRIER)
    others = in_groups(rank(0), 3, world), in_groups(rank(2, kind="cut off", line=8), 3, world)
    (told,) = said(others[0], in_groups(first, 3, world, pair), others[1], was_cut=False)
    assert told == (
        f"Rank 2 had not come to the monitored barrier, where rank 1 raised {BARRIER} (places in "
        "the barrier's group)."
    )
    told = said(others[0], in_groups(first, 3, world, pair, odd), others[1], was_cut=False)
    assert told == [f"Rank 1 raised {BARRIER} (places in the barrier's group, which is not known)."]
    (told,) = said(in_groups(first, 3, world, pair), was_cut=False)  # of rank 2 is no recording
    assert told == f"Rank 1 raised {BARRIER} (places in the barrier's group)."


def test_who_missed_a_barrier_is_known_where_the_message_is_cut() -> None:
    everyone = tuple(range(200))

    def told(missing: int) -> str:
        who = ", ".join(map(str, range(1, missing + 1)))
        raised = RuntimeError(f"[Rank 0]: Ranks {who} failed to pass monitoredBarrier in 4000 ms")
        message = message_of(raised)
        assert "monitoredBarrier" not in message
        first = rank(0, kind="raised", message=message)
        ranks = (first, *(rank(number, kind="cut off", line=8) for number in everyone[1:]))
        job = [in_groups(one, 200, Group("0", everyone)) for one in ranks]
        return said(*job, was_cut=False)[0]

    assert told(112).startswith("Ranks 1, 2, 3, 4 and 108 more had not come to the monitored")
    assert told(150).startswith("At least ranks 1, 2, 3, 4 and ")


def test_what_a_missing_rank_raised_comes_before_the_barrier_that_missed_it() -> None:
    first = rank(0, kind="raised", message=BARRIER)
    raised = said(first, rank(1, kind="raised", message="ValueError: no batch"), was_cut=False)
    assert raised[0] == "Rank 1 raised ValueError: no batch."
    assert raised[1].startswith("Rank 1 had not come to the monitored barrier, where rank 0 raised")
    left = said(first, rank(1, line=8, kind="exited", code=3), was_cut=False)
    assert left[0].startswith("Rank 1 ended itself with exit code 3")


def test_exceptions_that_blame_others_are_told_with_a_harmless_call() -> None:
    ranks = [rank(number, call(3), kind="raised", message=CLOSED) for number in (0, 1)]
    *raised, harmless = said(ranks[0], calling(ranks[1], 3), was_cut=False)
    assert [one.split(";")[0] for one in raised] == [f"Rank {n} raised {CLOSED}" for n in (0, 1)]
    assert harmless.startswith("Rank 1 calls `all_reduce` at train.py, line 3")
    lost = rank(0, kind="raised", message=CLOSED)
    assert said(lost, rank(1, kind="cut off", line=8))[0] == f"Rank 0 raised {CLOSED}."


def test_nobody_blames_others_in_a_plan() -> None:
    ended = rank(1, call(3), kind="raised", message="RuntimeError: NCCL needs a GPU")
    other = rank(2, kind="raised", message="ValueError: no")
    kinds = tuple(Kind(representative=n, ranks=(n,), planned=(n,)) for n in range(3))
    job = Job(title="step", recordings=(calling(rank(0), 3), ended, other),
              plan=Plan(size=3, kinds=kinds))  # fmt: skip
    first, second, harmless = causes(job)
    assert first == "Rank 1 raised RuntimeError: NCCL needs a GPU."
    assert second == "Rank 2 raised ValueError: no."
    assert harmless.startswith("Rank 0 calls `all_reduce`")
