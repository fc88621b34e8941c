"""Where DDP cut a captured graph into parts, so that gradients travel while others are computed."""

from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref

_BYTES = Plain("a number of bytes")


class Bucket(Struct, frozen=True, kw_only=True):
    """Parameters whose gradients DDP reduces together, in `bytes`, by their names in the graph.

    `extended` counts operators that came into it beyond its limit, because nothing of what it
    computes would have left it otherwise.
    """

    bytes: Annotated[int, _BYTES]
    parameters: tuple[str, ...]
    operators: Annotated[int, Plain("a count")] = 0
    extended: int = 0


class Split(Struct, frozen=True, kw_only=True):
    """A captured graph as DDP's optimizer cut it, walking it from its end.

    `buckets` are in the order in which the backward fills them: the first has the last operators,
    and is full at `first_limit` bytes, each other one at `limit`. One bucket alone means that the
    graph was not cut.
    """

    compile_id: str
    graph: Annotated[int | None, Ref("graphs")]
    first_limit: Annotated[int, _BYTES]
    limit: Annotated[int, _BYTES]
    buckets: tuple[Bucket, ...]
