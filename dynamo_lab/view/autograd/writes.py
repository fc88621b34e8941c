"""What Inductor made of the copies by which a graph of AOTAutograd writes to its inputs."""

from dynamo_lab.model.autograd import Partition
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import operator_name


def in_place(recording: Recording, part: Partition) -> frozenset[int]:
    """The inputs whose copies are gone, by position: what is generated writes what changes alone.

    None where nothing is known, as for a backend that leaves AOTAutograd's graph as it is, or for
    a compilation with several graphs, of which each could have become each.
    """
    generated = _generated(recording, part)
    if part.forward is None or len(generated) != 1:
        return frozenset()
    before, after = recording.graphs[part.forward], generated[0]
    known, inputs = _inputs(before), _inputs(after)
    if len(known) != len(inputs):
        return frozenset()
    had, has = _copied_to(before), _copied_to(after)
    pairs = enumerate(zip(known, inputs, strict=True))
    return frozenset(at for at, (old, new) in pairs if old in had and new not in has)


def _generated(recording: Recording, part: Partition) -> list[Graph]:
    """The forwards of its compilation as code is generated from them."""
    return [
        graph
        for graph in recording.graphs
        if graph.stage == "post_grad"
        and graph.compile_id == part.compile_id
        and graph.parent is None
        and not graph.is_backward
    ]


def _inputs(graph: Graph) -> list[int]:
    names = graph.nodes.strings
    return [at for at, op in enumerate(graph.nodes.op) if names[op] == "placeholder"]


def _copied_to(graph: Graph) -> set[int]:
    """The nodes that values are copied into as a whole; into itself, none is."""
    nodes = graph.nodes
    copies = {at for at, name in enumerate(nodes.strings) if operator_name(name) == "copy_"}
    read = zip(nodes.target, nodes.inputs, strict=True)
    return {of[0] for target, of in read if target in copies and len(of) > 1}
