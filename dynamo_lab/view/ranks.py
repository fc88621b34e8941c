"""The ranks of a job beside each other, and first of all where they part.

Ranks of one job run one program. Where they compile different things, one can wait in a collective
that another never calls: the job hangs.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.advice import rule_of
from dynamo_lab.view.code_diff import unnumbered
from dynamo_lab.view.names import frame_names, operator_name
from dynamo_lab.view.places import Places
from dynamo_lab.view.rank_findings import Key, Rank, findings, shape_of
from dynamo_lab.view.timeline import compile_seconds
from dynamo_lab.view.words import plural, seconds

_DEVICE = re.compile(
    r"(\b(?:cuda|xpu|hip|mps):|\bDeviceProperties\([^)\n]{0,80}?\bindex="
    r"|\bdevice\(type='\w+', index="
    r"|_DeviceGuard\(|get_raw_stream\(|set_device\(|\bstream)\d+"
)
"""Where code names one of several devices."""

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


def build(recordings: Mapping[str, Recording], remarks: Sequence[str] = ()) -> RanksView:
    """The ranks that are compared, by label, and what is known of their logs."""
    known = (_rank(label, recording) for label, recording in recordings.items())
    ranks = [rank._replace(peers=len(recordings)) for rank in known]
    found = tuple(findings(ranks)) if len(ranks) > 1 else ()
    return RanksView(
        sentence=_sentence(ranks, found),
        findings=found,
        remarks=tuple(remarks),
        head=HEAD,
        rows=tuple(map(_row, ranks)),
        apart=tuple(_apart(ranks)),
    )


def _apart(ranks: Sequence[Rank]) -> Iterator[str]:
    """Ranks that are unlike most in anything but time."""
    alike: dict[Any, list[str]] = {}
    for rank in ranks:
        shapes = tuple(shape_of(graph) for graph in rank.graphs.values())
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
            found.setdefault(key, []).append(_code(kernel) or kernel.name)
    return {key: tuple(codes) for key, codes in found.items()}


def _code(kernel: Kernel) -> str:
    """Its code without numbers that mean nothing, and without the device, another on each rank."""
    lines = map(unnumbered, kernel.code.split("\n"))
    return _DEVICE.sub(r"\1", "\n".join(lines))


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
