"""CUDA graphs: which calls of a graph one replays, what keeps others out, and at which line."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.lowering import CudaGraphs, CudaPart
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.origins import origin_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import listed, plural, size

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
    "CUDAGraph-unsafe custom ops": "PyTorch does not record its operator",
    "dynamic shape ops": "its sizes change",
    "control flow operator: torch.cond": "`torch.cond` chooses a branch while it runs",
    "control flow operator: torch.while_loop": "`torch.while_loop` decides while it runs",
    "cpp-wrapper does not support graph partition yet": "Inductor's C++ wrapper records none",
    "input storage mutation": "an input is given other memory, as `x.data = y` does",
}
_WHOLE = CudaPart(is_recorded=True, operations=0)
"""What a release without parts has."""
_MOVES = "the next call may pass another tensor"
_ALLOWED = "One that a CUDA graph made itself is allowed."


def reason_text(reason: str) -> str:
    """PyTorch's reason in words, as far as they are known."""
    return _WORDS.get(reason.partition(" (")[0], reason)


def build(recording: Recording, places: Places) -> dict[int, CudaGraphsView]:
    """By graph, for those of which it was decided."""
    skipped = {
        recording.graphs[one.graph].compile_id
        for one in recording.cuda_graphs
        if (one.skipped or not any(part.is_recorded for part in one.pieces or (_WHOLE,)))
        and not recording.graphs[one.graph].is_backward
    }
    return {one.graph: _view(one, recording, places, skipped) for one in recording.cuda_graphs}


def use_of(found: CudaGraphs) -> Use:
    """How far CUDA graphs are used by a graph itself."""
    if not found.pieces:  # a release without parts records all or nothing
        return "not used" if found.skipped or found.mutated else "used"
    used = [is_used(part, found) for part in found.pieces]
    return "used" if all(used) else "in parts" if any(used) else "not used"


def is_used(part: CudaPart, found: CudaGraphs) -> bool:
    """Whether a call uses the CUDA graph of a part."""
    is_written = bool(part.mutated) or bool(found.mutated and not _is_told(found))
    return part.is_recorded and not found.skipped and not is_written


def unused(found: CudaGraphs) -> list[CudaPart]:
    """The parts that are recorded and that no call uses: they write to an input."""
    return [part for part in found.pieces if part.is_recorded and not is_used(part, found)]


def launches(found: CudaGraphs) -> tuple[int, int]:
    """What a call of a graph starts without CUDA graphs, and with those that it would have.

    Zeros where it is not known.
    """
    before = sum(part.launches for part in found.pieces)
    own = [part.launches for part in found.pieces if is_used(part, found)]
    return before, before - sum(own) + sum(map(bool, own))


def _is_told(found: CudaGraphs) -> bool:
    """Whether each part says itself what writes to its inputs."""
    return any(part.mutated for part in found.pieces)


def _view(
    found: CudaGraphs, recording: Recording, places: Places, skipped: set[str]
) -> CudaGraphsView:
    graph = recording.graphs[found.graph]
    nodes = _nodes(found.node, ()) if found.skipped else found.mutated
    origin = origin_of([(found.graph, at) for at in nodes], recording, places) if nodes else None
    is_after = graph.is_backward and graph.compile_id in skipped
    sentences = ["Its forward uses none, and then it does not."] if is_after else []
    sentences += _sentences(found, graph, origin.where if origin else "")
    asked = "" if found.asked or is_after else "It was not asked for: this is what would be. "
    use = "not used" if is_after else use_of(found)
    before, after = launches(found)
    return CudaGraphsView(
        use=use,
        sentence=asked + " ".join(sentences),
        before=before,
        after=before if use == "not used" else after,
        parts=tuple(
            _part(part, found, recording, places, is_whole=is_after or bool(found.skipped))
            for part in found.pieces
        ),
        where=origin.where if origin else "",
        entity=origin.entity if origin else "",
    )


def _sentences(found: CudaGraphs, graph: Graph, where: str) -> Iterator[str]:
    at = f", at {where}" if where else ""
    own = [part for part in found.pieces if is_used(part, found)]
    if found.skipped:
        yield f"No CUDA graph is recorded: {reason_text(found.skipped)}{at}."
        return
    if found.mutated and not own:
        yield f"No CUDA graph is used: an input is written to{at}, and {_MOVES}. {_ALLOWED}"
    else:
        yield _recorded(found.pieces, own)
        if found.mutated:
            yield f"{_others(found, at)}, and {_MOVES}. {_ALLOWED}"
        yield from _saved(found)
        yield from _copies(own, graph)
    if found.sizes:
        yield f"Each new value of {listed(found.sizes)} is recorded anew."


def _others(found: CudaGraphs, at: str) -> str:
    """Those that are recorded and not used; `at` is the place of the first write."""
    count = len(unused(found))
    if count == 1:
        return f"Another is not used: it writes to an input{at}"
    first = at.replace(", ", ", the first ", 1)
    return f"{count} others are not used: each writes to an input{first}"


def _recorded(parts: tuple[CudaPart, ...], own: list[CudaPart]) -> str:
    calls = sum(part.operations for part in parts)
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
        graphs = sum(is_used(part, found) and part.launches > 0 for part in found.pieces)
        left = f" and {plural(after - graphs, 'kernel')}" if after > graphs else ""
        own = f"{plural(graphs, 'CUDA graph')}{left}"
        yield f"A call starts {own} in place of {plural(before, 'kernel')}."


def _copies(own: list[CudaPart], graph: Graph) -> Iterator[str]:
    """What a call copies before it replays: a part has memory of its own for what it takes."""
    copied = [at for part in own for at in part.copied]
    if copied:
        inputs = len(set(copied))
        in_all = f", in {len(copied)} copies in all" if len(copied) > inputs else ""
        sizes = [graph.nodes[at].value.bytes for at in copied]
        known = [one for one in sizes if one is not None]
        much = f" ({size(sum(known))})" if len(known) == len(sizes) else ""
        which = "it" if inputs == 1 else "them"
        yield (
            f"It first copies {plural(inputs, 'input')}{in_all}{much} into memory of "
            f"{'the graph' if len(own) == 1 else 'the graphs'}, unless another CUDA graph made "
            f"{which}."
        )


def _part(
    part: CudaPart, found: CudaGraphs, recording: Recording, places: Places, *, is_whole: bool
) -> CudaPartView:
    """A part; `is_whole` says that it is left out with the whole graph, whatever it does."""
    nodes = _nodes(part.node, () if is_whole else part.mutated)
    origin = origin_of([(found.graph, at) for at in nodes], recording, places) if nodes else None
    is_written = bool(part.mutated) and not is_whole
    why = f"it writes to an input, and {_MOVES}" if is_written else "left out with the whole"
    used = not is_whole and is_used(part, found)
    return CudaPartView(
        is_recorded=used,
        calls=plural(part.operations, "operation"),
        reason="" if used else reason_text(part.reason) or why,
        where=origin.where if origin else "",
        entity=origin.entity if origin else "",
    )


def _nodes(forbids: int | None, mutated: tuple[int, ...]) -> tuple[int, ...]:
    """What keeps something out: the node that forbids it, or those that write to an input."""
    return mutated if forbids is None else (forbids,)
