"""The reader's line that nodes come from, for rules that begin at a node."""

from collections.abc import Iterable

from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.places import Line
from dynamo_lab.view.findings.finding import Facts


def line_of(facts: Facts, nodes: Iterable[NodeKey]) -> Line | None:
    """The innermost line of the reader's that the first node with one has, at any stage.

    None where only libraries' lines are known: a finding there would tell nobody what to change.
    """
    for key in nodes:
        for graph, node in facts.ancestry.above([key]):
            stack = facts.recording.graphs[graph].nodes.stack[node]
            line = facts.places.own_line(stack) if stack >= 0 else None
            if line is not None and not facts.places.is_library(line):
                return line
    return None
