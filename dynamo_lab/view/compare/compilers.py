"""What one compiler did with a program that another did not: read from the facts of both.

Each row is one thing that both recordings know about, counted in the same way, where the counts
differ. What is equal is left out; what was not recorded is no row.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from dynamo_lab.view.compare.alignment import align, compiler_of
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.sizes import Sizes, UnknownSize
from dynamo_lab.view.core.words import listed, plural, size, times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dynamo_lab.model.fusion.memory import EventKind
    from dynamo_lab.model.lowering import Buffer
    from dynamo_lab.model.recording import Recording

NOTHING = "-"
_ARROW = "\N{RIGHTWARDS ARROW}"


class DeedView(Struct, frozen=True, kw_only=True):
    """One thing that the compilers did differently, in words for each; "-" is nothing of it."""

    topic: str
    what: str
    a: str
    b: str


class CompilersView(Struct, frozen=True, kw_only=True):
    """Two compilers of one program, and what each did that the other did not."""

    a: str
    b: str
    deeds: tuple[DeedView, ...]


def compilers(a: Recording, b: Recording) -> CompilersView | None:
    """What differs where two compilers compiled the same program; None if it was one."""
    names = compiler_of(a), compiler_of(b)
    if names[0] is None or names[1] is None or names[0] == names[1]:
        return None
    return CompilersView(a=names[0], b=names[1], deeds=tuple(_deeds(a, b)))


def _deeds(a: Recording, b: Recording) -> Iterator[DeedView]:
    yield from _by_name("rewrites of the graph", _rewrites, a, b, times)
    yield from _by_text("decompositions", _decompositions, a, b)
    yield from _fusions(a, b)
    yield from _by_name("library calls", _library_calls, a, b, times)
    yield from _by_text("loops", _loops, a, b)
    yield from _by_text("code", _code, a, b)
    yield from _by_text("layout", _layouts, a, b)
    yield from _by_text("memory", _memory, a, b)
    yield from _by_text("for the backward", _partitions, a, b)


def _by_name(
    topic: str,
    count: Callable[[Recording], Counter[str]],
    a: Recording,
    b: Recording,
    told: Callable[[int], str],
) -> Iterator[DeedView]:
    """A row for each name that one has more of."""
    one, other = count(a), count(b)
    for name in dict.fromkeys([*one, *other]):
        if one[name] != other[name]:
            texts = [told(side[name]) if side[name] else NOTHING for side in (one, other)]
            yield DeedView(topic=topic, what=name, a=texts[0], b=texts[1])


def _by_text(
    topic: str, read: Callable[[Recording], Mapping[str, str]], a: Recording, b: Recording
) -> Iterator[DeedView]:
    one, other = read(a), read(b)
    for name in dict.fromkeys([*one, *other]):
        texts = one.get(name, NOTHING), other.get(name, NOTHING)
        if texts[0] != texts[1]:
            yield DeedView(topic=topic, what=name, a=texts[0], b=texts[1])


_PHASES = {
    "pre_grad": "before autograd",
    "joint": "on the joint graph",
    "layout": "for the layout",
    "freezing": "while freezing",
    "post_grad": "after autograd",
    "training": "of the training step",
}


def _rewrites(recording: Recording) -> Counter[str]:
    """Patterns that were found in a graph, and passes that changed it without one."""
    found = Counter[str]()
    for one in recording.passes:
        if one.changes and not one.matches:
            found[f"{one.name} ({_PHASES[recording.pipelines[one.pipeline].phase]})"] += 1
        for match in one.matches:
            gone = listed([operator_name(node.target) for node in match.before], limit=6)
            made = listed([operator_name(node.target) for node in match.after], limit=6)
            found[f"{gone} {_ARROW} {made or 'nothing'}"] += 1
    return found


def _decompositions(recording: Recording) -> dict[str, str]:
    """The operators that were traced, and what each had become when the lowering began."""
    found: dict[str, dict[str, None]] = {}
    known = recording.decompositions
    for traced in known.traced:
        if traced.graph is None or not traced.nodes:
            continue
        table = recording.graphs[traced.graph].nodes
        counted = Counter(operator_name(table.strings[table.target[at]]) for at in traced.nodes)
        counted.pop("getitem", None)
        name = operator_name(known.calls[traced.call].operator)
        found.setdefault(name, {})[_became(name, counted)] = None
    return {name: " or ".join(each) for name, each in found.items()}


def _became(name: str, counted: Counter[str]) -> str:
    if counted == Counter([name]):
        return "kept whole"
    each = [one if many == 1 else f"{one} ({times(many)})" for one, many in counted.items()]
    return f"{_ARROW} {listed(each, limit=8)}"


def _fusions(a: Recording, b: Recording) -> Iterator[DeedView]:
    """Work for which the two have another number of kernels of their own."""
    for work in align(a, b):
        one, other = _kernels_of(a, work.a), _kernels_of(b, work.b)
        if len(one) != len(other) and (one or other):
            titles = _operators(a, work.a) or _operators(b, work.b)
            yield DeedView(
                topic="kernels for the same work",
                what=listed(titles, limit=6),
                a=_told_kernels(one, a, work.inside if not work.a else ()),
                b=_told_kernels(other, b, work.inside if not work.b else ()),
            )


def _kernels_of(recording: Recording, ids: Iterable[int]) -> list[str]:
    return [recording.kernels[at].name for at in ids]


def _told_kernels(names: list[str], recording: Recording, inside: Iterable[int]) -> str:
    if names:
        return f"{len(names)}: {listed(names, limit=4)}"
    within = _kernels_of(recording, inside)
    return f"within {listed(within, limit=3)}" if within else NOTHING


def _operators(recording: Recording, kernels: Iterable[int]) -> list[str]:
    """The operators of these kernels, as in the lowered graph."""
    found: dict[str, None] = {}
    for at in kernels:
        kernel = recording.kernels[at]
        if kernel.graph is not None:
            table = recording.graphs[kernel.graph].nodes
            for node in kernel.nodes:
                found[operator_name(table.strings[table.target[node]])] = None
    return list(found)


def _library_calls(recording: Recording) -> Counter[str]:
    found = Counter[str]()
    for kernel in recording.kernels:
        if kernel.language == "extern":
            found[_library_name(kernel.name)] += kernel.calls
    return found


def _library_name(name: str) -> str:
    """Plain "mm", of "extern_kernels.mm", "aten.mm.default" and "torch.ops.aten.mm.default"."""
    return operator_name(name.removeprefix("extern_kernels."))


def _loops(recording: Recording) -> dict[str, str]:
    """What became loops, and how they were joined."""
    kinds = Counter(one.kind for one in recording.buffers)
    stored = Counter(row.outcome for low in recording.lowerings for row in low.nodes)
    operations = sum(len(one.operations) for one in recording.schedules)
    groups = sum(len(one.final) for one in recording.schedules)
    found = {
        "operations, and kernels or calls after fusion": f"{operations} {_ARROW} {groups}",
        "operators computed where they are used": str(stored["inlined"]),
    }
    for kind in ("reduction", "scan", "sort", "scatter", "template"):
        if kinds[kind]:
            found[f"buffers that a {kind} makes"] = str(kinds[kind])
    return found


_MARKS = {
    "vector instructions written out": "at::vec::",
    "loops marked for the C compiler to vectorise": "#pragma omp simd",
    "loops shared among threads": "#pragma omp parallel",
}


def _code(recording: Recording) -> dict[str, str]:
    """What the texts of kernels say, of those for the CPU."""
    own = [kernel for kernel in recording.kernels if kernel.language != "extern" and kernel.code]
    if not own:
        return {}
    found = {"languages": listed(sorted({kernel.language for kernel in own}))}
    found["lines of kernels"] = f"{sum(len(k.code.strip().splitlines()) for k in own):,}"
    on_cpu = [kernel for kernel in own if kernel.language in ("cpp", "c")]
    for what, mark in _MARKS.items():
        having = sum(mark in kernel.code for kernel in on_cpu)
        if having:
            found[what] = f"in {having} of {plural(len(on_cpu), 'kernel')}"
    return found


def _layouts(recording: Recording) -> dict[str, str]:
    """Buffers that are not stored row by row."""
    names: list[str] = []
    for one in recording.buffers:
        if one.shape and len(one.shape) == len(one.stride) and not one.dropped:
            graph = recording.graphs[one.graph]
            if _is_row_major(one, Sizes(recording, graph.compile_id)) is False:
                names.append(one.name)
    other = f"{plural(len(names), 'buffer')}: {listed(names)}"
    return {"stored otherwise than row by row": other} if names else {}


def _is_row_major(one: Buffer, sizes: Sizes) -> bool | None:
    """None where a size is only known at run time."""
    try:
        shape, stride = ([sizes.number(text) for text in side] for side in (one.shape, one.stride))
    except UnknownSize:
        return None
    return all(
        length == 1 or step == math.prod(shape[at + 1 :])
        for at, (length, step) in enumerate(zip(shape, stride, strict=True))
    )


_EVENTS: dict[EventKind, str] = {
    "allocate": "allocations",
    "reuse": "buffers that get the memory of one that is done",
    "in_place": "results written over what was read",
}


def _memory(recording: Recording) -> dict[str, str]:
    """What the wrapper allocates, and what never leaves a kernel."""
    plans = recording.memory_plans
    if not plans:
        return {}
    events = Counter(event.kind for plan in plans for event in plan.events)
    found = {words: str(events[kind]) for kind, words in _EVENTS.items() if events[kind]}
    held = [one for plan in plans for one in plan.buffers if one.role in ("buffer", "output")]
    removed = sum(one.role == "removed" for plan in plans for one in plan.buffers)
    known = [one.bytes for one in held if one.bytes is not None]
    whole = size(sum(known)) if len(known) == len(held) else "of unknown size"
    found["results in memory"] = f"{len(held)} ({whole})"
    if removed:
        found["results that stay within a kernel"] = str(removed)
    return found


def _partitions(recording: Recording) -> dict[str, str]:
    saved = sum(len(one.saved) for one in recording.partitions)
    recomputed = sum(len(one.recomputed) for one in recording.partitions)
    found = {"values saved": str(saved), "values computed again": str(recomputed)}
    return {what: count for what, count in found.items() if count != "0"}
