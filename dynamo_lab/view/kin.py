"""What lights up together: the kin of an entity, by the definition in `links.py`."""

from collections.abc import Iterable, Iterator

from dynamo_lab.view.view import View


def kin(view: View, entity: str) -> frozenset[str]:
    """All entities above and below this one, itself included, if the view knows it."""
    return Kinship(view).of(entity)


class Kinship:
    """The edges of a view by name, for asking about many entities."""

    def __init__(self, view: View) -> None:
        self._below: dict[str, list[str]] = {}
        self._above: dict[str, list[str]] = {}
        for above, below in _edges(view):
            self._below.setdefault(above, []).append(below)
            self._above.setdefault(below, []).append(above)

    def of(self, entity: str) -> frozenset[str]:
        """The entity, all above it and all below it; nothing where it has no kin."""
        if entity not in self._below and entity not in self._above:
            return frozenset()
        return frozenset(_reach(entity, self._above) | _reach(entity, self._below))


def _reach(start: str, edges: dict[str, list[str]]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        fresh = [name for name in edges.get(waiting.pop(), ()) if name not in seen]
        seen.update(fresh)
        waiting += fresh
    return seen


def _edges(view: View) -> Iterator[tuple[str, str]]:
    """(above, below) for every edge, from the reader's line down."""
    yield from _node_edges(view)
    for kernel in view.kernels.kernels:
        for node in kernel.nodes if kernel.graph is not None else ():
            yield f"node:{kernel.graph}:{node}", f"kernel:{kernel.id}"
    for item in view.breaks:
        yield from _each((line.entity for line in item.stack), f"break:{item.id}")
    for frame in view.frames:
        yield frame.entity, f"frame:{frame.id}"
    for index, guard in enumerate(view.guards.guards):
        if guard.entity:
            yield guard.entity, f"guard:{index}"


def _each(above: Iterable[str], below: str) -> Iterator[tuple[str, str]]:
    return ((name, below) for name in above)


def _node_edges(view: View) -> Iterator[tuple[str, str]]:
    lines = [[f"line:{s}:{n}" for s, n in stack] for stack in view.links.stacks]
    for graph in view.graphs:
        for index, stack in enumerate(graph.stack):
            if stack >= 0:
                yield from _each(lines[stack], f"node:{graph.id}:{index}")
    for upstream, downstream, flat in view.links.graph_links:
        pairs = iter(flat)
        for above, below in zip(pairs, pairs, strict=True):
            yield f"node:{upstream}:{above}", f"node:{downstream}:{below}"
