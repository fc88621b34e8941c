"""A compiled program that holds more memory at its peak than eager, as measured."""

from collections.abc import Iterator, Sequence

from dynamo_lab.model.benchmarks import Way
from dynamo_lab.model.fusion.memory import MemoryBuffer, MemoryPlan
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import listed, percent, size
from dynamo_lab.view.findings.changes import Setting
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.lines import line_of
from dynamo_lab.view.fusion import peaks

_SHARE = 0.05
_AT_LEAST = 256 << 10
"""Bytes more than eager's below which it is not told."""

_LAYOUT = Setting(option="layout_optimization", value=False, of="torch._inductor.config")


def find(facts: Facts) -> Iterator[Found]:
    """The first compiled variant whose peak is above eager's, and the line that holds most."""
    found = facts.recording.benchmark
    if found is None or not found.ways or found.ways[0].kind != "eager":
        return
    eager = found.ways[0].peak_bytes
    for way in found.ways:
        above = (way.peak_bytes or 0) - eager if eager else 0
        if way.kind == "compiled" and above >= max(_AT_LEAST, _SHARE * (eager or 0)):
            yield from _told(facts, way, eager or 0, above)
            return


def _told(facts: Facts, way: Way, eager: int, above: int) -> Iterator[Found]:
    plans = [plan for plan in facts.recording.memory_plans if peaks.is_known(plan)]
    if not plans:
        return
    plan = max(plans, key=lambda one: peaks.peak_of(facts.recording, one).bytes)
    holders = peaks.peak_of(facts.recording, plan).holders
    lines = [(line, one) for one in holders if (line := _line(facts, plan, one))]
    if lines:
        yield _found(facts, way, eager, above, lines)


def _line(facts: Facts, plan: MemoryPlan, buffer: MemoryBuffer) -> Line | None:
    graph = facts.recording.schedules[plan.schedule].graph
    made: list[NodeKey] = [
        (graph, node)
        for one in facts.recording.buffers
        if one.graph == graph and one.name == buffer.name
        for node in one.nodes
    ]
    return line_of(facts, made)


def _found(
    facts: Facts, way: Way, eager: int, above: int, lines: Sequence[tuple[Line, MemoryBuffer]]
) -> Found:
    line, where = lines[0][0], facts.places.where(lines[0][0])
    copied = min(above, _copied(facts))
    is_layout = copied >= above / 2
    held = [f"{size(one.bytes or 0)} of {facts.places.where(at)}" for at, one in lines]
    peak = way.peak_bytes or 0
    finding = Finding(
        rule="more-than-eager",
        question="memory",
        sentence=(
            f"{way.name} holds {size(peak)} at its peak, {percent(above / eager)} more than "
            f"eager's {size(eager)}. Of it, {listed(held, limit=3)}."
        ),
        where=where,
        entity=entity(line),
        evidence=(Evidence(text=f"the plan of {lines[0][1].name}", tab="fusion"),),
        grade="may change meaning" if is_layout else "none",
        remedy=_remedy(copied) if is_layout else "",
        code=_LAYOUT.code if is_layout else "",
        gain=_gain(peak, copied) if is_layout else None,
        cost=min(1.0, above / peak),
    )
    change = _LAYOUT if is_layout else None
    return Found(finding, change=change, line=line, about=frozenset({f"peak:{way.name}"}))


def _copied(facts: Facts) -> int:
    """The bytes of parameters and inputs that the forward saves again, in another layout."""
    return sum(
        one.bytes or 0 for part in facts.recording.partitions for one in part.saved if one.copied
    )


def _remedy(copied: int) -> str:
    return (
        f"Inductor saves {size(copied)} of parameters and inputs again in a layout that suits "
        "convolutions. Without that it keeps them as they are; convolutions may be slower, and "
        "round otherwise."
    )


def _gain(peak: int, copied: int) -> Gain:
    how = "counted: without the copies in another layout"
    return Gain(metric="bytes", before=peak, after=peak - copied, how=how)
