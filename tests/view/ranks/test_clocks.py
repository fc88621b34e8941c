"""Ranks on hosts whose clocks differ, on jobs made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Timeline
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.ranks.collectives import collectives as terminal
from dynamo_lab.view.ranks import collectives
from dynamo_lab.view.ranks.causes.causes import known_of
from tests.view.ranks.test_causes import call, rank, said

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

HOUR = 3600.0
WAITING = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"


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
    assert view.sentences[1:] == (
        "The ranks ran on 2 hosts: rank 0 on a and rank 1 on b.",
        "How far the clocks of the hosts differ is not known: each host's times are from its own "
        "start, and who came late on another host is not told. Recorded with `--profile`, the ends "
        "of collectives in which each rank needs all others, as of all-reduces, tell it.",
    )
    assert view.meetings[0].came == (1.0, 1.0), "each from its own host's start"
    assert said(*ranks, was_cut=False) == []


def test_without_one_clock_no_lane_waits_and_no_rank_is_last() -> None:
    first, calls = on("a", came(0, 101.0)), came(1, 106.0 + HOUR)
    apart = as_text(terminal(view_of(first, on("b", calls, started=100.0 + HOUR))))
    (row,) = (one for one in apart.splitlines() if "1  all_reduce" in one)
    assert (row.count("?"), "rank" in row) == (3, False), "open for, who was last, the run"
    assert [one.count(WAITING) for one in lanes_in(apart)] == [0, 0]
    beside = as_text(terminal(view_of(first, on("a", came(1, 106.0)))))
    (row,) = (one for one in beside.splitlines() if "1  all_reduce" in one)
    assert "rank 1" in row
    assert [one.count(WAITING) > 9 for one in lanes_in(beside)] == [True, False]


def lanes_in(text: str) -> list[str]:
    return [one for one in text.splitlines() if one.strip().startswith("rank ")]


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


def named(recording: Recording, *names: str) -> Recording:
    """The rank, whose collectives are these."""
    own = recording.rank
    assert own is not None
    assert own.calls is not None
    calls = tuple(replace(one, name=name) for one, name in zip(own.calls, names, strict=True))
    return replace(recording, rank=replace(own, calls=calls))


@pytest.mark.parametrize("name", ["broadcast", "_broadcast_oop", "scatter", "gather", "reduce"])
def test_where_one_rank_may_be_done_before_the_others_came_the_ends_tell_nothing(name: str) -> None:
    """Its source has sent, and is done, while the other host comes 0.08 s later each time."""
    starts, all_reduces = (101.0, 103.0, 105.0), (107.0, 109.0, 111.0)
    late = tuple(start + 0.08 + HOUR for start in starts)
    first = came(0, *starts, ends=tuple(start + 0.01 for start in starts))
    other = came(1, *late, ends=tuple(start + 0.01 for start in late))
    ranks = (on("a", named(first, *[name] * 3)), on("b", named(other, *[name] * 3), 100.0 + HOUR))
    assert [one.waited for one in view_of(*ranks).meetings] == [None] * 3
    names = [name] * 3 + ["all_reduce"] * 3
    ends = tuple(start + 1.0 for start in all_reduces)
    first = came(0, *starts, *all_reduces, ends=(*(start + 0.01 for start in starts), *ends))
    late = tuple(start + 0.5 + HOUR for start in starts)
    others = (*(start + 0.01 for start in late), *(end + HOUR for end in ends))
    other = came(1, *late, *(start + HOUR for start in all_reduces), ends=others)
    view = view_of(on("a", named(first, *names)), on("b", named(other, *names), 100.0 + HOUR))
    waited = [one.waited for one in view.meetings]
    assert [round(one, 2) for one in waited] == [0.5] * 3 + [0.0] * 3


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
