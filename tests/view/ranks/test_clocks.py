"""Ranks on hosts whose clocks differ, on jobs made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Timeline
from dynamo_lab.view.ranks import collectives
from dynamo_lab.view.ranks.causes.causes import known_of
from tests.view.ranks.test_causes import call, rank, said

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

HOUR = 3600.0


def on(host: str, recording: Recording, started: float = 100.0) -> Recording:
    assert recording.rank is not None
    return replace(recording, rank=replace(recording.rank, host=host, started=started))


def came(number: int, *starts: float, ends: tuple[float, ...] = ()) -> Recording:
    """A rank that came to one collective after the other, and when each ended there."""
    calls = [
        call(3, at + 1, started=start, ran=(start, ends[at]) if ends else None)
        for at, start in enumerate(starts)
    ]
    return rank(number, *calls)


def view_of(*recordings: Recording) -> Any:
    view = collectives.build(known_of(Job(title="step", recordings=recordings)))
    assert view is not None
    return view


def test_ranks_of_one_host_have_one_clock() -> None:
    ranks = on("a", came(0, 101.0)), on("a", came(1, 104.0))
    assert view_of(*ranks).meetings[0].waited == 3.0
    assert not any("host" in one for one in view_of(*ranks).sentences)


def test_nobody_is_said_to_be_late_by_another_hosts_clock() -> None:
    ranks = on("a", came(0, 101.0)), on("b", came(1, 101.0 + HOUR), started=100.0 + HOUR)
    view = view_of(*ranks)
    assert [one.waited for one in view.meetings] == [None]
    assert view.sentences == (
        "The ranks ran on 2 hosts: rank 0 on a and rank 1 on b.",
        "How far the clocks of the hosts differ is not known: each host's times are from its own "
        "start, and who came late on another host is not told. Recorded with `--profile`, the ends "
        "of collectives tell it.",
    )
    assert view.meetings[0].came == (1.0, 1.0), "each from its own host's start"
    assert said(*ranks, was_cut=False) == []


def test_the_ends_of_collectives_tell_how_far_the_clocks_differ() -> None:
    ends = (102.0, 106.0, 108.0, 110.0)
    late = (102.001 + HOUR, 106.0 + HOUR, 108.002 + HOUR, 110.001 + HOUR)
    ranks = (
        on("a", came(0, 101.0, 103.0, 107.0, 109.0, ends=ends)),
        on("b", came(1, 101.5 + HOUR, 105.5 + HOUR, 107.0 + HOUR, 109.0 + HOUR, ends=late), HOUR),
    )
    view = view_of(*ranks)
    waited = [one.waited for one in view.meetings]
    assert [round(one, 2) for one in waited] == [0.5, 2.5, 0.0, 0.0]
    assert view.sentences[-1] == (
        "The clocks of the hosts differ by up to 60.0 min, by the ends of collectives: all times "
        "are by that of a, give or take 1.0 ms."
    )
    (told,) = said(*ranks, was_cut=False)
    assert told.startswith("Rank 1 came 2.5 s late to `all_reduce` 2")


def test_two_ends_are_too_few() -> None:
    ranks = (
        on("a", came(0, 101.0, 103.0, ends=(102.0, 104.0))),
        on("b", came(1, 101.0 + HOUR, 103.0 + HOUR, ends=(102.0 + HOUR, 104.0 + HOUR)), HOUR),
    )
    assert [one.waited for one in view_of(*ranks).meetings] == [None, None]


def test_ends_that_do_not_agree_tell_nothing() -> None:
    ends, late = (102.0, 104.0, 106.0), (102.0 + HOUR, 104.5 + HOUR, 106.9 + HOUR)
    ranks = (
        on("a", came(0, 101.0, 103.0, 105.0, ends=ends)),
        on("b", came(1, 101.0 + HOUR, 103.0 + HOUR, 105.0 + HOUR, ends=late), HOUR),
    )
    assert [one.waited for one in view_of(*ranks).meetings] == [None] * 3


def test_times_of_the_profiler_go_with_the_clock() -> None:
    ends = (102.0, 104.0, 106.0)
    starts = tuple(end - 1 for end in ends)
    late = tuple(one + HOUR for one in ends)
    line = Timeline(device="cpu", start=HOUR + 100, computing=((HOUR + 100.5, HOUR + 102.0),))
    other = on("b", came(1, *(one - 1 for one in late), ends=late), HOUR + 100)
    assert other.rank is not None
    other = replace(other, rank=replace(other.rank, timeline=line))
    view = view_of(on("a", came(0, *starts, ends=ends)), other)
    assert [(bar.start, bar.end) for bar in view.bars[1]] == [(0.5, 2.0)]
    assert view.meetings[0].bare == 1.0, "rank 0 computed nothing that is known"
