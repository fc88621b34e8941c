"""Why ranks wait: who did not come and what it did instead, or what all of them are in."""

import re
from collections.abc import Iterator, Sequence

from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.view.core.words import first_up, seconds, times
from dynamo_lab.view.ranks.causes.outside import called_instead
from dynamo_lab.view.ranks.causes.words import OTHERWISE, at, call_words, handling, on
from dynamo_lab.view.ranks.known import Known, condition_of, names_of
from dynamo_lab.view.ranks.meetings import Meeting, differs
from dynamo_lab.view.ranks.mesh.groups import GroupKey, group_words

_ABSENT = ("finished", "cut off", "running")
"""How a rank ended that may have been waited for in vain: of others it is said what ended them."""
_ONE_RANK = {
    "broadcast": "source", "scatter": "source", "gather": "destination", "reduce": "destination",
}  # fmt: skip
"""Collectives in which one rank is another than the others."""
_MAKES_GROUPS = re.compile(r"\b(?:new_group|split_group|new_subgroups\w*|init_device_mesh)\(")


def never_came(
    ranks: Sequence[Known], met: Sequence[Meeting], limit: float | None
) -> Iterator[str]:
    """Ranks that others waited for in vain, and what they did instead."""
    by_number = {one.rank.number: one for one in ranks}
    told: set[int] = set()
    for meeting in met:
        alike: dict[str, list[Known]] = {}
        for number in meeting.absent:
            one = by_number[number]
            if number in told or one.rank.ending.kind not in _ABSENT:
                continue
            is_earlier = one.waiting is not None and one.waiting.started < meeting.start
            if is_earlier and meeting.is_by_one_clock:
                continue  # it waits itself, for someone whose absence is told
            told.add(number)
            words = _absent([one], meeting, by_number, limit).replace(_spent([one]), "")
            alike.setdefault(re.sub(rf"\b(?i:{one.label})\b", "", words), []).append(one)
        for those in alike.values():
            yield _absent(those, meeting, by_number, limit)


def _absent(
    those: Sequence[Known], meeting: Meeting, ranks: dict[int, Known], limit: float | None
) -> str:
    """What these ranks did instead, of all of them what the first did."""
    one, who, is_one = those[0], names_of(those), len(those) == 1
    first = min(meeting.calls, key=lambda rank: meeting.calls[rank].started)
    other, call = ranks[first], meeting.calls[first]
    group = group_words(meeting.group, other.rank)
    waiting = names_of([ranks[number] for number in meeting.calls])
    does = "waits" if len(meeting.calls) == 1 else "wait"
    what = f"`{call.name}` {meeting.number} of {group}, in which {waiting} {does}{on(other, call)}"
    condition = condition_of(other, other.line_of(call))
    under = f": there it is {condition}" if condition else ""
    under += _times(one, who, other, call) + _placement(one, who, other, call)
    under += called_instead(those, call.name)
    if one.rank.ending.kind == "finished":
        return f"{first_up(who)} ended without calling {what}{under}."
    if one.waiting is not None:
        key = _key(one, one.waiting)
        apart = "" if key == meeting.group else f" of {group_words(key, one.rank)}"
        return (
            f"{first_up(who)} {'waits' if is_one else 'wait'} in {call_words(one.waiting)}{apart}"
            f"{on(one, one.waiting)}, and never {'comes' if is_one else 'come'} to {what}{under}"
            f"{handling(those, [other])}. {OTHERWISE}"
        )
    if one.rank.ending.kind == "running":
        it = "it was" if is_one else "they were"
        return f"{first_up(who)} had not come to {what} when {it} last heard of{under}."
    over = " when the job was ended" if limit else ""
    return (
        f"{_was(those, _spent(those), over)}, and had not come to {what}{under}{handling(those)}."
    )


def _spent(those: Sequence[Known]) -> str:
    """' for 3.5 s', ' for 3.5 s to 3.6 s', how long each was on the line that it was last on."""
    lasts = [one.rank.stays[-1] for one in those if one.rank.stays]
    spent = [max(stay.end - stay.start, 0.0) for stay in lasts]
    if not any(spent):
        return ""
    least, most = seconds(min(spent)), seconds(max(spent))
    if min(spent) == 0 or len(spent) < len(those):
        return f" for at most {most}"
    return f" for {least}" + (f" to {most}" if least != most else "")


def _placement(one: Known, who: str, other: Known, call: Call) -> str:
    """'; there a DTensor [8, 4] goes from S(0) to R, and on rank 1 none changed its placement'."""
    why = other.placements.why(call, other.nodes.node_of(call))
    if not why:
        return ""
    none = not one.recording.redistributions and one.recording.environment != Environment()
    return f"; there {why}" + (f", and on {who} none changed its placement" if none else "")


def _times(one: Known, who: str, other: Known, call: Call) -> str:
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
    return f"; that line called it {times(more)} on {other.label}, and {times(fewer)} on {who}"


def together(ranks: Sequence[Known], met: Sequence[Meeting], job: Job) -> Iterator[str]:
    """The first collective that all have come to, with alike tensors, and that did not end."""
    by_number = {one.rank.number: one for one in ranks}
    for one in met:
        if one.absent or differs(one) or all(call.is_done for call in one.calls.values()):
            continue
        first = min(one.calls)
        call = one.calls[first]
        role = _ONE_RANK.get(call.name.lstrip("_"))
        yield (
            f"{first_up(names_of([by_number[number] for number in one.calls]))} are all in "
            f"`{call.name}` {one.number} of {group_words(one.group, by_number[first].rank)}"
            f"{on(by_number[first], call)}, which was not over when the job was ended: "
            + (
                f"all must name the same rank as its {role}, which is not recorded."
                if role
                else "they bring alike tensors, and why it does not end is not known."
            )
        )
        return


def _key(one: Known, call: Call) -> GroupKey:
    return next((key for key, calls in one.calls.items() if call in calls.values()),
                GroupKey(call.group, ()))  # fmt: skip


def elsewhere(ranks: Sequence[Known], job: Job) -> Iterator[str]:
    """Where those were that were cut off while nobody waited for them."""
    if any(one.waiting for one in ranks):
        return
    ended = [one for one in ranks if one.rank.ending.kind == "finished"]
    without = f"; {names_of(ended)} had ended by then" if ended else ""
    alike: dict[str, list[Known]] = {}
    for one in ranks:
        if one.rank.ending.kind == "cut off" and job.was_cut:
            alike.setdefault(one.where(one.position), []).append(one)
    for those in alike.values():
        line = those[0].position
        makes = line is not None and _MAKES_GROUPS.search(those[0].places.text(line))
        rule = ". All ranks must make a group, in the same order, also those not in it"
        yield (
            _was(those, "", " when the job was ended")
            + without
            + (rule if ended and makes else "")
            + "."
        )


def _was(those: Sequence[Known], spent: str, over: str) -> str:
    """'Rank 1 was at train.py, line 8, for 3.5 s when the job was ended'."""
    one, was = those[0], "was" if len(those) == 1 else "were"
    if one.where(one.position):
        return f"{first_up(names_of(those))} {was}{at(one)}{spent}{over}"
    return f"{first_up(names_of(those))} {was} still under way{over}{at(one)}"
