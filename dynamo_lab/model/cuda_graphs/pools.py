"""The memory that the CUDA graphs of a device share: segments, blocks, and what lies in them.

Source: `torch.cuda.memory_snapshot`, whose dicts are described at `torch.cuda.memory._snapshot`.
"""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref

BlockState = Literal["live", "awaiting", "free"]
"""Handed out; given back but not reused until a stream is done with it; to be handed out again."""


class CudaBlock(Struct, frozen=True, kw_only=True):
    """Bytes of a segment that were handed out together, or that are free.

    `requested` are those that were asked for: the allocator rounds up. `span` is the reader's line
    that asked, where PyTorch recorded the history of memory.
    """

    bytes: int
    requested: int = 0
    state: BlockState = "free"
    span: Annotated[int | None, Ref("spans")] = None


class CudaSegment(Struct, frozen=True, kw_only=True):
    """Memory taken from the device at once, of which `live` bytes are handed out.

    `spaces` follow each other from its start; they are empty where a pool has too many to keep.
    """

    bytes: int
    live: int = 0
    spaces: tuple[CudaBlock, ...] = ()


class CudaHeld(Struct, frozen=True, kw_only=True):
    """What a CUDA graph has at a fixed place of the pool: an output, or the copy of an input.

    `offset` and `bytes` are in bytes from the start of the segment. `input` is the position among
    the inputs, None for an output.
    """

    node: Annotated[int, Ref("CudaTrees.nodes")]
    segment: Annotated[int, Ref("CudaPool.segments")]
    offset: int
    bytes: int
    output: Annotated[int | None, Ref("CudaTrees.returned")] = None
    input: Annotated[int | None, Plain("a position among the inputs of the call")] = None


class CudaPool(Struct, frozen=True, kw_only=True):
    """A pool as it was after the last recording, that of `node`.

    A replay tells the allocator nothing, so that there is no later state to read.
    """

    name: str
    node: Annotated[int, Ref("CudaTrees.nodes")]
    segments: tuple[CudaSegment, ...] = ()
    lying: tuple[CudaHeld, ...] = ()
