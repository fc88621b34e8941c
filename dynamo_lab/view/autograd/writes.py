"""What Inductor made of the copy by which a graph of AOTAutograd writes to an input."""

from dynamo_lab.model.autograd import InputMutation, Partition
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import operator_name


def is_in_place(recording: Recording, part: Partition, item: InputMutation) -> bool:
    """Whether that copy is gone: what is generated then writes only what changes.

    False too where nothing is known, as for a backend that leaves AOTAutograd's graph as it is.
    """
    if part.forward is None or not item.in_graph:
        return False
    before, after = recording.graphs[part.forward], _generated(recording, part)
    if after is None:
        return False
    known, inputs = _inputs(before), _inputs(after)
    if len(known) != len(inputs) or item.input >= len(inputs):
        return False
    return _is_copied(before, known[item.input]) and not _is_copied(after, inputs[item.input])


def _generated(recording: Recording, part: Partition) -> Graph | None:
    """The forward as code is generated from it."""
    return next(
        (
            graph
            for graph in recording.graphs
            if graph.stage == "post_grad"
            and graph.compile_id == part.compile_id
            and graph.parent is None
            and not graph.is_backward
        ),
        None,
    )


def _inputs(graph: Graph) -> list[int]:
    return [at for at, node in enumerate(graph.nodes) if node.op == "placeholder"]


def _is_copied(graph: Graph, to: int) -> bool:
    """Whether a value is copied into an input as a whole; into itself it is none."""
    read = zip(graph.nodes, graph.nodes.inputs, strict=True)
    return any(
        operator_name(node.target) == "copy_" and len(of) > 1 and of[0] == to for node, of in read
    )
