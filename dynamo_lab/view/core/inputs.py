"""What the program calls an input of a graph, at any stage."""

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.names import input_name


def programs_name(recording: Recording, ancestry: Ancestry, graph: int, name: str) -> str:
    """`net.0.weight` for the node `primals_2`; empty for what the compiler made itself."""
    table = recording.graphs[graph].nodes
    if name not in table.name:
        return ""
    for above, node in ancestry.above(((graph, table.name.index(name)),)):
        captured = recording.graphs[above]
        if captured.stage == "dynamo" and captured.nodes[node].op == "placeholder":
            return input_name(captured.nodes, node)
    return ""
