"""The parts into which DDP cut a graph: which gradients travel together, and why it cut there."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.ranks.splits import Bucket, Split
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import plain_input
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import plural, size

HEAD = ("bucket", "part", "bytes", "parameters", "operators", "cut because")


class BucketView(Struct, frozen=True, kw_only=True):
    """`cells` are in the columns of `HEAD`; `parameters` are their names as in code."""

    cells: tuple[str, ...]
    parameters: tuple[str, ...]


class SplitView(Struct, frozen=True, kw_only=True):
    """How a captured graph was split: `buckets` in the order in which the backward fills them."""

    title: str
    sentence: str
    head: tuple[str, ...]
    buckets: tuple[BucketView, ...]


def build(recording: Recording) -> tuple[SplitView, ...]:
    """The splits of a rank's graphs."""
    titles = GraphTitles(recording)
    return tuple(_split(one, titles) for one in recording.splits)


def _split(one: Split, titles: GraphTitles) -> SplitView:
    name = f"compilation {one.compile_id}" if one.graph is None else titles.titles[one.graph]
    return SplitView(
        title=name,
        sentence=_sentence(one, name),
        head=HEAD,
        buckets=tuple(_buckets(one)),
    )


def _sentence(one: Split, name: str) -> str:
    if not any(bucket.parameters for bucket in one.buckets):
        return f"DDP did not split {name}: it has no parameters whose gradients it reduces."
    if len(one.buckets) == 1:
        full = one.buckets[0].bytes
        return (
            f"DDP did not split {name}: the {size(full)} of its gradients are one bucket, so they "
            "are reduced once all of its backward has run."
        )
    return (
        f"DDP split {name} into {plural(len(one.buckets), 'part')}, which are compiled apart: the "
        "gradients of one are reduced while the backward of the next runs. These are no graph "
        "breaks of yours."
    )


def _buckets(one: Split) -> Iterator[BucketView]:
    parts = len(one.buckets)
    for at, bucket in enumerate(one.buckets):
        part = f"{parts - at}" if parts > 1 else "all"
        counts = f"{len(bucket.parameters):,}", f"{bucket.operators:,}"
        yield BucketView(
            cells=(f"{at}", part, size(bucket.bytes), *counts, _why(one, at, bucket)),
            parameters=tuple(map(_name, bucket.parameters)),
        )


def _name(parameter: str) -> str:
    return plain_input(parameter[:1].lower() + parameter[1:]).removeprefix("self.")


def _why(one: Split, at: int, bucket: Bucket) -> str:
    """Why the bucket ends where it does."""
    if at == len(one.buckets) - 1:
        return "the graph begins here"
    limit = one.limit if at else one.first_limit
    which = "the first bucket's limit" if not at else "the limit"
    reached = f"{which} of {size(limit)} is reached"
    if bucket.extended:
        more = plural(bucket.extended, "operator")
        return f"{reached}, and {more} later something leaves the part"
    return reached
