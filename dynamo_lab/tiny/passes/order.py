"""Order: the graph in the order of its operations that needs the least memory at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.tiny.graph import StepGraph
    from dynamo_lab.tiny.work import Work


def ordered(step: StepGraph, work: Work, order: Sequence[int]) -> StepGraph:
    """The graph with its operations in an order; views come where they are first needed."""
    made = step.copied()
    (output,) = (node for node in made.graph.nodes if node.op == "output")
    placed = {node for node in made.graph.nodes if node.op == "placeholder"}
    for number in order:
        waiting = [made.nodes[work.operations[number].name]]
        while waiting:
            missing = [read for read in waiting[-1].all_input_nodes if read not in placed]
            if missing:
                waiting.append(missing[0])
                continue
            node = waiting.pop()
            if node not in placed:
                output.prepend(node)
                placed.add(node)
    for node in list(made.graph.nodes):  # views that nothing but the output reads
        if node not in placed and node is not output:
            output.prepend(node)
            placed.add(node)
    made.graph.lint()
    return made
