"""What the allocator says of a pool, as facts: no address of this machine is kept."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dynamo_lab.model.cuda_graphs.pools import (
    BlockState,
    CudaBlock,
    CudaHeld,
    CudaPool,
    CudaSegment,
)

_MOST_BLOCKS = 4_000
_STATES: Mapping[str, BlockState] = {
    "active_allocated": "live",
    "active_awaiting_free": "awaiting",
    "active_pending_free": "awaiting",
}
"""By the allocator's word; whatever else it says is free."""
SpanOf = Callable[[Iterable[Mapping[str, Any]]], int | None]
"""The reader's span among the frames that an allocator noted."""


class Lying(NamedTuple):
    """What a CUDA graph has at an address: an output, or the copy of an input."""

    address: int
    bytes: int
    node: int
    output: int | None = None
    input: int | None = None


class Snapshot(NamedTuple):
    """A pool right after a recording, with where its segments begin."""

    node: int
    starts: tuple[int, ...]
    segments: tuple[CudaSegment, ...]

    def pool(self, name: str, lying: Iterable[Lying]) -> CudaPool:
        """The pool with what lies in it; what lies elsewhere is left out."""
        found = {held for one in lying for held in self._held(one)}
        in_order = sorted(found, key=lambda held: (held.segment, held.offset, held.node))
        return CudaPool(name=name, node=self.node, segments=self.segments, lying=tuple(in_order))

    def _held(self, one: Lying) -> Iterator[CudaHeld]:
        for at, (start, segment) in enumerate(zip(self.starts, self.segments, strict=True)):
            if start <= one.address and one.address + one.bytes <= start + segment.bytes:
                yield CudaHeld(
                    node=one.node,
                    segment=at,
                    offset=one.address - start,
                    bytes=one.bytes,
                    output=one.output,
                    input=one.input,
                )


def snapshot(
    found: Sequence[Mapping[str, Any]], device: int, pool: Any, node: int, span_of: SpanOf
) -> Snapshot:
    """The segments of one pool among those that `torch.cuda.memory_snapshot` gives."""
    own = [
        one
        for one in found
        if one["device"] == device and tuple(one["segment_pool_id"]) == tuple(pool)
    ]
    is_kept = sum(len(one["blocks"]) for one in own) <= _MOST_BLOCKS
    return Snapshot(
        node,
        tuple(one["address"] for one in own),
        tuple(
            CudaSegment(
                bytes=one["total_size"],
                live=one["allocated_size"],
                spaces=tuple(_block(block, span_of) for block in one["blocks"]) if is_kept else (),
            )
            for one in own
        ),
    )


def _block(block: Mapping[str, Any], span_of: SpanOf) -> CudaBlock:
    state = _STATES.get(block["state"], "free")
    return CudaBlock(
        bytes=block["size"],
        requested=0 if state == "free" else block.get("requested_size", 0),
        state=state,
        span=None if state == "free" else span_of(block.get("frames") or ()),
    )
