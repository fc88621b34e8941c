"""Why a job of several ranks failed, hung or was slow: which rank, on which line, and why."""

import re
from collections.abc import Iterator, Sequence

from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.ranks.causes.barriers import by_place, missed, not_at_barrier
from dynamo_lab.view.ranks.causes.hangs import elsewhere, never_came, together
from dynamo_lab.view.ranks.causes.late import longest_wait
from dynamo_lab.view.ranks.causes.outside import ended_outside, outside
from dynamo_lab.view.ranks.causes.words import (
    OTHERWISE,
    at,
    brought,
    call_words,
    handling,
    on,
    stands_for,
    under,
    who_waits,
)
from dynamo_lab.view.ranks.clocks import aligned
from dynamo_lab.view.ranks.known import Known, names_of
from dynamo_lab.view.ranks.meetings import Meeting, differs, meetings
from dynamo_lab.view.ranks.mesh.groups import group_words

_TOO_MUCH = re.compile(r"op\.preamble\.length <= op\.nbytes\.?\s*(\d+) vs\.? (\d+)")


def known_of(job: Job) -> list[Known]:
    """Its ranks, each with its recording; times of several hosts by one clock, where known."""
    others = _stand_for(job)
    return aligned(
        [
            Known(
                f"rank {own.number}",
                one,
                own,
                stands_for=others.get(own.number, ()),
                is_planned=job.plan is not None,
            )
            for one in job.recordings
            if (own := one.rank) is not None
        ]
    )


def _stand_for(job: Job) -> dict[int, tuple[int, ...]]:
    """The ranks of each kind of a plan; none where it ended with the first that was traced."""
    first = job.recordings[0].rank if job.recordings else None
    if job.plan is None or first is None or first.ending.kind != "finished":
        return {}
    return {kind.representative: kind.ranks for kind in job.plan.kinds}


def causes(job: Job) -> Iterator[str]:
    """What went wrong, the cause before what follows from it; nothing if all went well."""
    ranks = known_of(job)
    if job.plan is not None:  # nobody met
        yield from ended_outside(ranks)
        yield from _raised(ranks)
        yield from outside(ranks)
        return
    met = meetings(ranks)
    if not job.was_cut and all(one.rank.ending.kind == "finished" for one in ranks):
        yield from _parted(ranks, met)
        yield from outside(ranks)
        yield from longest_wait(ranks, [one for one in met if one.is_by_one_clock])
        return
    absent = list(never_came(ranks, met, job.limit))
    told = [*_ends(ranks, met), *absent] or list(_raised(ranks, for_others=True))
    told += elsewhere(ranks, job)
    yield from told or (together(ranks, met, job) if job.was_cut else ())
    yield from outside(ranks, told=absent)


def _ends(ranks: Sequence[Known], met: Sequence[Meeting]) -> Iterator[str]:
    """What ended ranks: what the program, or a signal, did before what others raised for it."""
    yield from _ended_from_outside(ranks)
    yield from _parted(ranks, met)
    yield from ended_outside(ranks)
    yield from _raised(ranks)
    yield from _exited(ranks)
    yield from not_at_barrier(ranks)


def _ended_from_outside(ranks: Sequence[Known]) -> Iterator[str]:
    for one in ranks:
        ending = one.rank.ending
        if ending.kind == "stopped":
            how = f"stood still ({ending.signal}){at(one)}"
            yield f"{first_up(one.label)} {how}{who_waits(one, ranks)}."
        elif ending.kind == "killed":
            said = f": {ending.message}" if ending.message else ""
            told = _mismatch(one, ranks) or f"{who_waits(one, ranks)}{said.rstrip('.')}"
            yield f"{first_up(one.label)} was ended by {ending.signal}{at(one)}{told}."


def _mismatch(one: Known, ranks: Sequence[Known]) -> str:
    """What gloo ends a process with that got more than it waited for; empty of other last words.

    The calls of such a rank are lost with it, but not those of the others.
    """
    found = _TOO_MUCH.search(one.rank.ending.message)
    if found is None:
        return ""
    came, wanted = found.groups()
    others = [
        f"{other.label} brings {brought(call)} to {call_words(call)}{on(other, call)}"
        for other in ranks
        if other is not one and (call := other.waiting) is not None
    ]
    return (
        f": gloo got a piece of {came} bytes from another rank where it waited for {wanted}, so "
        "ranks bring different sizes or types to a collective, or call different ones"
        + (f"; {others[0]}" if others else "")
    )


def _parted(ranks: Sequence[Known], met: Sequence[Meeting]) -> Iterator[str]:
    """The first meeting to which ranks came with different calls: what follows is off by it."""
    by_number = {one.rank.number: one for one in ranks}
    for meeting in met:
        pair = differs(meeting)
        if pair is None:
            continue
        a, b = by_number[pair[0]], by_number[pair[1]]
        one, other = meeting.calls[pair[0]], meeting.calls[pair[1]]
        group = group_words(meeting.group, a.rank)
        which = f"as number {meeting.number} of {group}"
        if one.name != other.name:
            same = [
                known
                for number, call in sorted(meeting.calls.items())
                if call.name == other.name and on(known := by_number[number], call) == on(b, other)
            ]
            calls = "calls" if len(same) == 1 else "call"
            yield (
                f"{first_up(names_of(same))} {calls} `{other.name}`{on(b, other)} where {a.label} "
                f"calls `{one.name}`{on(a, one)}, {which}{under(b, other) or under(a, one)}"
                f"{handling(same, [a])}. {OTHERWISE}"
            )
        else:
            yield (
                f"{first_up(b.label)} brings {brought(other)} to `{other.name}`{on(b, other)}, but "
                f"{a.label} {brought(one)}{on(a, one)}, {which}: {_must(one, other)}."
            )
        return


def _must(one: Call, other: Call) -> str:
    if one.dtypes != other.dtypes:
        return "each rank must bring tensors of the same type"
    return "each rank must bring as much"


def _raised(ranks: Sequence[Known], *, for_others: bool = False) -> Iterator[str]:
    """Exceptions of the program's own, or those that only tell of another rank's end."""
    numbers = {one.rank.number for one in ranks}
    for one in ranks:
        if one.rank.ending.kind != "raised" or one.blames_others != for_others:
            continue
        if any(call.has_ended_it for call in one.rank.outside):
            continue  # it is told with the group
        if (late := missed(one)) and not numbers.isdisjoint(late.ranks):
            continue  # it is told with who did not come
        where = one.where(one.raised_at)
        yield (
            f"{first_up(one.label)} raised {one.rank.ending.message}{by_place(one)}"
            + (f" at {where}" if where else "")
            + f"{handling([one])}{who_waits(one, ranks)}.{stands_for(one)}"
        )


def _exited(ranks: Sequence[Known]) -> Iterator[str]:
    for one in ranks:
        ending = one.rank.ending
        if ending.kind == "exited":
            said = f" ({ending.message})" if ending.message else ""
            yield (
                f"{first_up(one.label)} ended itself with exit code {ending.code}{at(one)}{said}"
                f"{who_waits(one, ranks)}."
            )
