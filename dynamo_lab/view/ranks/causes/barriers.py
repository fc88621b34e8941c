"""Monitored barriers whose time was over: the first rank raises, and names who did not come."""

import re
from collections.abc import Iterator, Sequence

from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.ranks.known import Known, names_of

_MISSED = re.compile(r"Ranks? ([\d, ]+) failed to pass monitoredBarrier")


def not_at_barrier(ranks: Sequence[Known]) -> Iterator[str]:
    """Who did not come, and where it was when the barrier raised."""
    by_number = {one.rank.number: one for one in ranks}
    for one in ranks:
        late = [by_number[number] for number in missed(one) if number in by_number]
        if late:
            where = one.where(one.raised_at)
            yield (
                f"{first_up(names_of(late))} had not come to the monitored barrier"
                f"{f' at {where}' if where else ''}, where {one.label} raised "
                f"{one.rank.ending.message.rstrip('.')}{''.join(_was(each, one) for each in late)}."
            )


def missed(one: Known) -> tuple[int, ...]:
    """The ranks that a monitored barrier did not see, as a rank raised that it did not."""
    ending = one.rank.ending
    found = _MISSED.search(ending.message) if ending.kind == "raised" else None
    return tuple(int(number) for number in found[1].split(",") if number.strip()) if found else ()


def _was(late: Known, than: Known) -> str:
    """'; rank 1 was at train.py, line 8 (`load(x)`) then', where one clock tells that."""
    stay = next((one for one in late.rank.stays if one.start <= than.rank.seen <= one.end), None)
    if stay is None or late.rank.host != than.rank.host:
        return ""
    return f"; {late.label} was at {late.where(late.places.line_of(stay.span))} then"
