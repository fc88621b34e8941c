"""Who is to blame where a job hangs or fails, on jobs made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Call, Ending, Group, Handled, Rank, Stay
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.ranks.causes.causes import causes
from dynamo_lab.view.ranks.job import build_job

TEXT = """\
import torch.distributed as dist
def step(x, rank):
    dist.all_reduce(x)
    if rank == 0:
        dist.all_reduce(x)
    else:
        dist.all_gather([], x)
    load(x)
"""
EVERYONE = Group("0", (0, 1), "default_pg")
PAIR = Group("1", (0, 1))


def call(line: int, number: int = 1, name: str = "all_reduce", **facts: Any) -> Call:
    """A call on a line; it is done unless told otherwise, and begins at its number in seconds."""
    known: dict[str, Any] = {"is_done": True, "started": float(number), "sizes": ((8,),),
                             "dtypes": ("Float",), "group": "0", **facts}  # fmt: skip
    return Call(name=name, number=number, stack=line - 1, **known)


def rank(
    number: int, *calls: Call, line: int | None = None, kind: Any = "finished", **facts: Any
) -> Recording:
    spans = tuple(Span(0, at, "step") for at in range(1, 9))
    own = Rank(
        number=number, size=2, groups=(EVERYONE, PAIR), calls=calls,
        span=None if line is None else line - 1,
        stays=() if line is None else (Stay(1.0, 4.5, line - 1),),
        ending=Ending(kind=kind, **facts),
    )  # fmt: skip
    return Recording(
        title="step", rank=own, spans=spans, stacks=tuple((at,) for at in range(8)),
        sources=(Source("train.py", "user", (Excerpt(1, TEXT),)),),
    )  # fmt: skip


LOOP = """\
import torch.distributed as dist
def step(batches):
    for x in batches:
        dist.all_reduce(x)
    try:
        load(x)
    finally:
        dist.barrier()
