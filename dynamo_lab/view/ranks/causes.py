"""Why a job of several ranks failed, hung or was slow: which rank, on which line, and why."""

import re
from collections.abc import Iterator, Sequence

from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.view.core.places import Line
from dynamo_lab.view.core.words import first_up, listed, seconds, times
from dynamo_lab.view.ranks.known import GroupKey, Known, condition_of, group_words, names_of
from dynamo_lab.view.ranks.meetings import Meeting, differs, meetings

_LATE = 1.0
"""Seconds that a rank is waited for before that is said of a job that finished."""
_ABSENT = ("finished", "cut off", "running")
"""How a rank ended that may have been waited for in vain: of others it is said what ended them."""
_TOO_MUCH = re.compile(r"op\.preamble\.length <= op\.nbytes\.?\s*(\d+) vs\.? (\d+)")
_OTHERWISE = "Ranks that wait in different collectives wait forever."


def known_of(job: Job) -> list[Known]:
    """Its ranks, each with its recording."""
    return [
        Known(f"rank {one.rank.number}", one, one.rank)
        for one in job.recordings
        if one.rank is not None
    ]


def causes(job: Job) -> Iterator[str]:
    """What went wrong, the cause before what follows from it; nothing if all went well."""
    ranks = known_of(job)
    if job.plan is not None:  # nobody met
        yield from _raised(ranks)
        return
    met = meetings(ranks)
    failed = job.was_cut or any(one.rank.ending.kind != "finished" for one in ranks)
    yield from _ended_from_outside(ranks)
    yield from _parted(ranks, met)
    yield from _raised(ranks)
    yield from _exited(ranks)
    if failed:
        yield from _never_came(ranks, met, job.limit)
        yield from _elsewhere(ranks, job)
    else:
        yield from _late(ranks, met)


def _ended_from_outside(ranks: Sequence[Known]) -> Iterator[str]:
    for one in ranks:
        ending = one.rank.ending
        if ending.kind == "stopped":
            how = f"stood still ({ending.signal}){_at(one)}"
            yield f"{first_up(one.label)} {how}{_who_waits(one, ranks)}."
        elif ending.kind == "killed":
            said = f": {ending.message}" if ending.message else ""
            told = _mismatch(one, ranks) or f"{_who_waits(one, ranks)}{said.rstrip('.')}"
            yield f"{first_up(one.label)} was ended by {ending.signal}{_at(one)}{told}."


def _mismatch(one: Known, ranks: Sequence[Known]) -> str:
    """What gloo ends a process with that got more than it waited for; empty of other last words.

    The calls of such a rank are lost with it, but not those of the others.
    """
    found = _TOO_MUCH.search(one.rank.ending.message)
    if found is None:
        return ""
    came, wanted = found.groups()
    others = [
        f"{other.label} brings {_sizes(call)} to {_call(call)}{_on(other, call)}"
        for other in ranks
        if other is not one and (call := other.waiting) is not None
    ]
    return (
        f": gloo got a piece of {came} bytes from another rank where it waited for {wanted}, so "
        "ranks bring different sizes or types to a collective, or call different ones"
        + (f"; {others[0]}" if others else "")
    )


def _at(one: Known) -> str:
    return f" at {where}" if (where := one.where(one.position)) else ", on a line that is not known"


def _who_waits(missing: Known, ranks: Sequence[Known]) -> str:
    """'; rank 0 waited for it in `all_reduce` 2 (train.py, line 8)'."""
    for one in ranks:
        call = one.waiting
        if call is not None and one is not missing and missing.rank.number in _members(one, call):
            where = one.where(one.line_of(call))
            return f"; {one.label} waited for it in {_call(call)}" + (
                f" at {where}" if where else ""
            )
    return ""


def _members(one: Known, call: Call) -> tuple[int, ...]:
    ranks = next((group.ranks for group in one.rank.groups if group.name == call.group), ())
    return ranks or tuple(range(one.rank.size))


def _call(call: Call) -> str:
    return f"`{call.name}` {call.number}"


def _parted(ranks: Sequence[Known], met: Sequence[Meeting]) -> Iterator[str]:
    """The first meeting to which ranks came with different calls: what follows is off by it."""
    by_number = {one.rank.number: one for one in ranks}
    for meeting in met:
        pair = differs(meeting)
        if pair is None:
            continue
        a, b = by_number[pair[0]], by_number[pair[1]]
        one, other = meeting.calls[pair[0]], meeting.calls[pair[1]]
        group = group_words(meeting.group, a.rank.size)
        which = f"as number {meeting.number} of {group}"
        if one.name != other.name:
            yield (
                f"{first_up(b.label)} calls `{other.name}`{_on(b, other)} where {a.label} calls "
                f"`{one.name}`{_on(a, one)}, {which}{_under(b, other) or _under(a, one)}"
                f"{_handling(b, a)}. "
                f"{_OTHERWISE}"
            )
        else:
            yield (
                f"{first_up(b.label)} brings {_sizes(other)} to `{other.name}`{_on(b, other)}, but "
                f"{a.label} {_sizes(one)}{_on(a, one)}, {which}: {_must(one, other)}."
            )
        return


