"""What lights up together: everything related to an entity, as defined in `core/links.py`.

The front-end computes it too: tests/cases/kin.json checks both.
"""

from collections.abc import Iterator, Mapping

from dynamo_lab.view.view import View


def related(view: View, entity: str) -> frozenset[str]:
    """All entities above and below this one, itself included."""
    return Relations(view).of(entity)


class Relations:
    """The edges of a view by name, for queries about many entities."""

    def __init__(self, view: View) -> None:
        self._below: dict[str, list[str]] = {}
        self._above: dict[str, list[str]] = {}
        for above, below in _edges(view):
            self._below.setdefault(above, []).append(below)
            self._above.setdefault(below, []).append(above)

    def of(self, entity: str) -> frozenset[str]:
        """The entity, all above it and all below it."""
        found = _reach(entity, self._above) | _reach(entity, self._below)
        return frozenset(name for name in found if not name.startswith(("stack:", "calls:")))


def _reach(start: str, edges: dict[str, list[str]]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        fresh = [name for name in edges.get(waiting.pop(), ()) if name not in seen]
        seen.update(fresh)
        waiting += fresh
    return seen


def _edges(view: View) -> Iterator[tuple[str, str]]:
    """(above, below) for every edge, from the user's line down."""
    yield from _node_edges(view)
    parents = {graph.id: graph.parent for graph in view.graphs}
    stored: dict[tuple[int, str], int] = {}
    for buffer in view.lowering.buffers:
        stored[_root(buffer.graph, parents), buffer.name] = buffer.id
        for node in buffer.nodes:
            yield f"node:{buffer.graph}:{node}", f"buffer:{buffer.id}"
    for kernel in view.kernels.kernels:
        for name in kernel.buffers:
            if kernel.graph is not None and (kernel.graph, name) in stored:
                yield f"buffer:{stored[kernel.graph, name]}", f"kernel:{kernel.id}"
        for node in kernel.nodes if kernel.graph is not None else ():
            yield f"node:{kernel.graph}:{node}", f"kernel:{kernel.id}"
        for statement in kernel.statements if kernel.graph is not None else ():
            for node in statement.nodes:
                yield f"node:{kernel.graph}:{node}", f"statement:{kernel.id}:{statement.line}"
    for schedule in view.fusions.schedules:
        for item in schedule.operations:
            for node in item.nodes:
                yield f"node:{schedule.graph}:{node}", f"op:{item.id}"
            if item.kernel is not None:
                yield f"op:{item.id}", f"kernel:{item.kernel}"
    yield from _fact_edges(view)


def _root(graph: int, parents: Mapping[int, int | None]) -> int:
    """The graph that contains a body: kernels belong to that one."""
    while (parent := parents.get(graph)) is not None:
        graph = parent
    return graph


def _node_edges(view: View) -> Iterator[tuple[str, str]]:
    # Each stack is a vertex of its own: lines to stack to nodes are few, lines to nodes many.
    for index, stack in enumerate(view.links.stacks):
        for source, number in stack:
            yield f"line:{source}:{number}", f"stack:{index}"
    for graph in view.graphs:
        for index, stack in enumerate(graph.stack):
            if stack >= 0:
                yield f"stack:{stack}", f"node:{graph.id}:{index}"
    yield from _expression_edges(view)
    for upstream, downstream, flat in view.links.graph_links:
        pairs = iter(flat)
        for above, below in zip(pairs, pairs, strict=True):
            yield f"node:{upstream}:{above}", f"node:{downstream}:{below}"


def _expression_edges(view: View) -> Iterator[tuple[str, str]]:
    expressions = view.expressions
    for index, one in enumerate(expressions.shown):
        yield f"line:{one.source}:{one.line}", f"expression:{index}"
    for index, stack in enumerate(expressions.stacks):
        for one in stack:
            yield f"expression:{one}", f"calls:{index}"
    for graph, stacks in expressions.nodes:
        for node, index in enumerate(stacks):
            if index >= 0:
                yield f"calls:{index}", f"node:{graph}:{node}"


def _fact_edges(view: View) -> Iterator[tuple[str, str]]:
    for item in view.breaks:
        for line in item.stack:
            yield line.entity, f"break:{item.id}"
    for source in view.sources:
        for mark in source.marks:
            if mark.target.startswith(("break:", "symbol:")):
                yield f"line:{source.id}:{mark.line}", mark.target
    for frame in view.frames:
        yield frame.entity, f"frame:{frame.id}"
    for index, guard in enumerate(view.guards.guards):
        if guard.entity:
            yield guard.entity, f"guard:{index}"
    for index, symbol in enumerate(view.shapes.symbols):
        for at in (symbol, *symbol.pinned):
            if at.entity:
                yield at.entity, f"symbol:{index}"
