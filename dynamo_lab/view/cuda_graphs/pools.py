"""The memory pool of CUDA graphs: segments, their blocks, and what lies in them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.model.cuda_graphs.pools import BlockState, CudaBlock, CudaHeld, CudaPool
from dynamo_lab.model.cuda_graphs.trees import CudaTrees
from dynamo_lab.view.core.places import Places, entity
from dynamo_lab.view.core.words import listed, plural, size

_MOST_NAMED = 4
_WORDS: dict[BlockState, str] = {
    "live": "live",
    "awaiting": "given back, in use by a stream",
    "free": "free",
}


class PoolBlockView(Struct, frozen=True, kw_only=True):
    """A block as a part of a bar: `start` and `width` are shares of its segment, from 0 to 1."""

    state: BlockState
    start: float
    width: float
    size: str
    text: str
    where: str = ""
    entity: str = ""


class PoolSegmentView(Struct, frozen=True, kw_only=True):
    """Memory that was taken from the device at once."""

    title: str
    blocks: tuple[PoolBlockView, ...]


class PoolView(Struct, frozen=True, kw_only=True):
    """A pool: how much it reserves, how much of that is handed out, and what lies where."""

    sentence: str
    segments: tuple[PoolSegmentView, ...]


class _Owner(NamedTuple):
    """What lies in a block, in words, with its line."""

    text: str
    where: str = ""
    entity: str = ""


def build(trees: CudaTrees, places: Places) -> PoolView | None:
    """The pool as after the last recording; None where none was watched."""
    pool = trees.pool
    if pool is None:
        return None
    return PoolView(
        sentence=_sentence(trees, pool),
        segments=tuple(
            PoolSegmentView(
                title=f"segment {at}: {size(segment.bytes)}, {size(segment.live)} live",
                blocks=tuple(_blocks(trees, pool, at, places)),
            )
            for at, segment in enumerate(pool.segments)
        ),
    )


def _sentence(trees: CudaTrees, pool: CudaPool) -> str:
    reserved = sum(segment.bytes for segment in pool.segments)
    live = sum(segment.live for segment in pool.segments)
    blocks = [block for segment in pool.segments for block in segment.spaces]
    number = trees.nodes[pool.node].number
    is_cut = any(segment.live and not segment.spaces for segment in pool.segments)
    told = "too many blocks to keep" if is_cut else plural(len(blocks), "block")
    return (
        f"Pool {pool.name} reserved {size(reserved)} in {plural(len(pool.segments), 'segment')}, "
        f"of which {size(live)} were live, right after CUDA graph {number} was recorded: {told}. "
        "A replay tells the allocator nothing, so no later state is known."
    )


def _blocks(trees: CudaTrees, pool: CudaPool, at: int, places: Places) -> Iterator[PoolBlockView]:
    segment = pool.segments[at]
    held = [one for one in pool.lying if one.segment == at]
    start = 0
    for block in segment.spaces:
        inside = [one for one in held if start <= one.offset < start + block.bytes]
        owner = _owner(trees, block, inside, places)
        yield PoolBlockView(
            state=block.state,
            start=start / max(1, segment.bytes),
            width=block.bytes / max(1, segment.bytes),
            size=size(block.bytes),
            text=f"{_WORDS[block.state]}: {owner.text}" if owner.text else _WORDS[block.state],
            where=owner.where,
            entity=owner.entity,
        )
        start += block.bytes


def _owner(
    trees: CudaTrees, block: CudaBlock, inside: Sequence[CudaHeld], places: Places
) -> _Owner:
    """Whose output a block is that is handed out; who has places in one that is free."""
    if block.state != "live":
        names = _names(trees, inside)
        return _Owner(f"replays write {names} here" if names else "")
    outputs = [one for one in inside if one.output is not None]
    spans = [trees.returned[one.output].span for one in outputs if one.output is not None]
    span = next((one for one in (*spans, block.span) if one is not None), None)
    text = _names(trees, outputs) or "no output that PyTorch tracks, such as a workspace"
    if span is None:
        return _Owner(text)
    return _Owner(text, places.where_span(span), entity(places.line_of(span)))


def _names(trees: CudaTrees, lying: Sequence[CudaHeld]) -> str:
    return listed(list(dict.fromkeys(_name(trees, one) for one in lying)), _MOST_NAMED)


def _name(trees: CudaTrees, one: CudaHeld) -> str:
    number = trees.nodes[one.node].number
    if one.output is None:
        return f"the copy of input {one.input} of CUDA graph {number}"
    return f"output {trees.returned[one.output].at} of CUDA graph {number}"
