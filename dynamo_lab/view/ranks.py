"""The ranks of a job beside each other, and first of all where they part.

Ranks of one job run one program. Where they compile different things, one can wait in a collective
that another never calls: the job hangs.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from msgspec import Struct

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.advice import rule_of
from dynamo_lab.view.code_diff import unnumbered
from dynamo_lab.view.names import frame_names, operator_name
from dynamo_lab.view.places import Places
from dynamo_lab.view.timeline import compile_seconds
from dynamo_lab.view.words import listed, plural, seconds, times, unit

_MOST = 5
"""The most differences of one kind that are told one by one."""
_SLOW, _SLOW_BY = 1.5, 1.0
"""Compiling is slow on a rank that takes so many times the fastest, and so many seconds more."""

HEAD = ("", "frames", "graphs", "breaks", "recompiles", "kernels", "collectives", "compiling")


class RanksView(Struct, frozen=True, kw_only=True):
    """`sentence` is the verdict, `findings` are the differences, the gravest first.

    `remarks` are about the logs themselves: ranks that are missing, processes that began again.
    `rows` have a label and a cell for each column of `head`; `apart` are the labels of those that
    are unlike most.
    """

    sentence: str
    findings: tuple[str, ...]
    remarks: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    apart: tuple[str, ...] = ()


Key = tuple[str, int]
"""A function as it is named in views, with its place, and which compilation of it, from 0."""


class Rank(NamedTuple):
    """What is compared of a rank."""

    label: str
    recording: Recording
    order: tuple[Key, ...]
    ids: Mapping[Key, str]
    graphs: Mapping[Key, Graph]
    kernels: Mapping[Key, tuple[str, ...]]
    collectives: tuple[tuple[str, str], ...]
    breaks: Mapping[str, str]
    why: Mapping[Key, str]
    unfinished: str
    peers: int = 1


def build(recordings: Mapping[str, Recording], remarks: Sequence[str] = ()) -> RanksView:
    """The ranks that are compared, by label, and what is known of their logs."""
    known = (_rank(label, recording) for label, recording in recordings.items())
    ranks = [rank._replace(peers=len(recordings)) for rank in known]
    findings = tuple(_findings(ranks)) if len(ranks) > 1 else ()
    return RanksView(
        sentence=_sentence(ranks, findings),
        findings=findings,
        remarks=tuple(remarks),
        head=HEAD,
        rows=tuple(map(_row, ranks)),
        apart=tuple(_apart(ranks)),
    )


def _apart(ranks: Sequence[Rank]) -> Iterator[str]:
    """Ranks that are unlike most in anything but time."""
    alike: dict[Any, list[str]] = {}
    for rank in ranks:
        shapes = tuple(_shape(graph) for graph in rank.graphs.values())
        kernels = tuple(rank.kernels.values())
        whole = rank.order, tuple(rank.breaks), rank.collectives, shapes, kernels, rank.unfinished
        alike.setdefault(whole, []).append(rank.label)
    usual = max(alike.values(), key=len)
    for labels in alike.values():
        if labels is not usual:
            yield from labels


def _sentence(ranks: Sequence[Rank], findings: Sequence[str]) -> str:
    names = plural(len(ranks), "rank")
    if findings:
        return f"The {names} do not compile the same: {plural(len(findings), 'difference')}."
    if len(ranks) < 2:
        return "There is one rank, so there is nothing to compare it with."
    return f"The {names} compiled the same graphs, breaks, kernels and collectives."


def _row(rank: Rank) -> tuple[str, ...]:
    recording = rank.recording
    counts = (
        len(recording.frames), len(recording.captured_graphs()), len(recording.breaks),
        len(recording.recompiles), len(recording.kernels), len(rank.collectives),
    )  # fmt: skip
    return (rank.label, *(f"{count:,}" for count in counts), seconds(compile_seconds(recording)))


def _rank(label: str, recording: Recording) -> Rank:
    keys, places = _keys(recording), Places(recording)
    graphs = {
        keys[graph.frame, graph.compile_id]: graph
        for graph in recording.captured_graphs()
        if graph.frame is not None and (graph.frame, graph.compile_id) in keys
    }
    return Rank(
        label=label,
        recording=recording,
        order=tuple(keys.values()),
        ids={key: compile_id for (_, compile_id), key in keys.items()},
        graphs=graphs,
        kernels=_kernels(recording, keys),
        collectives=tuple(_collectives(recording, keys)),
        breaks={
            f"{places.where_named(places.line_of(item.span))}: {rule_of(item).title}": item.reason
            for item in recording.breaks
        },
        why={
            keys[item.frame, item.compile_id]: item.failures[0][1]
            for item in recording.recompiles
            if item.failures and (item.frame, item.compile_id) in keys
        },
        unfinished=next((n.message for n in recording.notes if n.level == "failure"), ""),
    )


def _keys(recording: Recording) -> dict[tuple[int, str], Key]:
    """Each compilation by frame and id, in the order of the ids' first appearance."""
    names, places = frame_names(recording), Places(recording)
    seen: Counter[str] = Counter()
    found: dict[tuple[int, str], Key] = {}
    for frame in recording.frames:
        where = places.where_named(places.line_of(frame.span))
        for attempt in frame.attempts:
            at = (frame.id, attempt.compile_id)
            if at not in found:
                name = f"`{names[frame.id]}` ({where})"
                found[at] = (name, seen[name])
                seen[name] += 1
    return dict(sorted(found.items(), key=lambda item: _number(item[0][1])))


