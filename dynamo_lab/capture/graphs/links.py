"""Links between graphs, from the origins that FX keeps on nodes and from names that survive."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from torch import fx

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.graphs import Graph, Stage

Place = tuple[int, int]
"""A node: its graph's id and its index there."""

_MADE_FROM: dict[Stage, tuple[Stage, ...]] = {
    "pre_grad": ("dynamo",),
    "joint": ("pre_grad", "dynamo"),
    "forward": ("joint", "pre_grad", "dynamo"),
    "backward": ("joint",),
    "post_grad": ("forward", "backward"),
}
"""For each stage, the stages that its graph may have been made from, the nearest first."""

_TRACED: tuple[Stage, ...] = ("pre_grad", "dynamo")
"""Graphs that AOTAutograd traces again, so that names change; after that they survive."""


def link_to_origins(
    graphs: Sequence[Graph], family: Sequence[tuple[Graph, fx.Graph]]
) -> list[LinkTable]:
    """The links into a graph and the bodies of its higher-order operators: its `family`."""
    root = family[0][0]
    origin = next(_origins(graphs, root, _MADE_FROM.get(root.stage, ())), None)
    if origin is None:
        return []
    traced = next(_origins(graphs, root, _TRACED), origin)
    tables: dict[tuple[int, int, str], list[tuple[int, int]]] = defaultdict(list)
    for graph, fx_graph in family:
        names = _places(graphs, origin, in_body=graph is not root)
        traced_names = _places(graphs, traced, in_body=graph is not root)
        inputs = [] if graph is not root else _inputs(graphs[traced.id])
        keeps_names = root.stage == "pre_grad" or origin.stage not in _TRACED
        for index, reason, places in _links(
            list(fx_graph.nodes), names if keeps_names else {}, traced_names, inputs
        ):
            for upstream, node in places:
                tables[upstream, graph.id, reason].append((node, index))
    return [
        LinkTable(upstream=up, downstream=down, reason=reason, pairs=tuple(pairs))
        for (up, down, reason), pairs in tables.items()
    ]


def _origins(graphs: Sequence[Graph], graph: Graph, stages: Sequence[Stage]) -> Iterator[Graph]:
    for stage in stages:
        for earlier in reversed(graphs[: graph.id]):
            if (
                earlier.stage == stage
                and earlier.compile_id == graph.compile_id
                and earlier.parent is None
                and earlier.part in (0, graph.part)
                and (
                    stage in _TRACED or stage == "joint" or earlier.is_backward == graph.is_backward
                )
            ):
                yield earlier
                break


def _places(graphs: Sequence[Graph], origin: Graph, *, in_body: bool) -> dict[str, Place]:
    """Where each name stands in a graph, or in the bodies of its higher-order operators."""
    members = [origin] if not in_body else [g for g in graphs if _is_within(graphs, g, origin.id)]
    return {name: (g.id, i) for g in reversed(members) for i, name in enumerate(g.nodes.name)}


def _is_within(graphs: Sequence[Graph], graph: Graph, root: int) -> bool:
    parent = graph.parent
    while parent is not None and parent != root:
        parent = graphs[parent].parent
    return parent == root


def _inputs(graph: Graph) -> list[Place]:
    """The inputs of a graph, in order."""
    strings = graph.nodes.strings
    return [(graph.id, i) for i, op in enumerate(graph.nodes.op) if strings[op] == "placeholder"]


def _links(
    nodes: list[fx.Node], names: dict[str, Place], traced: dict[str, Place], inputs: list[Place]
) -> Iterator[tuple[int, str, list[Place]]]:
    """For each node its best known origin.

    That is itself under the same name, else the input that it stands for, else what it was traced
    from, else the forward operator that it is the gradient of, else what it was rewritten for.
    """
    by_sequence = _by_sequence_number(nodes, traced)
    found: dict[fx.Node, list[Place]] = {}
    for index, node in reversed(list(enumerate(nodes))):
        if node.name in names:
            yield index, "same node", [names[node.name]]
            continue
        if (number := _input_number(node)) is not None and number < len(inputs):
            yield index, "same input", [inputs[number]]
            continue
        places = [traced[name] for name in origin_names(node) if name in traced]
        reason = "traced from"
        if not places and (places := by_sequence.get(node.meta.get("seq_nr"), [])):
            reason = "gradient of"
        if not places and node.op.startswith("call"):
            # a pass put it there without a word on its origin: it serves what reads it
            places = list(dict.fromkeys(p for user in node.users for p in found.get(user, ())))[:4]
            reason = "rewritten for"
        found[node] = places
        if places:
            yield index, reason, places


def _input_number(node: fx.Node) -> int | None:
    """Which of the traced function's inputs a placeholder stands for, from AOTAutograd's note."""
    about: Any = node.meta.get("desc") if node.op == "placeholder" else None
    return about.idx if type(about).__name__ == "PlainAOTInput" else None


def _by_sequence_number(nodes: list[fx.Node], traced: dict[str, Place]) -> dict[Any, list[Place]]:
    """Autograd numbers forward operators; the nodes of their gradients carry the same number."""
    numbers: dict[Any, dict[Place, None]] = defaultdict(dict)
    for node in nodes:
        number = node.meta.get("seq_nr")
        if number is not None:
            numbers[number].update({traced[n]: None for n in origin_names(node) if n in traced})
    return {number: list(places) for number, places in numbers.items()}


def origin_names(node: fx.Node) -> Iterator[str]:
    """The names of the nodes that this one was made from, the nearest first."""
    sources: list[Any] = list(node.meta.get("from_node") or ())
    while sources:
        source = sources.pop(0)
        if source.node_info is not None:
            yield source.node_info.name
        sources.extend(source.from_node or ())
