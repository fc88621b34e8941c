"""The earlier nodes that a node came from, across all stages."""

from collections.abc import Iterable, Iterator

from dynamo_lab.view.core.links import LinksView

NodeKey = tuple[int, int]
"""A graph's id and a node's index in it."""


class Ancestry:
    """The links, followed from the kernel up to the user's line."""

    def __init__(self, links: LinksView) -> None:
        self._parents: dict[NodeKey, list[NodeKey]] = {}
        for upstream, downstream, flat in links.graph_links:
            pairs = iter(flat)
            for above, below in zip(pairs, pairs, strict=True):
                self._parents.setdefault((downstream, below), []).append((upstream, above))

    def above(self, starts: Iterable[NodeKey]) -> Iterator[NodeKey]:
        """The start nodes and every node they came from, each once."""
        waiting = list(starts)
        seen = set(waiting)
        while waiting:
            node = waiting.pop()
            yield node
            fresh = [n for n in self._parents.get(node, ()) if n not in seen]
            seen.update(fresh)
            waiting += fresh