def _number(compile_id: str) -> tuple[int, ...]:
    return tuple(int(part) for part in compile_id.split("/") if part.isdecimal())


def _kernels(
    recording: Recording, keys: Mapping[tuple[int, str], Key]
) -> dict[Key, tuple[str, ...]]:
    found: dict[Key, list[str]] = {}
    for kernel in recording.kernels:
        graph = None if kernel.graph is None else recording.graphs[kernel.graph]
        key = graph and keys.get((-1 if graph.frame is None else graph.frame, graph.compile_id))
        if key:
            code = "\n".join(map(unnumbered, kernel.code.split("\n")))
            found.setdefault(key, []).append(code or kernel.name)
    return {key: tuple(codes) for key, codes in found.items()}


def _collectives(
    recording: Recording, keys: Mapping[tuple[int, str], Key]
) -> Iterator[tuple[str, str]]:
    """Each collective in the compiled code, and the function that it is in, in order."""
    functions = {compile_id: key[0] for (_, compile_id), key in keys.items()}
    for artifact in recording.artifacts:
        if artifact.name == "inductor_collective_schedule":
            try:
                told = json.loads(artifact.text)
            except (ValueError, RecursionError):
                continue
            for one in cast("list[Any]", told) if isinstance(told, list) else []:
                yield functions.get(artifact.compile_id, artifact.compile_id), _collective(str(one))


def _collective(name: str) -> str:
    """'all_reduce' of "torch.ops._c10d_functional.all_reduce_.default"."""
    return operator_name(name).rstrip("_")[:100]


def _findings(ranks: Sequence[Rank]) -> Iterator[str]:
    yield from _ends(ranks)
    yield from _other_collectives(ranks)
    yield from _sets(ranks, lambda rank: rank.breaks, "breaks at {0}, and {1} not")
    yield from _counts(ranks)
    yield from _parting(ranks)
    yield from _other_graphs(ranks)
    yield from _other_kernels(ranks)
    yield from _other_times(ranks)


def _ends(ranks: Sequence[Rank]) -> Iterator[str]:
    cut = [rank for rank in ranks if rank.unfinished]
    for rank in cut[:_MOST] if len(cut) < len(ranks) else ():
        rest = _names([other for other in ranks if not other.unfinished])
        yield f"{_capital(rank.label)} did not finish, {rest} did. {rank.unfinished}"


def _other_collectives(ranks: Sequence[Rank]) -> Iterator[str]:
    for one, other in _from_usual(ranks, lambda rank: tuple(name for _, name in rank.collectives)):
        a, b = other.collectives, one.collectives
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x[1] != y[1]), None)
        at = min(len(a), len(b)) if at is None else at
        mine = f"`{b[at][1]}` in {b[at][0]}" if at < len(b) else "none any more"
        usual = f"`{a[at][1]}` in {a[at][0]}" if at < len(a) else "none any more"
        yield (
            f"Collectives differ: number {at + 1} is {mine} on {one.label}, and {usual} on "
            f"{other.label}. Ranks that wait in different collectives wait for ever."
        )


def _sets(
    ranks: Sequence[Rank], of: Callable[[Rank], Mapping[str, str]], words: str
) -> Iterator[str]:
    """What some ranks have and others lack."""
    every = dict.fromkeys(item for rank in ranks for item in of(rank))
    parted = [item for item in every if not all(item in of(rank) for rank in ranks)]
    for item in parted[:_MOST]:
        have = [rank for rank in ranks if item in of(rank)]
        lack = [rank for rank in ranks if item not in of(rank)]
        does = words.format(item, f"{_names(lack)} {'does' if len(lack) == 1 else 'do'}")
        yield f"{_capital(_names(have))} {does}."
    if len(parted) > _MOST:
        yield f"{len(parted) - _MOST:,} more breaks are on some ranks alone."


