"""A graph as the tree of its modules, with how much each does; equal neighbours share a row."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.graphs.scenes import nodes_within


class OutlineRow(Struct, frozen=True, kw_only=True):
    """A module, or `alike` neighbours with the same contents; `name` is then that of the first.

    `operators` and `bytes` count what is within one of them, nested modules included: `bytes` sums
    the results of the operators whose size is known. `kinds` says what they do, most common first.
    """

    depth: int
    name: str
    last: str = ""
    type: str
    alike: int = 1
    operators: int
    bytes: int
    kinds: tuple[tuple[str, int], ...]


def outline(graph: GraphView) -> tuple[OutlineRow, ...]:
    """The modules of a graph, outer before inner; the first row is the whole graph."""
    return tuple(_rows(graph, [0], 0))


def _rows(graph: GraphView, modules: Sequence[int], depth: int) -> Iterator[OutlineRow]:
    """The rows of neighbouring modules: a run of equal ones gets one row."""
    for _, run in groupby(modules, key=lambda module: _shape(graph, module)):
        alike = list(run)
        yield _row(graph, alike, depth)
        yield from _rows(graph, graph.modules[alike[0]].children, depth + 1)


def _row(graph: GraphView, alike: Sequence[int], depth: int) -> OutlineRow:
    first, last = graph.modules[alike[0]], graph.modules[alike[-1]]
    calls = _calls(graph, alike[0])
    kind_of = {target: kind for kind, targets in graph.kinds.items() for target in targets}
    kinds = Counter(kind_of.get(graph.target[node], "other") for node in calls)
    return OutlineRow(
        depth=depth,
        name=first.name,
        last=last.name if len(alike) > 1 else "",
        type=first.type,
        alike=len(alike),
        operators=len(calls),
        bytes=_bytes(graph, calls),
        kinds=tuple(kinds.most_common()),
    )


def _shape(graph: GraphView, module: int) -> tuple[object, ...]:
    """What makes two modules equal: their class, and how much they and their submodules do."""
    box, calls = graph.modules[module], _calls(graph, module)
    children = tuple((graph.modules[child].name, _shape(graph, child)) for child in box.children)
    # Modules without a class are equal only by chance.
    return box.type or box.path, len(calls), _bytes(graph, calls), children


def _calls(graph: GraphView, module: int) -> list[int]:
    strings, ops = graph.strings, graph.op
    return [n for n in nodes_within(graph, module) if strings[ops[n]].startswith("call_")]


def _bytes(graph: GraphView, nodes: Sequence[int]) -> int:
    return sum(graph.bytes[graph.value[node]] or 0 for node in nodes)
