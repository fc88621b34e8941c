"""Which bucket of DDP a collective of its reducer was, from the order and the bytes of its calls.

The reducer runs in C++, and from NCCL's thread no line of Python leads to it. But each backward
reduces the buckets of a list one after the other, and DDP tells how many bytes each has.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from dynamo_lab.model.ranks.ranks import Call, Rank
from dynamo_lab.model.ranks.reducers import Reduced, Reducer
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import input_name
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.ranks.fixes import JobFix, concerning, fixes_of
from dynamo_lab.view.ranks.reasons import is_reducers
from dynamo_lab.view.ranks.sizes import bytes_of

_TOLD = 2


class Tied(NamedTuple):
    """A call of the reducer: the bucket `number` of so many in `all`, and whose it is."""

    reducer: Reducer
    bucket: Reduced
    number: int
    all: int


class Buckets:
    """The buckets that a rank's collectives carried."""

    def __init__(self, recording: Recording, places: Places, rank: Rank) -> None:
        self._recording = recording
        self._places = places
        self._rank = rank

    def why(self, call: Call) -> str:
        """'DDP reduces bucket 1 of 3 (`down.weight` and 2 more), by its size and order'."""
        tied = self.tied.get((call.group, call.number))
        if tied is None:
            return ""
        which = "all gradients" if tied.all == 1 else f"bucket {tied.number} of {tied.all}"
        return f"DDP reduces {which}{_members(tied.bucket)}, by its size and order"

    def settings(self, call: Call) -> tuple[str, ...]:
        """The names of the settings of DDP that would change the bucket that a call carried."""
        tied = self.tied.get((call.group, call.number))
        return concerning(tied.bucket, self._fixes) if tied else ()

    def forward_line(self, call: Call) -> Line | None:
        """The line that first uses a parameter of the bucket: its gradient is the last to come."""
        tied = self.tied.get((call.group, call.number))
        names = tied.bucket.parameters if tied else ()
        if not names or tied is None or tied.all == 1 or not self._uses.keys() >= set(names):
            return None
        return min((self._uses[name] for name in names), key=lambda use: use[0])[1]

    def wrapped_at(self, call: Call) -> Line | None:
        """The line on which the module was wrapped."""
        tied = self.tied.get((call.group, call.number))
        span = tied.reducer.span if tied else None
        return None if span is None else self._places.line_of(span)

    @cached_property
    def _fixes(self) -> tuple[JobFix, ...]:
        return fixes_of(self._recording)

    @cached_property
    def tied(self) -> Mapping[tuple[str, int], Tied]:
        """Each call of a reducer that can be told, by its group and number."""
        found: dict[tuple[str, int], Tied] = {}
        for group in {one.group for one in self._rank.reducers}:
            reducers = [one for one in self._rank.reducers if one.group == group]
            calls = [c for c in self._rank.calls or () if c.group == group and is_reducers(c)]
            for call, tied in _tie(calls, reducers):
                found[call.group, call.number] = tied
        return found

    @cached_property
    def _uses(self) -> Mapping[str, tuple[int, Line | None]]:
        """Where a captured graph first reads each parameter; not those that two graphs read."""
        found: dict[str, tuple[int, Line | None]] = {}
        twice: set[str] = set()
        graphs = [one for one in self._recording.captured_graphs() if not one.is_backward]
        if len(graphs) != 1:
            return {}  # then the order of graphs in the forward is not known
        [graph] = graphs
        for at, node in enumerate(graph.nodes):
            if node.op != "placeholder":
                continue
            name = input_name(graph.nodes, at).removeprefix("self.")
            user = next((n for n, one in enumerate(graph.nodes) if at in one.inputs), None)
            if user is not None:
                if name in found:
                    twice.add(name)
                found[name] = user, self._places.own_line(graph.nodes[user].stack)
        return {name: use for name, use in found.items() if name not in twice}


def _members(bucket: Reduced) -> str:
    names = bucket.parameters
    if not names:
        return ""
    first = ", ".join(f"`{name}`" for name in names[:_TOLD])
    more = len(names) - _TOLD
    others = f" and {plural(more, 'parameter')} more" if more > 0 else ""
    return f" ({first}{others})"


def _tie(calls: Sequence[Call], reducers: Sequence[Reducer]) -> Iterator[tuple[Call, Tied]]:
    """Calls in order, each with its bucket: one backward's list after the other.

    Where two lists fit, whose calls they are cannot be told, and nothing is said of them.
    """
    at, follows = 0, True
    while at < len(calls):
        fits = [
            (reducer, buckets)
            for reducer in reducers
            for buckets in _lists(reducer)
            if _fits(calls[at : at + len(buckets)], buckets, may_be_cut=follows)
        ]
        follows = len(fits) == 1
        if not follows:
            at += 1
            continue
        [(reducer, buckets)] = fits
        for number, (call, bucket) in enumerate(zip(calls[at:], buckets, strict=False)):
            yield call, Tied(reducer, bucket, number, len(buckets))
        at += len(buckets)


def _lists(reducer: Reducer) -> Iterator[tuple[Reduced, ...]]:
    if reducer.initial:
        yield reducer.initial
    if reducer.rebuilt and _sizes(reducer.rebuilt) != _sizes(reducer.initial):
        yield reducer.rebuilt


def _sizes(buckets: Sequence[Reduced]) -> list[int]:
    return [one.bytes for one in buckets]


def _fits(calls: Sequence[Call], buckets: Sequence[Reduced], may_be_cut: bool) -> bool:
    """Whether calls bring these buckets: of the last backward, perhaps only the first ones."""
    wanted = _sizes(buckets)
    got = [bytes_of(call.sizes, call.dtypes) for call in calls]
    return got == (wanted[: len(got)] if may_be_cut else wanted)
