"""What a rank keeps in memory for its model."""

from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Plain

_BYTES = Plain("a number of bytes")


class Amount(Struct, frozen=True, array_like=True):
    """Bytes: `own` are what this rank holds, `whole` what one process would hold of the same.

    `own` counts each storage once, with what pads a shard; `allocated` is the same with each
    storage rounded up to 512, as CUDA's allocator gives memory out.
    """

    own: Annotated[int, _BYTES]
    whole: Annotated[int, _BYTES]
    allocated: Annotated[int, _BYTES]


class Memory(Struct, frozen=True, kw_only=True):
    """A model's memory on a device; None where it was not seen.

    `parameters` and `buffers` are of the models whose parameters were seen. `gradients` are as
    they were at the end of a backward, `optimizer` the state at the end of a step. `reducer` is
    what DDP keeps beside the gradients: the buckets that it copies them into.
    """

    device: str
    parameters: Amount | None = None
    buffers: Amount | None = None
    gradients: Amount | None = None
    optimizer: Amount | None = None
    reducer: Amount | None = None
