"""Links: which node of one graph became which node of the next."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Ref


class Link(Struct, frozen=True, kw_only=True):
    """An edge from a node of an earlier graph to a node of a later one, with its reason."""

    upstream_graph: Annotated[int, Ref("graphs")]
    upstream_node: Annotated[int, Ref("graphs[upstream_graph].nodes")]
    downstream_graph: Annotated[int, Ref("graphs")]
    downstream_node: Annotated[int, Ref("graphs[downstream_graph].nodes")]
    reason: str


class LinkTable(Struct, frozen=True, kw_only=True):
    """All links between two graphs with one reason, as pairs (upstream node, downstream node)."""

    upstream: Annotated[int, Ref("graphs")]
    downstream: Annotated[int, Ref("graphs")]
    reason: str
    pairs: tuple[
        tuple[
            Annotated[int, Ref("graphs[upstream].nodes")],
            Annotated[int, Ref("graphs[downstream].nodes")],
        ],
        ...,
    ] = ()

    def __iter__(self) -> Iterator[Link]:
        for upstream, downstream in self.pairs:
            yield Link(
                upstream_graph=self.upstream,
                upstream_node=upstream,
                downstream_graph=self.downstream,
                downstream_node=downstream,
                reason=self.reason,
            )