def _counts(ranks: Sequence[Rank]) -> Iterator[str]:
    """Functions that ranks compiled more or less often."""
    counts = [Counter(name for name, _ in rank.order) for rank in ranks]
    every = dict.fromkeys(name for count in counts for name in count)
    parted = [name for name in every if len({count[name] for count in counts}) > 1]
    for name in parted[:_MOST]:
        groups: dict[int, list[Rank]] = {}
        for rank, count in zip(ranks, counts, strict=True):
            groups.setdefault(count[name], []).append(rank)
        told = [
            f"{times(count) if count else 'never'} on {_names(of)}"
            for count, of in sorted(groups.items(), reverse=True)
        ]
        yield f"{name} was compiled {listed(told)}{_because(name, ranks)}."
    if len(parted) > _MOST:
        yield f"{len(parted) - _MOST:,} more functions are compiled more often on some ranks."


def _because(name: str, ranks: Sequence[Rank]) -> str:
    """The guard that failed on some rank and not on all, which made it compile again."""
    keys = dict.fromkeys(key for rank in ranks for key in rank.why if key[0] == name)
    for key in keys:
        have = [rank for rank in ranks if key in rank.why]
        if len(have) < len(ranks):
            return f": {have[0].label} compiled again because `{have[0].why[key]}`"
    return ""


def _parting(ranks: Sequence[Rank]) -> Iterator[str]:
    """Where the order of compilations first differs."""
    for one, other in _from_usual(ranks, lambda rank: rank.order):
        pairs = zip(one.order, other.order, strict=False)
        at = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
        if at is not None:
            yield (
                f"From compilation {at + 1} on, {one.label} and {other.label} compile different "
                f"code: {one.order[at][0]} is {one.ids[one.order[at]]} on {one.label}, and "
                f"{other.order[at][0]} on {other.label}."
            )


def _other_graphs(ranks: Sequence[Rank]) -> Iterator[str]:
    for key in _shared(ranks, lambda rank: rank.graphs):
        for one, other in _from_usual(ranks, lambda rank, key=key: _shape(rank.graphs[key])):
            a, b = _shape(one.graphs[key]), _shape(other.graphs[key])
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
            at = min(len(a), len(b)) if at is None else at
            mine, usual = (" ".join(s[at]).strip() if at < len(s) else "nothing" for s in (a, b))
            yield (
                f"{key[0]} became another graph on {one.label}: node {at + 1} is `{mine}`, and "
                f"`{usual}` on {other.label}."
            )


def _other_kernels(ranks: Sequence[Rank]) -> Iterator[str]:
    same = [
        key
        for key in _shared(ranks, lambda rank: rank.graphs)
        if len({_shape(rank.graphs[key]) for rank in ranks}) == 1
    ]
    for key in same:
        for one, other in _from_usual(ranks, lambda rank, key=key: rank.kernels.get(key, ())):
            a, b = len(one.kernels.get(key, ())), len(other.kernels.get(key, ()))
            what = f"{plural(a, 'kernel')} and {b:,}" if a != b else f"other code in {a:,}"
            yield f"{key[0]} has other kernels on {one.label} than on {other.label}: {what}."


def _shared(ranks: Sequence[Rank], of: Callable[[Rank], Mapping[Key, Any]]) -> list[Key]:
    return [key for key in of(ranks[0]) if all(key in of(rank) for rank in ranks)]


def _shape(graph: Graph) -> tuple[tuple[str, str], ...]:
    """What a graph computes, without the names of its nodes."""
    return tuple((node.target if node.op != "placeholder" else "input", node.value.text)
                 for node in graph.nodes)  # fmt: skip


def _other_times(ranks: Sequence[Rank]) -> Iterator[str]:
    spent = sorted(ranks, key=lambda rank: compile_seconds(rank.recording))
    fast, slow = (compile_seconds(rank.recording) for rank in (spent[0], spent[-1]))
    if slow > fast * _SLOW and slow - fast > _SLOW_BY:
        yield (
            f"Compiling took {seconds(slow)} on {spent[-1].label}, and {seconds(fast)} on "
            f"{spent[0].label}: at the next collective the others wait for it."
        )


def _from_usual(ranks: Sequence[Rank], of: Callable[[Rank], Any]) -> Iterator[tuple[Rank, Rank]]:
    """Ranks with an unusual value, each value once, and the first rank with the usual one."""
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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
