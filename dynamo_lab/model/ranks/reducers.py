"""The buckets in which a module under DDP reduces its gradients, as DDP itself made them."""

from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref


class Reduced(Struct, frozen=True, kw_only=True):
    """A bucket: what it takes, and the names of its parameters, empty where they are not known."""

    bytes: Annotated[int, Plain("a number of bytes")]
    parameters: tuple[str, ...] = ()


class Reducer(Struct, frozen=True, kw_only=True):
    """A module that was wrapped in DDP, on the line of `span`, for a `group` of ranks.

    Each backward reduces the buckets of one list in order: `initial` until DDP has seen in which
    order gradients become ready, then `rebuilt`, which is None where that is not known. `limit` is
    about what a bucket takes at most; it, and what else the program set, is None where not known.
    """

    group: str
    initial: tuple[Reduced, ...]
    rebuilt: tuple[Reduced, ...] | None = None
    span: Annotated[int | None, Ref("spans")] = None
    limit: Annotated[int | None, Plain("a number of bytes")] = None
    static_graph: bool | None = None
    gradient_as_bucket_view: bool | None = None