"""


def said(*recordings: Recording, was_cut: bool = True) -> list[str]:
    return list(causes(Job(title="step", recordings=recordings, limit=10.0, was_cut=was_cut)))


def waiting(line: int, number: int = 1, **facts: Any) -> Call:
    return replace(call(line, number, **facts), is_done=False)


def test_nothing_is_said_of_a_job_that_went_well() -> None:
    assert said(rank(0, call(3)), rank(1, call(3)), was_cut=False) == []


def test_a_rank_that_ended_without_a_collective_is_named_with_the_condition() -> None:
    (told,) = said(
        rank(0, call(3), waiting(5, 2), kind="cut off", line=5), rank(1, call(3), line=8)
    )
    assert told == (
        "Rank 1 ended without calling `all_reduce` 2 of all ranks, in which rank 0 waits at "
        "train.py, line 5 (`dist.all_reduce(x)`): there it is under `if rank == 0` (line 4)."
    )


def of_four(one: Recording) -> Recording:
    assert one.rank is not None
    groups = (Group("0", (0, 1, 2, 3), "default_pg"),)
    return replace(one, rank=replace(one.rank, size=4, groups=groups))


def test_ranks_that_did_the_same_are_one_sentence() -> None:
    waits = rank(0, call(3), waiting(5, 2), kind="cut off", line=5)
    ended = (rank(number, call(3), line=8) for number in (1, 2))
    busy = rank(3, call(3), kind="cut off", line=8)
    first, second = said(*map(of_four, (waits, *ended, busy)))
    assert first == (
        "Ranks 1 and 2 ended without calling `all_reduce` 2 of all ranks, in which rank 0 waits at "
        "train.py, line 5 (`dist.all_reduce(x)`): there it is under `if rank == 0` (line 4)."
    )
    assert second.startswith("Rank 3 was at train.py, line 8 (`load(x)`) for 3.5 s when the job")
    (told,) = said(*(of_four(rank(number, kind="cut off", line=2)) for number in range(4)))
    assert told.startswith("Ranks 0, 1, 2 and 3 were at train.py, line 2 ")
    often = [call(5, number) for number in (1, 2)]
    waits = rank(0, *often, waiting(5, 3), kind="cut off", line=5)
    (told,) = said(*(of_four(one) for one in (waits, rank(1, *often), rank(2, *often))))
    assert told.endswith("; that line called it 3 times on rank 0, and twice on ranks 1 and 2.")


def test_another_collective_is_told_from_both_sides() -> None:
    (told,) = said(
        rank(0, call(3), waiting(5, 2), kind="cut off", line=5),
        rank(1, call(3), waiting(7, 2, name="all_gather"), kind="cut off", line=7),
    )
    assert told.startswith("Rank 1 calls `all_gather` at train.py, line 7")
    assert "where rank 0 calls `all_reduce` at train.py, line 5" in told
    assert "on rank 1 it is in the `else` of `if rank == 0` (line 4)" in told


def test_a_collective_that_only_the_other_rank_is_led_to_has_its_condition() -> None:
    """As a `barrier` of rank 0 alone: what rank 1 calls in its place is under no condition."""
    (told,) = said(
        rank(0, call(3), waiting(5, 2, name="barrier"), kind="cut off", line=5),
        rank(1, call(3), waiting(8, 2), kind="cut off", line=8),
    )
    assert "where rank 0 calls `barrier` at train.py, line 5" in told
    assert "on rank 0 it is under `if rank == 0` (line 4)" in told


def test_all_ranks_that_call_the_other_collective_are_named() -> None:
    group = Group("0", (0, 1, 2))
    ranks = [rank(0, call(3)), *(rank(n, call(5, name="barrier")) for n in (1, 2))]
    whole = [
        replace(one, rank=replace(one.rank, groups=(group,), size=3)) for one in ranks if one.rank
    ]
    (told, *_) = said(*whole, was_cut=False)
    assert told.startswith("Ranks 1 and 2 call `barrier` at train.py, line 5")


def test_only_those_that_came_early_are_said_to_wait() -> None:
    group = Group("0", (0, 1, 2))
    ranks = [rank(n, call(3, started=at)) for n, at in ((0, 1.0), (1, 5.0), (2, 4.8))]
    whole = [
        replace(one, rank=replace(one.rank, groups=(group,), size=3)) for one in ranks if one.rank
    ]
    (told,) = said(*whole, was_cut=False)
    assert told.startswith("Rank 1 came 4.0 s late to `all_reduce` 1")
    assert told.endswith("where rank 0 waited, and rank 2 not much earlier.")


def test_a_rank_that_waited_long_is_not_said_to_be_hardly_earlier() -> None:
    group = Group("0", (0, 1, 2))
    ranks = [rank(n, call(3, started=at)) for n, at in ((0, 1.0), (1, 101.0), (2, 52.0))]
    whole = [
        replace(one, rank=replace(one.rank, groups=(group,), size=3)) for one in ranks if one.rank
    ]
    (told,) = said(*whole, was_cut=False)
    assert told.startswith("Rank 1 came 1.7 min late to `all_reduce` 1")
    assert told.endswith("where ranks 0 and 2 waited.")


def test_what_all_are_in_is_told_where_nobody_is_missing() -> None:
    """As with another source on each rank: what they bring is alike, but not recorded which."""
    for name, words in (
        ("broadcast", "all must name the same rank as its source, which is not recorded."),
        ("all_reduce", "they bring alike tensors, and why it does not end is not known."),
    ):
        (told,) = said(
            rank(0, waiting(3, name=name), kind="cut off", line=3),
            rank(1, waiting(3, name=name), kind="cut off", line=3),
        )
        assert told.startswith(f"Ranks 0 and 1 are all in `{name}` 1 of all ranks at train.py")
        assert told.endswith(words)


def test_a_rank_that_is_nowhere_near_the_others_is_told_who_had_ended() -> None:
    (told,) = said(rank(0, kind="cut off", line=2), rank(1, line=8))
    assert told.startswith("Rank 0 was at train.py, line 2")
    assert told.endswith("when the job was ended; rank 1 had ended by then.")


def test_other_sizes_are_told_also_if_nothing_failed() -> None:
    (told,) = said(rank(0, call(3)), rank(1, call(3, sizes=((16,),))), was_cut=False)
    assert told.startswith("Rank 1 brings float[16] to `all_reduce` at train.py, line 3")
    assert "but rank 0 float[8] at train.py, line 3" in told


@pytest.mark.parametrize("sizes", [((2, 4),), ((4, 2),)])
def test_as_many_elements_in_another_form_are_no_fault(sizes: Any) -> None:
    assert said(rank(0, call(3)), rank(1, call(3, sizes=sizes)), was_cut=False) == []


def test_sizes_of_a_scatter_may_differ() -> None:
    one, other = (call(3, name="scatter", sizes=sizes) for sizes in (((8,),), ()))
    assert said(rank(0, one), rank(1, other), was_cut=False) == []


def test_other_types_are_told_as_such() -> None:
    (told,) = said(rank(0, call(3)), rank(1, call(3, dtypes=("Double",))), was_cut=False)
    assert told.startswith("Rank 1 brings double[8] to `all_reduce` at train.py, line 3")
    assert told.endswith("of all ranks: each rank must bring tensors of the same type.")


def in_a_loop(recording: Recording) -> Recording:
    return replace(recording, sources=(Source("train.py", "user", (Excerpt(1, LOOP),)),))


def test_a_loop_that_one_rank_leaves_earlier_is_told_with_how_often() -> None:
    own = rank(0, call(4), call(4, 2), waiting(4, 3), kind="cut off", line=4)
    (told,) = said(*map(in_a_loop, (own, rank(1, call(4), call(4, 2)))))
    assert told == (
        "Rank 1 ended without calling `all_reduce` 3 of all ranks, in which rank 0 waits at "
        "train.py, line 4 (`dist.all_reduce(x)`): there it is in `for x in batches` (line 3); that "
        "line called it 3 times on rank 0, and twice on rank 1."
    )
    forgetful = rank(1, call(4), call(4, 2))
    assert forgetful.rank
    forgetful = replace(forgetful, rank=replace(forgetful.rank, forgotten=7))
    (told,) = said(*map(in_a_loop, (own, forgetful)))
    assert "that line called it" not in told


def test_an_exception_that_led_to_another_collective_is_told() -> None:
    own = rank(0, waiting(4), kind="cut off", line=4)
    other = rank(1, waiting(8, name="barrier"), kind="cut off", line=8)
    assert other.rank
    handled = Handled(message="ValueError: no such batch.", span=5)
    led = replace(other, rank=replace(other.rank, handled=handled))
    (told,) = said(in_a_loop(own), in_a_loop(led))
    assert told.startswith("Rank 1 calls `barrier` at train.py, line 8")
    words = (
        "while rank 1 handles ValueError: no such batch, raised at train.py, line 6 (`load(x)`)."
    )
    assert f"{words} Ranks that wait" in told
    assert "handles" not in said(in_a_loop(own), in_a_loop(other))[0]


def test_a_wait_in_another_group_is_told() -> None:
    (told, *_) = said(
        rank(0, waiting(3), kind="cut off", line=3),
        rank(1, waiting(5, group="1", started=2.0), kind="cut off", line=5),
    )
    assert told.startswith(
        "Rank 1 waits in `all_reduce` 1 of the group '1' of ranks 0 and 1 at train.py, line 5"
    )
    assert "never comes to `all_reduce` 1 of all ranks, in which rank 0 waits" in told


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (
            {"kind": "killed", "signal": "SIGKILL"},
            "Rank 1 was ended by SIGKILL at train.py, line 8",
        ),
        ({"kind": "stopped", "signal": "SIGSTOP"}, "Rank 1 stood still (SIGSTOP) at train.py"),
        ({"kind": "exited", "code": 3}, "Rank 1 ended itself with exit code 3 at train.py, line 8"),
    ],
)
def test_a_rank_that_is_gone_is_named_with_who_waits(ending: Any, words: str) -> None:
    told = said(rank(0, waiting(3), kind="cut off", line=3), rank(1, line=8, **ending))
    assert told[0].startswith(words)
    assert "; rank 0 waited for it in `all_reduce` 1 at train.py, line 3" in told[0]
    assert len(told) == 1


def test_what_gloo_ends_a_process_with_is_told_in_words() -> None:
    last = (
        "what():  [enforce fail at pair.cc:456] op.preamble.length <= op.nbytes. 16 vs 8. Received"
    )
    closed = "RuntimeError: [gloo/pair.cc] Connection reset by peer"
    (told,) = said(
        rank(0, line=3, kind="killed", signal="SIGABRT", message=last),
        rank(1, waiting(3, sizes=((16,),)), kind="raised", message=closed),
        was_cut=False,
    )
    assert told == (
        "Rank 0 was ended by SIGABRT at train.py, line 3 (`dist.all_reduce(x)`): gloo got a piece "
        "of 16 bytes from another rank where it waited for 8, so ranks bring different sizes or "
        "types to a collective, or call different ones; rank 1 brings float[16] to `all_reduce` 1 "
        "at train.py, line 3 (`dist.all_reduce(x)`)."
    )


def test_a_rank_that_is_on_its_way_is_told_with_its_time_there() -> None:
    (told,) = said(rank(0, waiting(3), kind="cut off", line=3), rank(1, kind="cut off", line=8))
    assert told.startswith("Rank 1 was at train.py, line 8 (`load(x)`) for 3.5 s when the job")
    assert "had not come to `all_reduce` 1 of all ranks, in which rank 0 waits" in told


def test_a_rank_whose_line_is_not_known_is_told_as_such() -> None:
    (told,) = said(rank(0, kind="cut off"), rank(1))
    over = "when the job was ended, on a line that is not known"
    assert told == f"Rank 0 was still under way {over}; rank 1 had ended by then."
    (told,) = said(rank(0, waiting(3), kind="cut off", line=3), rank(1, kind="cut off"))
    assert told.startswith(f"Rank 1 was still under way {over}, and had not come to `all_reduce`")


def test_a_late_rank_is_told_with_what_it_did() -> None:
    (told,) = said(
        rank(0, call(3, started=1.0)), rank(1, call(3, started=4.0), line=8), was_cut=False
    )
    assert told == (
        "Rank 1 came 3.0 s late to `all_reduce` 1 at train.py, line 3 (`dist.all_reduce(x)`), "
        "where rank 0 waited: meanwhile it was 3.0 s at train.py, line 8 (`load(x)`)."
    )


def test_a_short_wait_is_not_told() -> None:
    assert said(rank(0, call(3, started=1.0)), rank(1, call(3, started=1.9)), was_cut=False) == []


def test_calls_that_are_not_kept_are_no_absence() -> None:
    blind = rank(1)
    assert blind.rank is not None
    blind = replace(blind, rank=replace(blind.rank, calls=None))
    whole = rank(0, call(3), call(5, 2))
    assert said(whole, blind, was_cut=False) == []
    job = Job(title="step", recordings=(whole, blind))
    view = build_job(job, {"rank 0": whole, "rank 1": blind})
    assert "The collectives that ran are not known on rank 1." in view.remarks


def test_forgotten_calls_are_no_absence() -> None:
    late = [call(3, number) for number in (7, 8)]
    assert said(rank(0, *late), rank(1, call(3, 6), *late), was_cut=False) == []


def test_a_rank_that_did_not_finish_is_named_by_its_number_where_another_is_missing() -> None:
    first, third = (of_four(rank(n, kind=kind)) for n, kind in ((0, "finished"), (2, "running")))
    job = Job(title="step", recordings=(first, third))
    view = build_job(job, {"rank 0": first, "rank 2": third})
    assert view.sentence == "1 rank did not finish: rank 2 ran."


def test_hostile_text_of_a_line_stays_in_its_quotes() -> None:
    odd = replace(rank(1, kind="killed", signal="SIGKILL", line=1),
                  sources=(Source("train.py", "user", (Excerpt(1, "x = '`<b>'"),)),))  # fmt: skip
    (told,) = said(rank(0), odd)
    assert "`" not in told
