"""Links between the graphs of a log, by the names, inputs and lines that they share."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.graphs import Graph, Stage

_MADE_FROM: dict[Stage, tuple[Stage, ...]] = {
    "pre_grad": ("dynamo",),
    "joint": ("pre_grad", "dynamo"),
    "forward": ("joint", "pre_grad", "dynamo"),
    "backward": ("joint",),
    "post_grad": ("forward", "backward", "pre_grad", "dynamo"),
}
_TRACED: tuple[Stage, ...] = ("pre_grad", "dynamo")
_MOST_BACK = 200
"""So many graphs of a compilation are looked through for the one that another was made from."""
_MOST = 4
"""More nodes than these on one line say too little about which of them became which."""


def link(
    graphs: Sequence[Graph],
    inputs: dict[int, dict[int, int]],
    traced: dict[int, dict[str, list[str]]],
) -> list[LinkTable]:
    """The links into each graph from the one that it was made from.

    `inputs` are the numbers of AOTAutograd's notes on the inputs of graphs, by node; `traced` are,
    for graphs whose provenance was logged, the names of the nodes that each node comes from.
    """
    tables: list[LinkTable] = []
    before: dict[str, deque[Graph]] = defaultdict(lambda: deque(maxlen=_MOST_BACK))
    for graph in graphs:
        if graph.parent is not None:
            continue
        known = before[graph.compile_id]
        if (origin := _origin(known, graph)) is not None:
            tables += _tables(origin, graph, inputs.get(graph.id, {}))
        if graph.id in traced and (origin := _origin(known, graph, _TRACED)) is not None:
            tables.append(_told(origin, graph, traced[graph.id]))
        known.append(graph)
    return tables


def _told(origin: Graph, graph: Graph, names: dict[str, list[str]]) -> LinkTable:
    """The links that PyTorch itself logs."""
    at = {name: index for index, name in enumerate(origin.nodes.name)}
    pairs = tuple(
        (at[name], index)
        for index, own in enumerate(graph.nodes.name)
        for name in names.get(own, ())
        if name in at
    )
    return LinkTable(upstream=origin.id, downstream=graph.id, reason="traced from", pairs=pairs)


def _origin(known: deque[Graph], graph: Graph, stages: Sequence[Stage] = ()) -> Graph | None:
    """The latest graph of an earlier stage and of the same direction, of those `known` before."""
    for stage in stages or _MADE_FROM.get(graph.stage, ()):
        for earlier in reversed(known):
            if earlier.stage == "dynamo" and stage != "dynamo":
                break  # what lies before belongs to another compilation of this number
            is_same_way = stage in (*_TRACED, "joint") or earlier.is_backward == graph.is_backward
            if earlier.stage == stage and is_same_way:
                return earlier
    return None


def _tables(origin: Graph, graph: Graph, inputs: dict[int, int]) -> Iterator[LinkTable]:
    keeps_names = graph.stage == "pre_grad" or origin.stage not in _TRACED
    names = {name: at for at, name in enumerate(origin.nodes.name)} if keeps_names else {}
    placeholders = [node.index for node in origin.nodes if node.op == "placeholder"]
    lines = _by_line(origin)
    pairs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for node in graph.nodes:
        number = inputs.get(node.index)
        if node.name in names:
            pairs["same node"].append((names[node.name], node.index))
        elif number is not None and number < len(placeholders) and origin.stage in _TRACED:
            pairs["same input"].append((placeholders[number], node.index))
        elif node.stack is not None and 0 < len(lines.get(node.stack, ())) <= _MOST:
            same = [
                at
                for at in lines[node.stack]
                if _operator(origin, at) == _operator(graph, node.index)
            ]
            pairs["same line"] += [(at, node.index) for at in (same or lines[node.stack])]
    for reason, found in pairs.items():
        yield LinkTable(upstream=origin.id, downstream=graph.id, reason=reason, pairs=tuple(found))


def _by_line(graph: Graph) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for node in graph.nodes:
        if node.stack is not None and node.op.startswith("call"):
            found[node.stack].append(node.index)
    return found


def _operator(graph: Graph, node: int) -> str:
    """'relu' of "torch.relu", "aten.relu.default" and the method alike."""
    target = graph.nodes[node].target
    parts = target.split(".")
    return parts[1] if parts[0] in ("aten", "prims") and len(parts) > 1 else parts[-1]
