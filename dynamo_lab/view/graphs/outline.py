"""A graph as the tree of its modules, with how much each does; equal neighbours share a row."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.view.graphs.graphs import GraphView


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
    return tuple(_rows(graph, _totals(graph), [0], 0))


class _Total(NamedTuple):
    """What is within a module; `shape` is the same number for modules that are equal."""

    operators: int
    bytes: int
    targets: Counter[int]
    shape: int


def _totals(graph: GraphView) -> list[_Total]:
    """Each module's total. A module comes after the one it lies in, so the last is innermost."""
    is_call = [string.startswith("call_") for string in graph.strings]
    shapes: dict[tuple[object, ...], int] = {}
    totals: dict[int, _Total] = {}
    for number in range(len(graph.modules) - 1, -1, -1):
        box = graph.modules[number]
        inner = [totals[child] for child in box.children]
        own = [node for node in box.nodes if is_call[graph.op[node]]]
        operators = len(own) + sum(one.operators for one in inner)
        held = _bytes(graph, own) + sum(one.bytes for one in inner)
        named = [(graph.modules[c].name, totals[c].shape) for c in box.children]
        # Modules without a class are equal only by chance.
        shape = (box.type or box.path, operators, held, *named)
        targets = Counter(graph.target[node] for node in own)
        for one in inner:
            targets.update(one.targets)
        totals[number] = _Total(operators, held, targets, shapes.setdefault(shape, len(shapes)))
    return [totals[number] for number in range(len(totals))]


def _rows(
    graph: GraphView, totals: Sequence[_Total], modules: Sequence[int], depth: int
) -> Iterator[OutlineRow]:
    """The rows of neighbouring modules: a run of equal ones gets one row."""
    for _, run in groupby(modules, key=lambda module: totals[module].shape):
        alike = list(run)
        yield _row(graph, totals[alike[0]], alike, depth)
        yield from _rows(graph, totals, graph.modules[alike[0]].children, depth + 1)


def _row(graph: GraphView, total: _Total, alike: Sequence[int], depth: int) -> OutlineRow:
    first, last = graph.modules[alike[0]], graph.modules[alike[-1]]
    kind_of = {target: kind for kind, targets in graph.kinds.items() for target in targets}
    kinds = Counter[str]()
    for target, count in total.targets.items():
        kinds[kind_of.get(target, "other")] += count
    return OutlineRow(
        depth=depth,
        name=first.name,
        last=last.name if len(alike) > 1 else "",
        type=first.type,
        alike=len(alike),
        operators=total.operators,
        bytes=total.bytes,
        kinds=tuple(kinds.most_common()),
    )


def _bytes(graph: GraphView, nodes: Sequence[int]) -> int:
    return sum(graph.bytes[graph.value[node]] or 0 for node in nodes)
