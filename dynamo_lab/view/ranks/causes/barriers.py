"""Monitored barriers whose time was over: the first rank raises, and names who did not come.

It names each by its place in the barrier's group, and not the group: that is one whose first rank
it is itself.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dynamo_lab.model.ranks.ranks import LONGEST_MESSAGE
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.ranks.known import Known, names_of

_NAMED = re.compile(r"\[Rank 0\]: Ranks? (\d[\d, ]*)")
_FAILED = "failed to pass monitoredBarrier"


class Missed(NamedTuple):
    """The ranks of the job that a barrier did not see, and the places that it names them by.

    Not `are_all` where the message is cut.
    """

    ranks: tuple[int, ...]
    places: tuple[int, ...]
    are_all: bool


def not_at_barrier(ranks: Sequence[Known]) -> Iterator[str]:
    """Who did not come, and where it was when the barrier raised."""
    by_number = {one.rank.number: one for one in ranks}
    for one in ranks:
        found = missed(one)
        late = [by_number[number] for number in found.ranks if number in by_number] if found else []
        if found and late:
            where = one.where(one.raised_at)
            who = names_of(late) if found.are_all else f"at least {names_of(late)}"
            yield (
                f"{first_up(who)} had not come to the monitored barrier"
                f"{f' at {where}' if where else ''}, where {one.label} raised "
                f"{one.rank.ending.message.rstrip('.')}{by_place(one)}"
                f"{''.join(_was(each, one) for each in late)}."
            )


def missed(one: Known) -> Missed | None:
    """Whom a monitored barrier did not see, as a rank raised; None where that is not known."""
    named = _named(one)
    if named is None:
        return None
    places, are_all = named
    found = {
        tuple(group.ranks[place] for place in places)
        for group in one.rank.groups
        if group.ranks[:1] == (one.rank.number,) and max(places) < len(group.ranks)
    }
    return Missed(found.pop(), places, are_all) if len(found) == 1 else None


def by_place(one: Known) -> str:
    """' (places in the barrier's group)', where it names other numbers than those of the ranks."""
    found = missed(one)
    if found is None and _named(one) is not None:
        return " (places in the barrier's group, which is not known)"
    return " (places in the barrier's group)" if found and found.ranks != found.places else ""


def _named(one: Known) -> tuple[tuple[int, ...], bool] | None:
    """The places that a barrier names, and whether these are all: a long message may be cut."""
    ending = one.rank.ending
    found = _NAMED.search(ending.message) if ending.kind == "raised" else None
    if found is None:
        return None
    rest = ending.message[found.end() :]
    places = tuple(int(place) for place in found[1].split(",") if place.strip())
    if rest.startswith(_FAILED):
        return places, True
    is_cut = len(ending.message) == LONGEST_MESSAGE and _FAILED.startswith(rest)
    if not is_cut or len(places) < 2:
        return None
    return (places, True) if rest else (places[:-1], False)  # the last number may be cut itself


def _was(late: Known, than: Known) -> str:
    """'; rank 1 was at train.py, line 8 (`load(x)`) then', where one clock tells that."""
    stay = next((one for one in late.rank.stays if one.start <= than.rank.seen <= one.end), None)
    if stay is None or late.rank.host != than.rank.host:
        return ""
    return f"; {late.label} was at {late.where(late.places.line_of(stay.span))} then"
