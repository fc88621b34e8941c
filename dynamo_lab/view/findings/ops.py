"""What rules ask of nodes: which operator, which kind of numbers, what they come from."""

from collections.abc import Iterable, Iterator

from dynamo_lab.model.graphs import Graph, NodeTable, Value
from dynamo_lab.view.core.names import operator_name


def calls(table: NodeTable) -> Iterator[int]:
    """The nodes that compute something."""
    calls = {at for at, text in enumerate(table.strings) if text.startswith("call_")}
    return (at for at, op in enumerate(table.op) if op in calls)


def name(table: NodeTable, at: int) -> str:
    """The operator of a node: 'matmul'."""
    return operator_name(table.strings[table.target[at]])


def value(table: NodeTable, at: int) -> Value:
    """What a node produces."""
    return table.values[table.value[at]]


def total(table: NodeTable, nodes: Iterable[int]) -> int:
    """The bytes of what nodes produce, where they are known."""
    return sum(value(table, at).bytes or 0 for at in nodes)


def lowered_graphs(graphs: Iterable[Graph], compile_id: str) -> Iterator[Graph]:
    """The graphs of a compilation that Inductor lowered."""
    return (g for g in graphs if g.stage == "post_grad" and g.compile_id == compile_id)
