"""Autocast in what Dynamo captured: its regions, and the operators that give another type in them.

The types are those that PyTorch's own fake tensors had under autocast, so nothing is repeated here
of its lists of operators.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dynamo_lab.model.graphs import Graph, Node
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import operator_name

_ENTER, _EXIT = "_enter_autocast", "_exit_autocast"
_WIDTHS = {"f64": 64, "f32": 32, "bf16": 16, "f16": 16}
_NAMED = re.compile(r"torch\.b?float|torch\.half|torch\.double|\b(?:out|dtype)=")
_CASTS = {
    *("to", "float", "half", "bfloat16", "double", "type", "type_as"),
    *("copy", "to_copy", "setitem", "convert_element_type"),
}
_PRODUCTS = {
    *("linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "mv", "scaled_dot_product_attention"),
    *("conv1d", "conv2d", "conv3d"),
    *("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
}
"""Of these none gives fewer bits than it is given, unless autocast makes it."""


class Cast(NamedTuple):
    """An operator that gives another type of floating point than it is given."""

    node: int
    name: str
    dtype: str
    is_narrower: bool


class Region(NamedTuple):
    """Where autocast is entered, by its node; -1 where it was on around the compiled call.

    `dtype` is empty where the region leaves it to PyTorch, or turns autocast off. `inside` are its
    operators, without those of a region in it: Dynamo keeps no line of the statement itself.
    """

    graph: int
    node: int
    device: str
    dtype: str
    enabled: bool
    inside: tuple[int, ...]
    casts: tuple[Cast, ...]


def regions(recording: Recording) -> Iterator[Region]:
    """Those of each captured graph, in the order in which they are entered."""
    for graph in recording.captured_graphs():
        if {value.dtype for value in graph.nodes.values} & {"bf16", "f16"} or _has_regions(graph):
            yield from _of_graph(graph)


def _has_regions(graph: Graph) -> bool:
    return any(name.endswith(_ENTER) for name in graph.nodes.strings)


def _of_graph(graph: Graph) -> Iterator[Region]:
    entered: dict[int, list[int]] = {}
    open_ones: list[int] = []
    casts: dict[int, Cast] = {}
    around: list[int] = []
    for node in graph.nodes:
        if cast := _cast(node, graph):
            casts[node.index] = cast
        if node.target.endswith(_ENTER):
            open_ones.append(node.index)
            entered[node.index] = []
        elif node.target.endswith(_EXIT):
            open_ones = [at for at in open_ones if at not in node.inputs]
        elif open_ones and node.op.startswith("call_"):
            entered[open_ones[-1]].append(node.index)
        elif cast and cast.is_narrower and cast.name in _PRODUCTS:
            around.append(node.index)
    if around:
        yield _around(graph, around, casts)
    for at, inside in entered.items():
        yield _region(graph, graph.nodes[at], inside, casts)


def _around(graph: Graph, products: list[int], casts: Mapping[int, Cast]) -> Region:
    found = tuple(casts[at] for at in products)
    kinds = {cast.dtype for cast in found}
    return Region(
        graph=graph.id,
        node=-1,
        device="",
        dtype=kinds.pop() if len(kinds) == 1 else "",
        enabled=True,
        inside=tuple(products),
        casts=found,
    )


def _region(graph: Graph, node: Node, inside: list[int], casts: Mapping[int, Cast]) -> Region:
    """What `autocast` was called with: device, type, whether it is on, whether it caches."""
    device, dtype, enabled, *_ = [*map(str.strip, node.arguments.split(",")), "", "", ""]
    is_on = enabled != "False"
    return Region(
        graph=graph.id,
        node=node.index,
        device=device.strip("'"),
        dtype=dtype.removeprefix("torch.") if is_on and dtype.startswith("torch.") else "",
        enabled=is_on,
        inside=tuple(inside),
        casts=tuple(casts[at] for at in inside if at in casts),
    )


def _cast(node: Node, graph: Graph) -> Cast | None:
    """What an operator makes of the types that it is given, unless it was called for that."""
    wide = _WIDTHS.get(node.value.dtype)
    if wide is None or not node.op.startswith("call_") or _NAMED.search(node.arguments):
        return None
    name = operator_name(node.target)
    if name in _CASTS or (name.endswith("_") and not name.startswith("_")):
        return None  # what is written in place keeps its type
    values = (graph.nodes.values[graph.nodes.value[at]] for at in node.inputs)
    given = max((_WIDTHS.get(value.dtype, 0) for value in values), default=0)
    if not given or given == wide:
        return None
    return Cast(node.index, name, node.value.dtype, is_narrower=wide < given)
