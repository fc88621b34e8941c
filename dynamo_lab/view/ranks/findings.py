"""Where the ranks of a job diverge, in plain words, the most serious first."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import first_up, listed, plural, seconds, times, unit
from dynamo_lab.view.ranks.shapes import Collective, Shape, texts_of
from dynamo_lab.view.timings.timings import compile_seconds

_MOST = 5
"""The most differences of one kind that are listed one by one."""
_LONGEST = 160
"""The most characters of a node that are quoted."""
_ORDER, _BREAK = "order of collectives", "graph break"
_SLOW, _SLOW_BY = 1.5, 1.0
"""Compiling is slow on a rank at this multiple of the fastest and this many seconds more."""

Key = tuple[str, int]
"""A function by its name in views, with its place, and the number of its compilation from 0."""


class Rank(NamedTuple):
    """The facts of a rank that are compared.

    `shapes` are those of the completely read graphs, `collectives` is None where reading failed;
    `unread` counts records that could not be read, by what they are; `blind` are the compilations
    whose kernels are among them, and `numbered` those whose graph contains the rank number.
    """

    label: str
    recording: Recording
    order: tuple[Key, ...]
    ids: Mapping[Key, str]
    graphs: Mapping[Key, Graph]
    shapes: Mapping[Key, Shape]
    kernels: Mapping[Key, tuple[str, ...]]
    collectives: tuple[Collective, ...] | None
    breaks: Mapping[str, str]
    why: Mapping[Key, str]
    unfinished: str
    unread: Mapping[str, int]
    blind: frozenset[Key] = frozenset()
    numbered: frozenset[Key] = frozenset()
    peers: int = 1


def findings(ranks: Sequence[Rank]) -> Iterator[str]:
    """Where ranks diverge: first what makes the job hang, last what only makes it slower."""
    yield from _ends(ranks)
    yield from _other_collectives(ranks)
    yield from _other_breaks(ranks)
    yield from _counts(ranks)
    yield from _parting(ranks)
    yield from _other_graphs(ranks)
    yield from _other_kernels(ranks)
    yield from _other_times(ranks)


def _ends(ranks: Sequence[Rank]) -> Iterator[str]:
    cut = [rank for rank in ranks if rank.unfinished]
    for rank in cut[:_MOST] if len(cut) < len(ranks) else ():
        rest = _names([other for other in ranks if not other.unfinished])
        yield f"{first_up(rank.label)} did not finish; {rest} did. {rank.unfinished}"


def not_compared(ranks: Sequence[Rank]) -> Iterator[str]:
    """What the findings do not cover."""
    for what in dict.fromkeys(what for rank in ranks for what in rank.unread):
        unread = [f"{rank.unread[what]:,} on {rank.label}" for rank in ranks if what in rank.unread]
        yield f"Not compared, because it could not be read: {what} ({listed(unread, _MOST)})."
    unread = [rank.label for rank in ranks if _ORDER in rank.unread]
    if blind := [rank for rank in ranks if rank.collectives is None and rank.label not in unread]:
        yield f"Not compared, because it could not be read: {_ORDER} on {_names(blind)}."
    numbered = [key for key in ranks[0].numbered if any(key in rank.kernels for rank in ranks)]
    if numbered:
        names = listed(list(dict.fromkeys(name for name, _ in sorted(numbered))), _MOST)
        yield f"Kernels of {names} are not compared: they contain the rank's own number."


def _other_collectives(ranks: Sequence[Rank]) -> Iterator[str]:
    known = [rank for rank in ranks if rank.collectives is not None]
    for one, other in _from_usual(known, _calls) if known else ():
        a, b = other.collectives or (), one.collectives or ()
        at = _first_other(_calls(other), _calls(one))
        same = at < min(len(a), len(b)) and a[at].name == b[at].name
        yield (
            f"Collectives differ: number {at + 1} is {_collective(b, at, same)} on {one.label}, "
            f"but {_collective(a, at, same)} on {other.label}. Ranks that wait in different "
            "collectives wait forever."
        )


def _calls(rank: Rank) -> tuple[tuple[str, str], ...]:
    return tuple((one.name, one.details) for one in rank.collectives or ())


def _first_other(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Where two sequences first differ: at the end of the shorter one, if nowhere before."""
    differ = (at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    return next(differ, min(len(a), len(b)))


def _collective(calls: Sequence[Collective], at: int, in_full: bool) -> str:
    if at >= len(calls):
        return "missing"
    details = f"({calls[at].details})" if in_full else ""
    return f"`{calls[at].name}{details}` in {calls[at].function}"


def _other_breaks(ranks: Sequence[Rank]) -> Iterator[str]:
    """Breaks that some ranks have and others do not."""
    every = dict.fromkeys(item for rank in ranks for item in rank.breaks)
    parted = [item for item in every if not all(item in rank.breaks for rank in ranks)]
    for item in parted[:_MOST]:
        have = [rank for rank in ranks if item in rank.breaks]
        lack = [rank for rank in ranks if item not in rank.breaks and _BREAK not in rank.unread]
        if not lack:
            continue  # they may have it: some of their breaks could not be read
        breaks = "breaks" if len(have) == 1 else "break"
        does = "does" if len(lack) == 1 else "do"
        yield f"{first_up(_names(have))} {breaks} at {item}, but {_names(lack)} {does} not."
    if len(parted) > _MOST:
        yield f"{len(parted) - _MOST:,} more breaks occur on some ranks only."


def _counts(ranks: Sequence[Rank]) -> Iterator[str]:
    """Functions that some ranks compiled more often than others."""
    counts = [Counter(name for name, _ in rank.order) for rank in ranks]
    every = dict.fromkeys(name for count in counts for name in count)
    parted = [name for name in every if len({count[name] for count in counts}) > 1]
    for name in parted[:_MOST]:
        groups: dict[int, list[Rank]] = {}
        for rank, count in zip(ranks, counts, strict=True):
            groups.setdefault(count[name], []).append(rank)
        parts = [
            f"{times(count) if count else 'never'} on {_names(of)}"
            for count, of in sorted(groups.items(), reverse=True)
        ]
        yield f"{name} was compiled {listed(parts)}{_because(name, ranks)}."
    if len(parted) > _MOST:
        yield f"{len(parted) - _MOST:,} more functions were compiled more often on some ranks."


def _because(name: str, ranks: Sequence[Rank]) -> str:
    """The guard that failed on some ranks but not all, and caused a recompilation."""
    keys = dict.fromkeys(key for rank in ranks for key in rank.why if key[0] == name)
    for key in keys:
        have = [rank for rank in ranks if key in rank.why]
        if len(have) < len(ranks):
            return f": {have[0].label} recompiled because `{have[0].why[key]}`"
    return ""


def _parting(ranks: Sequence[Rank]) -> Iterator[str]:
    """Where the order of compilations first differs."""
    for one, other in _from_usual(ranks, lambda rank: rank.order):
        pairs = zip(one.order, other.order, strict=False)
        at = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
        if at is not None:
            yield (
                f"From compilation {at + 1} on, {one.label} and {other.label} compiled different "
                f"code: {one.order[at][0]} is {one.ids[one.order[at]]} on {one.label}, and "
                f"{other.order[at][0]} on {other.label}."
            )


def _other_graphs(ranks: Sequence[Rank]) -> Iterator[str]:
    return _few(_each_other_graph(ranks), "more functions became different graphs on some ranks")


def _each_other_graph(ranks: Sequence[Rank]) -> Iterator[str]:
    for key in dict.fromkeys(key for rank in ranks for key in rank.shapes):
        have = [rank for rank in ranks if key in rank.shapes]
        lack = [rank for rank in ranks if _has_none(rank, key)]
        if lack:
            where = f"{_names(have)}, but not on {_names(lack)}"
            yield f"{_which(key, ranks)} became a graph on {where}."
    for key in _shared(ranks, lambda rank: rank.shapes):
        for one, other in _from_usual(ranks, lambda rank, key=key: rank.shapes[key]):
            at = _first_other(one.shapes[key], other.shapes[key])
            mine, usual = _node(one, key, at), _node(other, key, at)
            yield (
                f"{_which(key, ranks)} became a different graph on {one.label}: node {at + 1} is "
                f"`{mine}`, but `{usual}` on {other.label}."
            )


def _has_none(rank: Rank, key: Key) -> bool:
    """Whether a compilation certainly ended without a graph."""
    return key in rank.order and key not in rank.graphs and not (rank.unfinished or rank.unread)


def _node(rank: Rank, key: Key, at: int) -> str:
    """A node of a graph as on its own rank, shortened."""
    found = texts_of(rank.recording, rank.graphs[key])
    return found[at].strip()[:_LONGEST] if at < len(found) else "nothing"


def _other_kernels(ranks: Sequence[Rank]) -> Iterator[str]:
    return _few(_each_other_kernels(ranks), "more functions have different kernels on some ranks")


def _each_other_kernels(ranks: Sequence[Rank]) -> Iterator[str]:
    same = [
        key
        for key in _shared(ranks, lambda rank: rank.shapes)
        if len({rank.shapes[key] for rank in ranks}) == 1
        and key not in ranks[0].numbered
        and not any(key in rank.blind for rank in ranks)
    ]
    for key in same:
        for one, other in _from_usual(ranks, lambda rank, key=key: rank.kernels.get(key, ())):
            own, usual = one.kernels.get(key, ()), other.kernels.get(key, ())
            what = f"{plural(len(own), 'kernel')} and {len(usual):,}"
            if len(own) == len(usual):
                apart = sum(a != b for a, b in zip(own, usual, strict=True))
                what = f"different code in {apart:,} of {len(own):,}"
            yield (
                f"{_which(key, ranks)} has different kernels on {one.label} and on {other.label}: "
                f"{what}."
            )


def _few(sentences: Iterator[str], more: str) -> Iterator[str]:
    """The first findings of a kind, and how many more there are."""
    yield from islice(sentences, _MOST)
    if left := sum(1 for _ in sentences):
        yield f"{left:,} {more}."


def _which(key: Key, ranks: Sequence[Rank]) -> str:
    """A function, and the number of its compilation where there are several."""
    name, number = key
    several = any((name, 1) in rank.order for rank in ranks)
    return f"{name}, compilation {number + 1}," if several else name


def _shared(ranks: Sequence[Rank], of: Callable[[Rank], Mapping[Key, Any]]) -> list[Key]:
    return [key for key in of(ranks[0]) if all(key in of(rank) for rank in ranks)]


def _other_times(ranks: Sequence[Rank]) -> Iterator[str]:
    spent = sorted(ranks, key=lambda rank: compile_seconds(rank.recording))
    fast, slow = (compile_seconds(rank.recording) for rank in (spent[0], spent[-1]))
    if slow > fast * _SLOW and slow - fast > _SLOW_BY:
        calls = [rank.recording.rank and rank.recording.rank.calls for rank in ranks]
        wait = "at the next collective the others wait for it"
        if all(own == () for own in calls):  # perhaps there is no next one
            wait = "the others wait once they need something from it"
        yield (
            f"Compilation took {seconds(slow)} on {spent[-1].label}, but {seconds(fast)} on "
            f"{spent[0].label}: {wait}."
        )


def _from_usual(ranks: Sequence[Rank], of: Callable[[Rank], Any]) -> Iterator[tuple[Rank, Rank]]:
    """Ranks with an unusual value, one per value, and the first rank with the usual one."""
    groups: dict[Any, list[Rank]] = {}
    for rank in ranks:
        groups.setdefault(of(rank), []).append(rank)
    usual = max(groups.values(), key=len)
    for group in list(groups.values())[: _MOST + 1]:
        if group is not usual:
            label = _names(group)
            yield group[0]._replace(label=label), usual[0]._replace(label=_names(usual))


def _names(ranks: Sequence[Rank]) -> str:
    """'rank 1', 'ranks 1, 2 and 5', 'the 60 others'."""
    labels = [rank.label for rank in ranks]
    if len(labels) > _MOST and 2 * len(labels) > ranks[0].peers:
        return f"the {len(labels):,} others"
    numbers = [label.removeprefix("rank ") for label in labels]
    if len(labels) > 1 and all(number.isdecimal() for number in numbers):
        return f"{unit(len(labels), 'rank')} {listed(numbers, _MOST)}"
    return listed(labels)
