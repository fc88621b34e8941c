"""Links: which node of one graph became which node of the next."""

from collections.abc import Iterator

from msgspec import Struct


class Link(Struct, frozen=True, kw_only=True):
    """An edge from a node of an earlier graph to a node of a later one, with its reason."""

    upstream_graph: int
    upstream_node: int
    downstream_graph: int
    downstream_node: int
    reason: str


class LinkTable(Struct, frozen=True, kw_only=True):
    """All links between two graphs with one reason, as pairs (upstream node, downstream node)."""

    upstream: int
    downstream: int
    reason: str
    pairs: tuple[tuple[int, int], ...] = ()

    def __iter__(self) -> Iterator[Link]:
        for upstream, downstream in self.pairs:
            yield Link(
                upstream_graph=self.upstream,
                upstream_node=upstream,
                downstream_graph=self.downstream,
                downstream_node=downstream,
                reason=self.reason,
            )
