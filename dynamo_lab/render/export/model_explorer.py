"""Graphs for Google's Model Explorer: its JSON of graphs, and its JSON of node data.

The formats: https://github.com/google-ai-edge/model-explorer/wiki/4.-API-Guide, and the data
classes of its package `ai-edge-model-explorer` (`graph_builder.py`, `node_data_builder.py`).
"""

from collections.abc import Iterable, Iterator
from typing import Any

from dynamo_lab.model.graphs import Graph, Node
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.graphs.boxes import ModuleView, module_tree

NodeTime = tuple[int, int, float, str]
"""A graph's id, a node's index in it, seconds, and their text."""


def collection(recording: Recording) -> dict[str, Any]:
    """All graphs as one collection, ready for JSON; namespaces are the paths of modules."""
    titles, places = GraphTitles(recording).titles, Places(recording)
    kernels: dict[tuple[int, int], list[str]] = {}
    for kernel in recording.kernels:
        for node in kernel.nodes if kernel.graph is not None else ():
            kernels.setdefault((kernel.graph or 0, node), []).append(kernel.name)
    return {
        "label": recording.title or "recording",
        "graphSorting": "name_asc",
        "graphs": [_graph(graph, titles, places, kernels) for graph in recording.graphs],
    }


def sizes(recording: Recording) -> dict[str, Any]:
    """For each graph the bytes that each node's value takes, where known."""
    values = (
        (graph.id, node.index, node.value.bytes)
        for graph in recording.graphs
        for node in graph.nodes
        if node.value.bytes is not None
    )
    return _node_data(recording, "bytes", values, can_be_added=True)


def times(recording: Recording, found: Iterable[NodeTime]) -> dict[str, Any]:
    """For each graph the microseconds of the kernel that computes each node, where measured.

    A kernel computes several nodes, and each gets all of its time: sums would count it twice.
    """
    values = ((graph, node, seconds * 1e6) for graph, node, seconds, _ in found)
    return _node_data(recording, "µs, whole kernel", values, can_be_added=False)


def _graph(
    graph: Graph,
    titles: tuple[str, ...],
    places: Places,
    kernels: dict[tuple[int, int], list[str]],
) -> dict[str, Any]:
    boxes = list(_boxes(module_tree(graph.nodes)))
    homes = {node: namespace for box, namespace in boxes for node in box.nodes}
    ids = _ids(graph)
    return {
        "id": titles[graph.id],
        "nodes": [
            {
                "id": ids[node.index],
                "label": _label(node),
                "namespace": homes.get(node.index, ""),
                "subgraphIds": [titles[body] for body in node.subgraphs],
                "attrs": _attributes(_facts(node, places, kernels.get((graph.id, node.index)))),
                "incomingEdges": [
                    {
                        "sourceNodeId": ids[source],
                        "sourceNodeOutputId": "0",
                        "targetNodeInputId": str(place),
                    }
                    for place, source in enumerate(node.inputs)
                ],
                "outputsMetadata": _outputs(node),
            }
            for node in graph.nodes
        ],
        "groupNodeAttributes": {
            "": {"stage": graph.stage, "compile id": graph.compile_id},
            **{
                namespace: {"module": box.path, **({"class": box.type} if box.type else {})}
                for box, namespace in boxes
                if namespace
            },
        },
    }


def _boxes(tree: tuple[ModuleView, ...]) -> Iterator[tuple[ModuleView, str]]:
    """Each box with its namespace, from the root down."""
    waiting = [(0, "")]
    while waiting:
        at, namespace = waiting.pop()
        yield tree[at], namespace
        for child in tree[at].children:
            step = tree[child].name.replace("/", "_").strip() or "_"
            waiting.append((child, f"{namespace}/{step}" if namespace else step))


def _ids(graph: Graph) -> tuple[str, ...]:
    """The nodes' names: unique in PyTorch's graphs, made unique in edited ones."""
    names = graph.nodes.name
    if len(set(names)) == len(names):
        return names
    return tuple(f"{name} ({index})" for index, name in enumerate(names))


def _label(node: Node) -> str:
    return operator_name(node.target) if node.op.startswith("call_") else node.name


def _facts(node: Node, places: Places, kernels: list[str] | None) -> Iterator[tuple[str, str]]:
    yield "name", node.name
    yield "kind", node.op
    yield "operator", node.target if node.op.startswith("call_") else ""
    yield "arguments", node.arguments
    value = node.value
    yield "dtype", value.dtype
    yield "shape", ", ".join(value.shape)
    yield "stride", ", ".join(value.stride)
    yield "device", value.device
    yield "bytes", "" if value.bytes is None else str(value.bytes)
    yield "kernels", ", ".join(kernels or ())
    line = places.own_line(node.stack)
    if line is not None:
        yield "line", places.where_named(line)
        yield "code", places.text(line).strip()


def _attributes(facts: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in facts if value]


def _outputs(node: Node) -> list[dict[str, Any]]:
    """The label that the tool writes on edges."""
    value = node.value
    if not value.dtype:
        return []
    text = f"{value.dtype}[{','.join(value.shape)}]"
    return [{"id": "0", "attrs": [{"key": "tensor_shape", "value": text}]}]


def _node_data(
    recording: Recording, name: str, values: Iterable[tuple[int, int, float]], *, can_be_added: bool
) -> dict[str, Any]:
    titles = GraphTitles(recording).titles
    found: dict[int, dict[str, dict[str, float]]] = {}
    ids = {graph.id: _ids(graph) for graph in recording.graphs}
    for graph, node, value in values:
        found.setdefault(graph, {})[ids[graph][node]] = {"value": value}
    shown = {
        "name": name,
        "gradient": [{"stop": 0, "bgColor": "#fff7ec"}, {"stop": 1, "bgColor": "#fc8d59"}],
        "hideAggregatedStats": [] if can_be_added else ["sum", "avg"],
        "hideInChildrenStatsTable": not can_be_added,
    }
    return {titles[graph]: {"results": results, **shown} for graph, results in found.items()}
