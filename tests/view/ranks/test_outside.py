"""Collectives on groups that a rank is not in, on jobs made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.plans import Kind, Plan
from dynamo_lab.model.ranks.ranks import Outside
from dynamo_lab.view.ranks.causes.causes import causes
from dynamo_lab.view.ranks.job import build_job
from tests.view.ranks.test_causes import call, rank, said, waiting

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording


def calling(recording: Recording, line: int, name: str = "all_reduce", times: int = 1) -> Recording:
    """A rank that called it on a line, on a group that it is not in."""
    assert recording.rank is not None
    known = (Outside(name=name, times=times, stack=line - 1),)
    return replace(recording, rank=replace(recording.rank, outside=known))


def told_of(*recordings: Recording, **facts: Any) -> list[str]:
    return said(*recordings, was_cut=False, **facts)


def test_it_is_said_with_the_line_and_the_group_of_those_that_are_in_it() -> None:
    (told,) = told_of(rank(0, call(3, group="1")), calling(rank(1), 3))
    assert told == (
        "Rank 1 calls `all_reduce` at train.py, line 3 (`dist.all_reduce(x)`) on a group that it "
        "is not in; on rank 0 it is the group '1' of ranks 0 and 1: PyTorch warns, and nothing is "
        "done there."
    )


def test_ranks_of_one_line_are_one_sentence_and_no_group_is_made_up() -> None:
    (told,) = told_of(calling(rank(0), 3, times=4), calling(rank(1), 3, times=2))
    assert told == (
        "Ranks 0 and 1 call `all_reduce` at train.py, line 3 (`dist.all_reduce(x)`), 4 times each "
        "at most, on a group that they are not in: PyTorch warns, and nothing is done there."
    )
    other_line = told_of(rank(0, call(5, group="1")), calling(rank(1), 3))
    other_kind = told_of(rank(0, call(3, name="broadcast")), calling(rank(1), 3))
    assert not any("on rank 0 it is" in one for one in (*other_line, *other_kind))


def test_who_is_waited_for_called_it_elsewhere() -> None:
    (told,) = said(rank(0, waiting(5), kind="cut off", line=5), calling(rank(1, line=8), 3))
    assert told.startswith("Rank 1 ended without calling `all_reduce` 1 of all ranks")
    assert told.endswith(
        "; it called `all_reduce` at train.py, line 3 (`dist.all_reduce(x)`) on a group that it is "
        "not in, where PyTorch warns and does nothing."
    )


def test_what_others_wait_in_comes_first_where_it_is_another_collective() -> None:
    hang = rank(0, waiting(5), kind="cut off", line=5)
    first, second = said(hang, calling(rank(1, line=8), 7, name="broadcast"))
    assert "broadcast" not in first
    assert second.startswith("Rank 1 calls `broadcast` at train.py, line 7")


def test_a_module_that_is_wrapped_for_such_a_group_raises() -> None:
    (told,) = told_of(rank(0), calling(rank(1), 3, name="DistributedDataParallel"))
    assert told.startswith("Rank 1 uses `DistributedDataParallel` at train.py, line 3")
    assert told.endswith("on a group that it is not in, which raises.")


def test_a_functional_collective_raises_and_its_group_is_the_cause() -> None:
    def raising(number: int) -> Recording:
        one = calling(rank(number, kind="raised", message="ValueError: -100"), 7)
        assert one.rank is not None
        (call,) = one.rank.outside
        ended = (replace(call, has_ended_it=True),)
        return replace(one, rank=replace(one.rank, outside=ended))

    waits = rank(0, call(7, group="1"), waiting(3), kind="cut off", line=3)
    first, *others = said(waits, raising(1))
    assert first == (
        "Rank 1 calls `all_reduce` at train.py, line 7 (`dist.all_gather([], x)`) on a group that "
        "it is not in; on rank 0 it is the group '1' of ranks 0 and 1: PyTorch raises ValueError: "
        "-100; rank 0 waited for it in `all_reduce` 1 at train.py, line 3 (`dist.all_reduce(x)`)."
    )
    assert others == []
    (both,) = said(raising(0), raising(1))
    assert both.startswith("Ranks 0 and 1 call `all_reduce` at train.py, line 7 ")


def test_of_a_plan_it_is_said_and_a_plan_without_it_is_whole() -> None:
    def view(one: Recording) -> Any:
        plan = Plan(size=2, kinds=(Kind(representative=1, ranks=(0, 1), planned=(1,)),))
        return build_job(Job(title="step", recordings=(one,), plan=plan), {"rank 1": one})

    (told,) = view(calling(rank(1), 3)).findings
    assert told.startswith("Rank 1 calls `all_reduce` at train.py, line 3")
    assert told.endswith(" Rank 1 stands for ranks 0 and 1 (2 of 2).")
    assert view(rank(1, call(3))).is_whole
    assert list(causes(Job(title="step", recordings=(rank(1, call(3)),)))) == []
