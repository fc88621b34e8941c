"""Autotuning: the candidates of an operator by their times, and why one was taken."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.lowering import Autotuning, Buffer, Candidate
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import listed, plural, seconds

_ALIKE = 1.05
"""Each is timed once: what is nearer than this is not told apart."""


class CandidateView(Struct, frozen=True, kw_only=True):
    """A candidate. `time` and `ratio`, to the fastest, are empty if it was not timed."""

    name: str
    kind: str
    description: str
    time: str
    ratio: str
    is_chosen: bool


class AutotuningView(Struct, frozen=True, kw_only=True):
    """An operator that was autotuned: its candidates, the fastest first, and why one was taken."""

    title: str
    sentence: str
    candidates: tuple[CandidateView, ...]
    where: str = ""
    entity: str = ""


def build(recording: Recording, places: Places) -> dict[int, tuple[AutotuningView, ...]]:
    """By the graph in whose lowering they were timed."""
    found: dict[int, list[AutotuningView]] = {}
    for one in recording.autotunings:
        if one.graph is not None:
            found.setdefault(one.graph, []).append(_view(one, recording, places))
    return {graph: tuple(views) for graph, views in found.items()}


def _view(found: Autotuning, recording: Recording, places: Places) -> AutotuningView:
    is_placed = found.graph is not None and found.node is not None
    origin = origin_of([(found.graph or 0, found.node or 0)], recording, places)
    fastest = _fastest(found.candidates)
    order = sorted(range(len(found.candidates)), key=lambda at: _order(found.candidates[at]))
    return AutotuningView(
        title=f"{found.operator} of {listed(found.inputs, 6)}",
        sentence=" ".join(_sentences(found, recording)),
        candidates=tuple(
            _candidate(found.candidates[at], fastest, is_chosen=at == found.chosen) for at in order
        ),
        where=origin.where if is_placed else "",
        entity=origin.entity if is_placed else "",
    )


def _order(one: Candidate) -> tuple[bool, float]:
    return one.seconds is None, one.seconds or 0.0


def _fastest(candidates: Sequence[Candidate]) -> float | None:
    return min((one.seconds for one in candidates if one.seconds is not None), default=None)


def _candidate(one: Candidate, fastest: float | None, *, is_chosen: bool) -> CandidateView:
    known = one.seconds is not None and fastest
    return CandidateView(
        name=one.name,
        kind="template" if one.is_template else "library",
        description=one.description,
        time="" if one.seconds is None else seconds(one.seconds),
        ratio=_ratio((one.seconds or 0.0) / fastest) if known and fastest else "",
        is_chosen=is_chosen,
    )


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"


def _sentences(found: Autotuning, recording: Recording) -> Iterator[str]:
    timed = [one for one in found.candidates if one.seconds is not None]
    if not found.was_timed:
        yield "The times are from Inductor's cache, of an earlier run."
    if left := len(found.candidates) - len(timed):
        yield f"{plural(left, 'candidate')} could not be timed."
    if found.chosen is None:
        yield "Which is taken is decided later, by times together with what is fused into it."
        return
    taken = found.candidates[found.chosen]
    yield from _against(taken, [one for one in timed if one is not taken])
    if taken.is_template:
        yield from _fused(found, recording)


def _against(taken: Candidate, others: Sequence[Candidate]) -> Iterator[str]:
    """The one that was taken beside the fastest of the others."""
    what = "a template's" if taken.is_template else "a library's"
    if taken.seconds is None:
        yield f"`{taken.name}`, {what}, was taken without a time."
        return
    if not others:
        yield f"`{taken.name}`, {what}, was the only one with a time."
        return
    best = min(others, key=_order)
    ratio = (best.seconds or 0.0) / taken.seconds if taken.seconds else 0.0
    if ratio < 1:
        yield f"`{taken.name}` was taken though `{best.name}` was faster: time did not decide."
    elif ratio < _ALIKE:
        yield (
            f"`{taken.name}`, {what}, was the fastest, and `{best.name}` within 5 % of it: another "
            "run may take that."
        )
    else:
        after = f"`{best.name}` took {_ratio(ratio)} times as long."
        yield f"`{taken.name}`, {what}, was the fastest: {after}"


def _fused(found: Autotuning, recording: Recording) -> Iterator[str]:
    """What else the kernel that came of a template computes, by the loops of its buffers."""
    if found.graph is None or found.node is None:
        return
    for kernel in recording.kernels:
        if kernel.graph != found.graph or not _makes(kernel, found, recording):
            continue
        nodes = recording.graphs[found.graph].nodes
        others = [operator_name(nodes[at].target) for at in _computed(kernel, found, recording)]
        told = f"also computes {listed(others, 6)}" if others else "computes nothing else"
        yield f"Its kernel `{kernel.name}` {told}."


def _makes(kernel: Kernel, found: Autotuning, recording: Recording) -> bool:
    """Whether the kernel is the one that the operator's template became."""
    return any(
        buffer.kind == "template" and found.node == buffer.during
        for buffer in _buffers(kernel, recording)
    )


def _computed(kernel: Kernel, found: Autotuning, recording: Recording) -> list[int]:
    """The other nodes whose operations stand in the loops that the kernel ends with."""
    lines = [line for buffer in _buffers(kernel, recording) for line in buffer.body]
    return sorted({line.node for line in lines if line.node >= 0} - {found.node})


def _buffers(kernel: Kernel, recording: Recording) -> list[Buffer]:
    made = set(kernel.buffers)
    return [one for one in recording.buffers if one.graph == kernel.graph and one.name in made]
