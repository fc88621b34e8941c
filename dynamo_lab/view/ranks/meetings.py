"""The calls of ranks, put together: which met, which did not, and how long each was waited for."""

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.view.ranks.clocks import clocks_of
from dynamo_lab.view.ranks.known import Known
from dynamo_lab.view.ranks.mesh.groups import GroupKey

_ALIKE = (
    "all_reduce", "allreduce", "reduce", "broadcast", "allgather", "all_gather", "_allgather_base",
    "_reduce_scatter_base", "reduce_scatter_tensor", "all_gather_into_tensor",
)  # fmt: skip
"""Collectives to which every rank brings as many elements: of others sizes may rightly differ."""


class Meeting(Struct, frozen=True, kw_only=True):
    """A call of one number in one group: what each rank of the group called, and who did not.

    `calls` are by the rank's place in the job, `absent` are the ranks that did not come to it.
    Where not `is_by_one_clock`, times of its ranks are by clocks that may differ.
    """

    group: GroupKey
    number: int
    calls: Mapping[int, Call]
    absent: tuple[int, ...] = ()
    is_by_one_clock: bool = True

    @property
    def start(self) -> float:
        """When the first rank came."""
        return min(call.started for call in self.calls.values())

    @property
    def lateness(self) -> float:
        """The seconds between the first rank that came and the last."""
        return max(call.started for call in self.calls.values()) - self.start

    @property
    def last(self) -> int:
        """The rank that came last."""
        return max(self.calls, key=lambda rank: self.calls[rank].started)


def meetings(ranks: Sequence[Known]) -> list[Meeting]:
    """The meetings of all groups, in the order in which they began.

    Ranks whose groups keep no calls are not said to be absent, nor are those of which earlier
    calls are forgotten.
    """
    able = {one.rank.number: one for one in ranks if one.rank.calls is not None}
    keys = dict.fromkeys(key for one in able.values() for key in one.calls)
    found: list[Meeting] = []
    clocks = clocks_of(ranks)
    hosts = {} if clocks.are_known else {one.rank.number: one.rank.host for one in ranks}
    for key in keys:
        members = [n for n in key.ranks or able if n in able]
        is_known = len({hosts.get(number) for number in members}) < 2
        own = _of_group(key, {number: able[number] for number in members})
        found += own if is_known else [replace(one, is_by_one_clock=False) for one in own]
    return sorted(found, key=lambda one: one.start)


def _of_group(key: GroupKey, members: Mapping[int, Known]) -> Iterator[Meeting]:
    own = {number: known.calls.get(key, {}) for number, known in members.items()}
    first = max((min(calls) for calls in own.values() if calls), default=1)
    last = max((max(calls) for calls in own.values() if calls), default=0)
    for number in range(first, last + 1):
        calls = {rank: known[number] for rank, known in own.items() if number in known}
        absent = tuple(rank for rank in own if rank not in calls)
        yield Meeting(group=key, number=number, calls=calls, absent=absent)


def differs(meeting: Meeting) -> tuple[int, int] | None:
    """Two ranks that called different things there, or brought different sizes; None if none."""
    (one, first), *others = meeting.calls.items()
    for other, call in others:
        if call.name != first.name or _brings_other(call, first):
            return one, other
    return None


def _brings_other(a: Call, b: Call) -> bool:
    if a.name not in _ALIKE:
        return False
    return (_elements(a), a.dtypes) != (_elements(b), b.dtypes)


def _elements(call: Call) -> list[int]:
    return [prod(sizes) for sizes in call.sizes]
