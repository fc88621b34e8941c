"""CUDA graphs: which calls of a graph one replays, what keeps others out, and at which line."""

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.lowering import CudaGraphs, CudaPart
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import listed, plural

Use = Literal["used", "in parts", "not used"]


class CudaPartView(Struct, frozen=True, kw_only=True):
    """Calls that follow each other, and why they are not recorded, if they are not."""

    is_recorded: bool
    calls: str
    reason: str = ""
    where: str = ""
    entity: str = ""


class CudaGraphsView(Struct, frozen=True, kw_only=True):
    """Whether CUDA graphs replay a graph. `where` is what keeps them from it, `entity` its line.

    `before` and `after` are what a call starts on the GPU without and with them, a CUDA graph
    counting as one; the copies of inputs into its memory are not among it. 0 is not known.
    """

    use: Use
    sentence: str
    before: int = 0
    after: int = 0
    parts: tuple[CudaPartView, ...] = ()
    where: str = ""
    entity: str = ""


_WORDS = {
    "Conditional ops": "it chooses what to run while it runs",
    "unbacked binding ops": "the size or value of its result is known only after it ran",
    "cpu ops": "it runs on the CPU",
    "DeviceCopy ops": "it copies between devices",
    "CUDAGraph-unsafe custom ops": "its operator is marked as unsafe to record",
    "dynamic shape ops": "its sizes change",
    "control flow operator: torch.cond": "`torch.cond` chooses a branch while it runs",
    "control flow operator: torch.while_loop": "`torch.while_loop` decides while it runs",
}


def reason_text(reason: str) -> str:
    """PyTorch's reason in words, as far as they are known."""
    return _WORDS.get(reason, reason)


def build(recording: Recording, places: Places) -> dict[int, CudaGraphsView]:
    """By graph, for those of which it was decided."""
    skipped = {
        recording.graphs[one.graph].compile_id
        for one in recording.cuda_graphs
        if one.skipped and not recording.graphs[one.graph].is_backward
    }
    return {one.graph: _view(one, recording, places, skipped) for one in recording.cuda_graphs}


def use_of(found: CudaGraphs) -> Use:
    """How far CUDA graphs are used by a graph itself."""
    if found.skipped or found.mutated or not any(part.is_recorded for part in found.pieces or ()):
        return "used" if _is_whole(found) else "not used"
    return "used" if len(found.pieces) == 1 else "in parts"


def launches(found: CudaGraphs) -> tuple[int, int]:
    """What a call of a graph starts without CUDA graphs, and with those that it would have.

    Zeros where it is not known.
    """
    before = sum(part.launches for part in found.pieces)
    if use_of(found) == "not used":
        return before, before
    own = [part.launches for part in found.pieces if part.is_recorded]
    return before, before - sum(own) + sum(map(bool, own))


def _is_whole(found: CudaGraphs) -> bool:
    """Whether a release without parts records all of it."""
    return not (found.skipped or found.mutated or found.pieces)


def _view(
    found: CudaGraphs, recording: Recording, places: Places, skipped: set[str]
) -> CudaGraphsView:
    graph = recording.graphs[found.graph]
    nodes = [found.node] if found.node is not None else list(found.mutated)
    origin = origin_of([(found.graph, at) for at in nodes], recording, places) if nodes else None
    is_after = graph.is_backward and graph.compile_id in skipped
    sentences = ["Its forward uses none, and then it does not."] if is_after else []
    sentences += _sentences(found, origin.where if origin else "")
    asked = "" if found.asked else "It was not asked for: this is what would be. "
    use = "not used" if is_after else use_of(found)
    before, after = launches(found)
    return CudaGraphsView(
        use=use,
        sentence=asked + " ".join(sentences),
        before=before,
        after=before if use == "not used" else after,
        parts=tuple(_part(part, found, recording, places) for part in found.pieces),
        where=origin.where if origin else "",
        entity=origin.entity if origin else "",
    )


def _sentences(found: CudaGraphs, where: str) -> Iterator[str]:
    at = f", at {where}" if where else ""
    if found.skipped:
        yield f"No CUDA graph is recorded: {reason_text(found.skipped)}{at}."
    elif found.mutated:
        yield (
            f"No CUDA graph is used: an input is written to{at}, and the next call may pass "
            "another tensor. One that a CUDA graph made itself is allowed."
        )
    else:
        yield _recorded(found.pieces)
        yield from _saved(found)
    if found.sizes and not found.skipped:
        yield f"Each new value of {listed(found.sizes)} is recorded anew."


def _recorded(parts: Iterable[CudaPart]) -> str:
    parts = tuple(parts)
    calls = sum(part.operations for part in parts)
    own = [part for part in parts if part.is_recorded]
    if len(own) == len(parts):
        return (
            f"One CUDA graph replays {plural(calls, 'operation')}." if own else "One is recorded."
        )
    if not own:
        return "No CUDA graph is recorded: nothing of it can be."
    inside = sum(part.operations for part in own)
    return f"{plural(len(own), 'CUDA graph')} for {inside} of {plural(calls, 'operation')}."


def _saved(found: CudaGraphs) -> Iterator[str]:
    """What a call starts in place of its kernels, where that is less."""
    before, after = launches(found)
    if after < before:
        graphs = sum(part.is_recorded and part.launches > 0 for part in found.pieces)
        left = f" and {plural(after - graphs, 'kernel')}" if after > graphs else ""
        own = f"{plural(graphs, 'CUDA graph')}{left}"
        yield f"A call starts {own} in place of {plural(before, 'kernel')}."


def _part(part: CudaPart, found: CudaGraphs, recording: Recording, places: Places) -> CudaPartView:
    known = part.node is not None
    origin = origin_of([(found.graph, part.node or 0)], recording, places) if known else None
    return CudaPartView(
        is_recorded=part.is_recorded,
        calls=plural(part.operations, "operation"),
        reason=reason_text(part.reason),
        where=origin.where if origin else "",
        entity=origin.entity if origin else "",
    )
