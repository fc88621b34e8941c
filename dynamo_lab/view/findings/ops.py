"""What rules ask of nodes: which operator, which kind of numbers, what they come from."""

from collections.abc import Iterable, Iterator, Sequence

from dynamo_lab.model.graphs import Graph, NodeTable, Value
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.graphs.kinds import kind_of


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


Readers = Sequence[Sequence[int]]
"""By node, those that read what it produces, each once, in order, the output among them."""


def readers(table: NodeTable) -> Readers:
    """The readers of every node: the graph is gone through once, for all that is asked of it."""
    found: list[list[int]] = [[] for _ in table.inputs]
    for at, inputs in enumerate(table.inputs):
        for one in dict.fromkeys(inputs):
            found[one].append(at)
    return found


_WRITES = frozenset({"setitem", "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"})
"""Python's operators that write to a tensor: `x[0] = y`, `x += y`."""


def writes(table: NodeTable, at: int) -> bool:
    """Whether a node writes to its first operand, as `add_` and `+=` do."""
    called = name(table, at)
    return called in _WRITES or (called.endswith("_") and not called.endswith("__"))


def is_written(table: NodeTable, at: int) -> bool:
    """Whether something writes to what a node produces, or to a view of it."""
    same = {at}
    for one in range(at + 1, len(table)):
        if not same.isdisjoint(table.inputs[one][:1]) and table.inputs[one]:
            if writes(table, one):
                return True
            if kind_of(name(table, one)) == "view":
                same.add(one)
    return False
