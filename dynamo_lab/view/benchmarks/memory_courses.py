"""Memory over one call: eager's and compiled's on one axis, and the lines that hold the peaks."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.benchmarks import Benchmark, MemoryCourse, MemoryHolder, Phase
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.core.places import Places, entity_if_known
from dynamo_lab.view.core.words import percent, plural, size
from dynamo_lab.view.fusion.peaks import is_known, peak_of

_HOLDERS = 8
_UNSEEN = "What a library takes past PyTorch's allocator is not seen."


class HolderView(Struct, frozen=True, kw_only=True):
    """What holds a part of a peak; `entity` is the line that called the operator, if known."""

    operator: str
    size: str
    share: str
    where: str = ""
    entity: str = ""


class CourseView(Struct, frozen=True, kw_only=True):
    """The memory of a variant's call: pairs of share of its duration, and bytes."""

    way: int
    name: str
    points: tuple[tuple[float, int], ...]
    peak: str
    peak_bytes: int
    holders: tuple[HolderView, ...]


class MemoryCoursesView(Struct, frozen=True, kw_only=True):
    """All courses with one axis each way: `most` is the largest peak. `sentence` compares them."""

    phase: Phase
    sentence: str
    most: int
    courses: tuple[CourseView, ...]


def build(recording: Recording, found: Benchmark, places: Places) -> MemoryCoursesView | None:
    """The courses that were measured, None where there are none."""
    courses = [one for one in found.courses if one.at]
    if not courses:
        return None
    planned = tuple(_planned(recording, places))
    by_path = {source.path: at for at, source in enumerate(recording.sources)}
    return MemoryCoursesView(
        phase=courses[0].phase,
        sentence=_sentence(found, courses),
        most=max(one.peak for one in courses),
        courses=tuple(_course(one, found, places, by_path, planned) for one in courses),
    )


def _planned(recording: Recording, places: Places) -> Iterator[HolderView]:
    """What the generated code holds at its peak, by its plan: the profiler sees no line of it."""
    known = [plan for plan in recording.memory_plans if is_known(plan)]
    peaks = [(peak_of(recording, plan), plan) for plan in known]
    peak, plan = max(peaks, key=lambda pair: pair[0].bytes, default=(None, None))
    if peak is None or plan is None:
        return
    graph = recording.schedules[plan.schedule].graph
    nodes = {one.name: one.nodes for one in recording.buffers if one.graph == graph}
    for buffer in peak.holders[:_HOLDERS]:
        origin = origin_of([(graph, at) for at in nodes.get(buffer.name, ())], recording, places)
        yield HolderView(
            operator=f"{buffer.name}, as planned",
            size=size(buffer.bytes or 0),
            share=percent((buffer.bytes or 0) / peak.bytes) if peak.bytes else "",
            where=origin.where,
            entity=origin.entity,
        )


def _points(one: MemoryCourse) -> Iterator[tuple[float, int]]:
    """Share of the call and bytes; a file may have any number for either."""
    for at, count in zip(one.at, one.bytes, strict=False):
        yield min(1.0, max(0.0, at)), max(0, count)


def _course(
    one: MemoryCourse,
    found: Benchmark,
    places: Places,
    by_path: dict[str, int],
    planned: tuple[HolderView, ...],
) -> CourseView:
    is_compiled = found.ways[one.way].kind == "compiled"
    return CourseView(
        way=one.way,
        name=found.ways[one.way].name,
        points=tuple(_points(one)),
        peak=size(one.peak),
        peak_bytes=one.peak,
        holders=(planned if is_compiled else ())
        or tuple(_holders(one, places, by_path, is_compiled)),
    )


def _holders(
    one: MemoryCourse, places: Places, by_path: dict[str, int], is_compiled: bool
) -> Iterator[HolderView]:
    for holder in one.holders:
        source = by_path.get(holder.path)
        line = None if source is None or holder.line is None else (source, holder.line)
        yield HolderView(
            operator=_named(holder, is_compiled),
            size=size(holder.bytes),
            share=percent(holder.bytes / one.peak) if one.peak else "",
            where=places.where(line) if line else "",
            entity=entity_if_known(line),
        )


def _named(holder: MemoryHolder, is_compiled: bool) -> str:
    """What allocated it. An operator may allocate more than its result, such as a number it reads.

    Generated code calls no operator; in eager code Python makes tensors of numbers outside any.
    """
    outside = "generated code" if is_compiled else "outside any operator"
    name = holder.operator.removeprefix("aten::") or outside
    return name if holder.count == 1 else f"{plural(holder.count, 'allocation')}, {name}"


def _sentence(found: Benchmark, courses: list[MemoryCourse]) -> str:
    """How the first compiled variant's peak compares with eager's."""
    base = next((one for one in courses if one.way == 0), None)
    other = next((one for one in courses if found.ways[one.way].kind == "compiled"), None)
    if base is None or other is None or not base.peak:
        return ""
    name = found.ways[other.way].name
    if other.peak == base.peak:
        return f"{name} holds as much at its peak as eager: {size(base.peak)}. {_UNSEEN}"
    more = "more" if other.peak > base.peak else "less"
    share = percent(abs(other.peak - base.peak) / base.peak)
    return f"{name} holds {size(other.peak)} at its peak, {share} {more} than eager. {_UNSEEN}"