def _must(one: Call, other: Call) -> str:
    if one.dtypes != other.dtypes:
        return "each rank must bring tensors of the same type"
    return "each rank must bring as much"


def _handling(*ranks: Known) -> str:
    """', while rank 1 handles ValueError: no such batch, raised at train.py, line 8'."""
    for one in ranks:
        handled = one.rank.handled
        if handled is not None:
            where = one.where(one.places.line_of(handled.span))
            return f", while {one.label} handles {handled.message.rstrip('.')}, raised at {where}"
    return ""


def _on(one: Known, call: Call) -> str:
    where = one.where(one.line_of(call))
    return f" at {where}" if where else ""


def _under(one: Known, call: Call) -> str:
    condition = condition_of(one, one.line_of(call))
    return f": on {one.label} it is {condition}" if condition else ""


def _sizes(call: Call) -> str:
    shapes = [
        f"{kind.lower()}[{', '.join(map(str, sizes))}]"
        for kind, sizes in zip(call.dtypes, call.sizes, strict=False)
    ]
    return listed(shapes) or "nothing"


def _raised(ranks: Sequence[Known]) -> Iterator[str]:
    """Exceptions of the program's own, before those that only tell of another rank's end."""
    raised = [one for one in ranks if one.rank.ending.kind == "raised"]
    for one in sorted(raised, key=lambda one: one.blames_others):
        if one.blames_others and len(raised) < len(ranks):
            continue  # somebody else is the cause
        failure = one.recording.failure
        line = None
        if failure is not None and failure.span is not None:
            line = one.places.line_of(failure.span)
        where = one.where(line)
        yield (
            f"{first_up(one.label)} raised {one.rank.ending.message}"
            + (f" at {where}" if where else "")
            + f"{_who_waits(one, ranks)}."
        )


def _exited(ranks: Sequence[Known]) -> Iterator[str]:
    for one in ranks:
        ending = one.rank.ending
        if ending.kind == "exited":
            said = f" ({ending.message})" if ending.message else ""
            yield (
                f"{first_up(one.label)} ended itself with exit code {ending.code}{_at(one)}{said}"
                f"{_who_waits(one, ranks)}."
            )


def _never_came(
    ranks: Sequence[Known], met: Sequence[Meeting], limit: float | None
) -> Iterator[str]:
    """Ranks that others waited for in vain, and what they did instead."""
    by_number = {one.rank.number: one for one in ranks}
    told: set[int] = set()
    for meeting in met:
        for number in meeting.absent:
            one = by_number[number]
            if number in told or one.rank.ending.kind not in _ABSENT:
                continue
            if one.waiting is not None and one.waiting.started < meeting.start:
                continue  # it waits itself, for someone whose absence is told
            told.add(number)
            yield _absent(one, meeting, by_number, limit)


def _absent(one: Known, meeting: Meeting, ranks: dict[int, Known], limit: float | None) -> str:
    first = min(meeting.calls, key=lambda rank: meeting.calls[rank].started)
    other, call = ranks[first], meeting.calls[first]
    group = group_words(meeting.group, one.rank.size)
    waiting = names_of([ranks[number] for number in meeting.calls])
    does = "waits" if len(meeting.calls) == 1 else "wait"
    what = f"`{call.name}` {meeting.number} of {group}, in which {waiting} {does}{_on(other, call)}"
    condition = condition_of(other, other.line_of(call))
    under = f": there it is {condition}" if condition else ""
    under += _times(one, other, call) + _placement(one, other, call)
    if one.rank.ending.kind == "finished":
        return f"{first_up(one.label)} ended without calling {what}{under}."
    if one.waiting is not None:
        key = _key(one, one.waiting)
        apart = "" if key == meeting.group else f" of {group_words(key, one.rank.size)}"
        return (
            f"{first_up(one.label)} waits in {_call(one.waiting)}{apart}{_on(one, one.waiting)}, "
            f"and never comes to {what}{under}{_handling(one, other)}. {_OTHERWISE}"
        )
    if one.rank.ending.kind == "running":
        return f"{first_up(one.label)} had not come to {what} when it was last heard of{under}."
    stay = one.rank.stays[-1] if one.rank.stays else None
    spent = f" for {seconds(stay.end - stay.start)}" if stay and stay.end > stay.start else ""
    over = f" when its {limit:g} s were over" if limit else ""
    return f"{_was(one, spent, over)}, and had not come to {what}{under}{_handling(one)}."


