"""The ranks of a job side by side, and first of all where they diverge.

Ranks of one job run one program. Where they compile different things, one can wait in a collective
that another never calls: the job hangs.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.makers import rule_at
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import plural, seconds
from dynamo_lab.view.guards.compilations import recompilations
from dynamo_lab.view.kernels.code_diff import unnumbered
from dynamo_lab.view.ranks.collectives import CollectivesView
from dynamo_lab.view.ranks.findings import Key, Rank, findings, not_compared
from dynamo_lab.view.ranks.memory import RankMemoryView
from dynamo_lab.view.ranks.mesh.meshes import MeshView
from dynamo_lab.view.ranks.mesh.tensors import TensorView
from dynamo_lab.view.ranks.messages import MessagesView
from dynamo_lab.view.ranks.plans import PlanView
from dynamo_lab.view.ranks.reducers import DdpView
from dynamo_lab.view.ranks.shapes import (
    Collective,
    Shape,
    collective_name,
    collectives_of,
    shape_of,
    without_device,
    without_ranks,
)
from dynamo_lab.view.ranks.splits import SplitView
from dynamo_lab.view.timings.timings import compile_seconds

_SCHEDULE = "inductor_collective_schedule"
_COMPARED = {
    "dynamo_output_graph": "graph",
    "inductor_output_code": "code of kernels",
    "dynamo_graph_break_reason": "graph break",
    _SCHEDULE: "order of collectives",
    "unreadable": "part of the log",
}
"""The records by which ranks are compared, and what they hold."""
HEAD = ("", "frames", "graphs", "breaks", "recompiles", "kernels", "collectives", "compiling")


class RanksView(Struct, frozen=True, kw_only=True):
    """`sentence` is the verdict, `findings` are the differences, the most serious first.

    `remarks` are about the logs themselves: ranks that are missing, processes that restarted.
    `rows` have a label and a cell for each column of `head`; `apart` are the labels of those that
    differ from most. `is_whole` is false where not all could be compared. `collectives` are those
    that ran, where they were recorded; `splits` are what DDP made of the first rank's graphs, and
    `ddp` what it reduces.
    With a `plan` nothing ran, and the rows are of the ranks that were planned.
    """

    sentence: str
    findings: tuple[str, ...]
    remarks: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    apart: tuple[str, ...] = ()
    is_whole: bool = True
    collectives: CollectivesView | None = None
    splits: tuple[SplitView, ...] = ()
    ddp: DdpView | None = None
    messages: MessagesView | None = None
    plan: PlanView | None = None
    meshes: tuple[MeshView, ...] = ()
    tensors: tuple[TensorView, ...] = ()
    memory: RankMemoryView | None = None


def build(recordings: Mapping[str, Recording], remarks: Sequence[str] = ()) -> RanksView:
    """The ranks that are compared, by label, and what is known of their logs."""
    known = (_rank(label, recording) for label, recording in recordings.items())
    ranks = _aligned([rank._replace(peers=len(recordings)) for rank in known])
    found = tuple(findings(ranks)) if len(ranks) > 1 else ()
    left_out = tuple(not_compared(ranks)) if len(ranks) > 1 else ()
    return RanksView(
        sentence=_sentence(ranks, found, left_out),
        findings=found,
        remarks=(*left_out, *remarks),
        head=HEAD,
        rows=tuple(map(_row, ranks)),
        apart=tuple(_apart(ranks)),
        is_whole=not left_out,
    )


def _aligned(ranks: Sequence[Rank]) -> list[Rank]:
    """The ranks, with shapes in which the rank number is the same everywhere."""
    numbers = [rank.label.removeprefix("rank ") for rank in ranks]
    if len(ranks) < 2 or not all(map(_is_small, numbers)):
        return list(ranks)
    shapes: list[dict[Key, Shape]] = [dict(rank.shapes) for rank in ranks]
    for key in ranks[0].shapes:
        if all(key in rank.shapes for rank in ranks):
            made = without_ranks([rank.shapes[key] for rank in ranks], [int(n) for n in numbers])
            for own, shape in zip(shapes, made, strict=True):
                own[key] = shape
    follow = {k for rank, own in zip(ranks, shapes, strict=True) for k in own
              if own[k] != rank.shapes[k]}  # fmt: skip
    return [
        rank._replace(shapes=own, numbered=frozenset(follow))
        for rank, own in zip(ranks, shapes, strict=True)
    ]


def _apart(ranks: Sequence[Rank]) -> Iterator[str]:
    """Ranks that differ from most in anything but time."""
    alike: dict[Any, list[str]] = {}
    for rank in ranks:
        shapes = tuple(rank.shapes.values())
        kernels = tuple(codes for key, codes in rank.kernels.items() if key not in rank.numbered)
        whole = rank.order, tuple(rank.breaks), rank.collectives, shapes, kernels, rank.unfinished
        alike.setdefault(whole, []).append(rank.label)
    usual = max(alike.values(), key=len)
    for labels in alike.values():
        if labels is not usual:
            yield from labels


def _sentence(ranks: Sequence[Rank], findings: Sequence[str], left_out: Sequence[str]) -> str:
    names = plural(len(ranks), "rank")
    if findings:
        return f"The {names} did not compile the same: {plural(len(findings), 'difference')}."
    if len(ranks) < 2:
        return "There is one rank, so there is nothing to compare it with."
    if not any(rank.order for rank in ranks):
        return f"No compilation is known of the {names}: there is nothing to compare."
    if left_out:
        return f"The {names} do not differ in what could be compared; some could not."
    return f"The {names} compiled the same graphs, breaks, kernels and collectives."


def _row(rank: Rank) -> tuple[str, ...]:
    recording = rank.recording
    counts = (
        len(recording.frames), len(recording.captured_graphs()), len(recording.breaks),
        recompilations(recording), len(recording.kernels), _called_by(rank),
    )  # fmt: skip
    return (rank.label, *(f"{count:,}" for count in counts), seconds(compile_seconds(recording)))


def _called_by(rank: Rank) -> int:
    """How many collectives it called; where that was not recorded, how many its graphs have."""
    own = rank.recording.rank
    if own is not None and own.calls is not None:
        return sum(not call.is_message for call in own.calls)
    return sum(one.name != "wait_tensor" for one in rank.collectives or ())


def _rank(label: str, recording: Recording) -> Rank:
    keys, places = _keys(recording), Places(recording)
    graphs = {
        keys[graph.frame, graph.compile_id]: graph
        for graph in recording.captured_graphs()
        if graph.frame is not None and (graph.frame, graph.compile_id) in keys
    }
    unread = _unread(recording)
    return Rank(
        label=label,
        recording=recording,
        order=tuple(keys.values()),
        ids={key: compile_id for (_, compile_id), key in keys.items()},
        graphs=graphs,
        shapes={
            key: shape_of(recording, graph)
            for key, graph in graphs.items()
            if graph.compile_id not in unread.get("graph", ())
        },
        kernels=_kernels(recording, keys),
        collectives=_collectives(recording, keys),
        breaks={
            f"{places.where_named(places.line_of(item.span))}: "
            f"{rule_at(item, places).title}": item.reason
            for item in recording.breaks
        },
        why={
            keys[item.frame, item.compile_id]: item.failures[0][1]
            for item in recording.recompiles
            if item.failures and (item.frame, item.compile_id) in keys
        },
        unfinished=next((n.message for n in recording.notes if n.level == "failure"), ""),
        unread={what: len(ids) for what, ids in unread.items()},
        blind=frozenset(
            k for (_, at), k in keys.items() if at in unread.get("code of kernels", ())
        ),
    )


def _unread(recording: Recording) -> dict[str, list[str]]:
    """The compared records that could not be read: their compilations, by kind of record."""
    found: dict[str, list[str]] = {}
    for artifact in recording.artifacts:
        what = _COMPARED.get(artifact.name or artifact.kind)
        if artifact.problem and what:
            found.setdefault(what, []).append(artifact.compile_id)
    return found


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
    return tuple(int(part) for part in compile_id.split("/") if _is_small(part))


def _is_small(number: str) -> bool:
    return number.isdecimal() and len(number) < 10


def _kernels(
    recording: Recording, keys: Mapping[tuple[int, str], Key]
) -> dict[Key, tuple[str, ...]]:
    found: dict[Key, list[str]] = {}
    for kernel in recording.kernels:
        graph = None if kernel.graph is None else recording.graphs[kernel.graph]
        key = graph and keys.get((-1 if graph.frame is None else graph.frame, graph.compile_id))
        if key:
            found.setdefault(key, []).append(_code(kernel) or kernel.name)
    return {key: tuple(codes) for key, codes in found.items()}


def _code(kernel: Kernel) -> str:
    """Its code without meaningless numbers and without the device, which differs by rank."""
    lines = map(unnumbered, kernel.code.split("\n"))
    return without_device("\n".join(lines))


def _collectives(
    recording: Recording, keys: Mapping[tuple[int, str], Key]
) -> tuple[Collective, ...] | None:
    """Each collective in the compiled code, in order; None where the log cannot be trusted.

    Inductor logs their final order by name only; their arguments are in the graph.
    """
    functions = {compile_id: key[0] for (_, compile_id), key in keys.items()}
    called = _called(recording, functions)
    ordered: dict[str, list[Collective]] = {}
    for artifact in recording.artifacts:
        if artifact.kind == "unreadable" and _SCHEDULE in artifact.text:
            return None
        if artifact.name == _SCHEDULE:
            names = _names_in(artifact.text)
            if names is None or artifact.problem or artifact.left_out:
                return None
            at = artifact.compile_id
            made = (Collective(functions.get(at, at), collective_name(one)) for one in names)
            ordered.setdefault(at, []).extend(made)
    for compile_id, calls in ordered.items():
        called[compile_id] = _detailed(calls, called.get(compile_id, []))
    return tuple(one for at in sorted(called, key=_number) for one in called[at])


def _names_in(schedule: str) -> list[str] | None:
    try:
        order = json.loads(schedule)
    except (ValueError, RecursionError):
        return None
    return [str(one) for one in cast("list[Any]", order)] if isinstance(order, list) else None


def _called(recording: Recording, functions: Mapping[str, str]) -> dict[str, list[Collective]]:
    """The collectives of each compilation: in its last graphs, else in the one captured."""
    found: dict[str, dict[str, list[Collective]]] = {}
    for graph in recording.graphs:
        if graph.parent is None and graph.stage in ("dynamo", "post_grad"):
            calls = collectives_of(
                recording, graph, functions.get(graph.compile_id, graph.compile_id)
            )
            found.setdefault(graph.compile_id, {}).setdefault(graph.stage, []).extend(calls)
    return {at: own.get("post_grad", own.get("dynamo", [])) for at, own in found.items()}


def _detailed(calls: Sequence[Collective], called: Sequence[Collective]) -> list[Collective]:
    """Calls in order, with their arguments in the graph; unchanged if it holds other calls."""
    waiting: dict[str, list[str]] = {}
    for one in called:
        waiting.setdefault(one.name, []).append(one.details)
    if Counter(one.name for one in calls) != Counter(one.name for one in called):
        return list(calls)
    return [one._replace(details=waiting[one.name].pop(0)) for one in calls]
