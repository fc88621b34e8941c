"""The clocks of a job's hosts, which do not agree: how far apart they are, where that is known.

Some collectives end on all their ranks at nearly one moment: none has its result before the last
one came. So the ends of those that the profiler timed tell how far the clock of another host is
ahead. Without such ends nothing that compares the times of two hosts is said.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from msgspec.structs import replace

from dynamo_lab.model.ranks.intervals import Interval
from dynamo_lab.model.ranks.names import kind_of
from dynamo_lab.model.ranks.ranks import Call, Timeline
from dynamo_lab.view.core.words import listed, seconds, unique
from dynamo_lab.view.ranks.known import Known, names_of

_FEWEST = 3
"""So many collectives of both hosts must have been timed."""
_OF_ALL = ("allreduce", "allgather", "reducescatter", "barrier", "allreducebarrier")
"""Kinds of collectives in which each rank needs all others. The source of a broadcast has sent, and
a rank to which others send nothing in an all-to-all is done, before the last one comes."""
_MOST_APART = 0.1
"""Seconds by which the ends may differ from what is made of them: else nothing is made of them."""


class Clocks(NamedTuple):
    """`ahead` are the seconds that each host's clock is ahead of the first's, as far as known.

    `apart` are the most seconds that an end lies from that.
    """

    hosts: tuple[str, ...]
    ahead: Mapping[str, float]
    apart: float

    @property
    def are_known(self) -> bool:
        """Whether the times of all hosts can be compared."""
        return len(self.ahead) == len(self.hosts)


def clocks_of(ranks: Sequence[Known]) -> Clocks:
    """The hosts of the ranks; those of one host share a clock."""
    hosts = tuple(unique(one.rank.host for one in ranks))
    if len(hosts) < 2:
        return Clocks(hosts, dict.fromkeys(hosts, 0.0), 0.0)
    ends = {host: dict(_ends(ranks, host)) for host in hosts}
    ahead, apart = {hosts[0]: 0.0}, 0.0
    for host in hosts[1:]:
        first = ends[hosts[0]]
        found = sorted(end - first[key] for key, end in ends[host].items() if key in first)
        if len(found) >= _FEWEST:
            middle = median(found)
            off = max(found[-1] - middle, middle - found[0])
            if off <= _MOST_APART:
                ahead[host], apart = middle, max(apart, off)
    return Clocks(hosts, ahead, apart)


def _ends(ranks: Sequence[Known], host: str) -> Iterator[tuple[object, float]]:
    """When each collective that waits for several ranks ended on a host, by group and number."""
    latest: dict[object, float] = {}
    for one in ranks:
        for key, calls in one.calls.items() if one.rank.host == host else ():
            for number, call in calls.items():
                is_of_all = kind_of(call.name) in _OF_ALL and len(key.ranks) != 1
                if call.ran is not None and is_of_all:
                    at = key, number
                    latest[at] = max(latest.get(at, 0.0), call.ran[1])
    yield from latest.items()


def aligned(ranks: Sequence[Known]) -> list[Known]:
    """The ranks with the times of all hosts by the clock of the first, where that is known.

    Where it is not, a host's times are as if its first rank had begun when that of the first did.
    """
    clocks = clocks_of(ranks)
    if len(clocks.hosts) < 2:
        return list(ranks)
    began = {host: _began(ranks, host) for host in clocks.hosts}
    first = began[clocks.hosts[0]]
    ahead = {host: clocks.ahead.get(host, began[host] - first) for host in clocks.hosts}
    return [_shifted(one, ahead[one.rank.host]) for one in ranks]


def _began(ranks: Sequence[Known], host: str) -> float:
    return min((one.rank.started for one in ranks if one.rank.host == host), default=0.0)


def of_hosts(ranks: Sequence[Known]) -> Iterator[str]:
    """Which of these aligned ranks ran where, and what their times are worth beside each other."""
    clocks = clocks_of(ranks)
    if len(clocks.hosts) < 2:
        return
    where = [
        f"{names_of([one for one in ranks if one.rank.host == host])} on "
        f"{host or 'a host without a name'}"
        for host in clocks.hosts
    ]
    yield f"The ranks ran on {len(clocks.hosts)} hosts: {listed(where, 6)}."
    if not clocks.are_known:
        yield (
            "How far the clocks of the hosts differ is not known: each host's times are from its "
            "own start, and who came late on another host is not told. Recorded with `--profile`, "
            "the ends of collectives in which each rank needs all others, as of all-reduces, tell "
            "it."
        )
        return
    far = max(abs(one.ahead) for one in ranks)
    yield (
        f"The clocks of the hosts differ by up to {seconds(far)}, by the ends of collectives: all "
        f"times are by that of {clocks.hosts[0] or 'the first'}, give or take "
        f"{seconds(clocks.apart)}."
    )


def _shifted(one: Known, ahead: float) -> Known:
    """A rank whose times are so many seconds earlier; 0 stays, as it says that none is known."""
    own, by = one.rank, -ahead
    redistributions = tuple(
        replace(each, started=_later(each.started, by), ended=_later(each.ended, by))
        for each in one.recording.redistributions
    )
    rank = replace(
        own,
        calls=own.calls and tuple(_call(call, by) for call in own.calls),
        stays=tuple(replace(stay, start=stay.start + by, end=stay.end + by) for stay in own.stays),
        started=_later(own.started, by),
        seen=_later(own.seen, by),
        timeline=own.timeline and _timeline(own.timeline, by),
    )
    recording = replace(one.recording, rank=rank, redistributions=redistributions)
    return Known(one.label, recording, rank, ahead, one.stands_for, one.is_planned)


def _call(call: Call, by: float) -> Call:
    ran = call.ran and (call.ran[0] + by, call.ran[1] + by)
    return replace(call, started=_later(call.started, by), ran=ran)


def _timeline(known: Timeline, by: float) -> Timeline:
    def later(times: Sequence[Interval]) -> tuple[Interval, ...]:
        return tuple((start + by, end + by) for start, end in times)

    return replace(
        known,
        start=_later(known.start, by),
        computing=later(known.computing),
        communicating=later(known.communicating),
    )


def _later(moment: float, by: float) -> float:
    return moment and moment + by
