"""Whether lowerings and buffers refer to nodes, rules and buffers that there are."""

from collections.abc import Iterator

from dynamo_lab.model.core.references import outside
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.lowering import Buffer, Lowering
from dynamo_lab.model.recording import Recording


def problems(recording: Recording) -> Iterator[str]:
    """Each reference that does not hold, as a phrase that names its place."""
    for position, lowering in enumerate(recording.lowerings):
        place = f"lowerings[{position}]"
        graph = _graph(recording, lowering.graph)
        if graph is None:
            yield f"{place}.graph is {lowering.graph}, but there are {len(recording.graphs)} graphs"
        else:
            yield from _nodes(recording, lowering, graph, place)
    for buffer in recording.buffers:
        place = f"buffers[{buffer.id}]"
        graph = _graph(recording, buffer.graph)
        if graph is None:
            yield f"{place}.graph is {buffer.graph}, but there are {len(recording.graphs)} graphs"
        else:
            yield from _buffer(buffer, graph, place)


def _graph(recording: Recording, index: int) -> Graph | None:
    return recording.graphs[index] if 0 <= index < len(recording.graphs) else None


def _nodes(recording: Recording, lowering: Lowering, graph: Graph, place: str) -> Iterator[str]:
    nodes = (row.node for row in lowering.nodes)
    yield from outside(f"{place}.nodes", nodes, len(graph.nodes), f"nodes of graph {graph.id}")
    rules = (row.rule for row in lowering.nodes if row.rule is not None)
    yield from outside(f"{place}.nodes.rule", rules, len(lowering.rules), "rules")
    made = [at for row in lowering.nodes for at in row.buffers]
    yield from outside(f"{place}.nodes.buffers", made, len(recording.buffers), "buffers")
    for at in made:
        if 0 <= at < len(recording.buffers) and recording.buffers[at].graph != graph.id:
            yield f"{place} has the buffer {at}, which is of graph {recording.buffers[at].graph}"


def _buffer(buffer: Buffer, graph: Graph, place: str) -> Iterator[str]:
    size, table = len(graph.nodes), f"nodes of graph {graph.id}"
    during = () if buffer.during is None else (buffer.during,)
    yield from outside(f"{place}.during", during, size, table)
    yield from outside(f"{place}.nodes", buffer.nodes, size, table)
    lines = (line.node for line in buffer.body if line.node != -1)
    yield from outside(f"{place}.body", lines, size, table)