def _placement(one: Known, other: Known, call: Call) -> str:
    """'; there a DTensor [8, 4] goes from S(0) to R, and on rank 1 none changed its placement'."""
    why = other.placements.why(call, other.nodes.node_of(call))
    if not why:
        return ""
    none = not one.recording.redistributions and one.recording.environment != Environment()
    return f"; there {why}" + (f", and on {one.label} none changed its placement" if none else "")


def _times(one: Known, other: Known, call: Call) -> str:
    """'; that line has called it 4 times on rank 0, and 3 times on rank 1', where both came to it.

    Of two loops, one is longer: as with a batch that one rank alone has.
    """
    where = other.where(other.line_of(call))
    if not where or one.rank.forgotten or other.rank.forgotten:
        return ""
    more, fewer = (
        sum(c.name == call.name and each.where(each.line_of(c)) == where
            for c in each.rank.calls or ())
        for each in (other, one)
    )  # fmt: skip
    if not 0 < fewer < more:
        return ""
    return (
        f"; that line called it {times(more)} on {other.label}, and {times(fewer)} on {one.label}"
    )


def _key(one: Known, call: Call) -> GroupKey:
    return next((key for key, calls in one.calls.items() if call in calls.values()),
                GroupKey(call.group, ()))  # fmt: skip


def _elsewhere(ranks: Sequence[Known], job: Job) -> Iterator[str]:
    """Where those were that were cut off while nobody waited for them."""
    if any(one.waiting for one in ranks):
        return
    for one in ranks:
        if one.rank.ending.kind == "cut off" and job.was_cut:
            yield _was(one, "", f" when its {job.limit or 0:g} s were over") + "."


def _was(one: Known, spent: str, over: str) -> str:
    """'Rank 1 was at train.py, line 8, for 3.5 s when its 10 s were over'."""
    if one.where(one.position):
        return f"{first_up(one.label)} was{_at(one)}{spent}{over}"
    return f"{first_up(one.label)} was still under way{over}{_at(one)}"


def _late(ranks: Sequence[Known], met: Sequence[Meeting]) -> Iterator[str]:
    """The longest wait of a job that finished, and what the late rank did meanwhile."""
    whole = [one for one in met if len(one.calls) > 1 and not one.absent]
    longest = max(whole, key=lambda one: one.lateness, default=None)
    if longest is None or longest.lateness < _LATE:
        return
    by_number = {one.rank.number: one for one in ranks}
    late = by_number[longest.last]
    call = longest.calls[longest.last]
    waited = [by_number[number] for number in longest.calls if number != longest.last]
    yield (
        f"{first_up(late.label)} came {seconds(longest.lateness)} late to {_call(call)}"
        f"{_on(late, call)}, where {names_of(waited)} waited"
        f"{_meanwhile(late, longest.start, call.started)}."
    )


def _meanwhile(one: Known, start: float, end: float) -> str:
    """': meanwhile it compiled `f` again (3.1 s), because ...', or the line it was on longest."""
    compiled = _compiled(one, start, end)
    if compiled:
        return f": meanwhile it {compiled}"
    spent: dict[Line, float] = {}
    for stay in one.rank.stays:
        inside = min(stay.end, end) - max(stay.start, start)
        if inside > 0:
            line = one.places.line_of(stay.span)
            spent[line] = spent.get(line, 0.0) + inside
    if not spent:
        return ""
    line = max(spent, key=lambda line: spent[line])
    return f": meanwhile it was {seconds(spent[line])} at {one.where(line)}"


def _compiled(one: Known, start: float, end: float) -> str:
    """What it compiled in that time, if that took most of it."""
    shift = one.rank.started
    spent: dict[str, float] = {}
    for timing in one.recording.timings:
        if timing.parent < 0 and timing.compile_id:
            at = shift + timing.start
            inside = min(at + timing.seconds, end) - max(at, start)
            if inside > 0:
                spent[timing.compile_id] = spent.get(timing.compile_id, 0.0) + inside
    if not spent or sum(spent.values()) < (end - start) / 2:
        return ""
    longest = max(spent, key=lambda compile_id: spent[compile_id])
    frames = (
        frame
        for frame in one.recording.frames
        if any(attempt.compile_id == longest for attempt in frame.attempts)
    )
    frame = next(frames, None)
    if frame is None:
        return f"compiled for {seconds(sum(spent.values()))}"
    where = one.places.where_named(one.places.line_of(frame.span))
    name = f"`{one.places.function(frame.span)}` ({where})"
    again = next((item for item in one.recording.recompiles if item.compile_id == longest), None)
    if again is None or not again.failures:
        return f"compiled {name} for {seconds(spent[longest])}"
    return f"compiled {name} again for {seconds(spent[longest])}, because `{again.failures[0][1]}`"
