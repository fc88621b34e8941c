"""The floating-point operations of a graph: those of its products whose formula is known.

A product is a matrix product, a convolution or attention; one of integers takes no floating-point
operations. Views compute nothing; whatever else there is has no formula, so it is never counted.
The text says how much of each there is, all operators together.
"""

from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.model.core.flops import Call, flops_of, is_floating, is_known, positional
from dynamo_lab.model.graphs import Node, NodeTable, Value
from dynamo_lab.view.core.sizes import Sizes, UnknownSize
from dynamo_lab.view.core.words import flops, listed, plural
from dynamo_lab.view.graphs.kinds import kind_of

_UNRECORDED = Value()
_LARGEST = 1 << 62  # no JSON holds what no machine computes: such sizes are a damaged file's


class Arithmetic(Struct, frozen=True, kw_only=True):
    """The operations of a graph, None where none could be counted, and what was counted."""

    flops: int | None
    text: str


class _Rest(NamedTuple):
    """The operators beside the products in floating point."""

    integer: int
    others: int
    views: int


def arithmetic(table: NodeTable, sizes: Sizes) -> Arithmetic:
    """What a graph computes, with symbols in shapes as they were in the recorded run."""
    kinds = {number: _kind(table.strings[number]) for number in set(table.target)}
    calls = _calls(table)
    matrix = [at for at in calls if kinds[table.target[at]] == "matrix"]
    found = products(table, sizes)
    views = sum(kinds[table.target[at]] == "view" and not _is_looked_up(table, at) for at in calls)
    rest = _Rest(len(matrix) - len(found), len(calls) - len(matrix) - views, views)
    counts = [count for count in found.values() if count is not None]
    total = sum(counts) if counts else None
    counted = [table[at] for at, count in found.items() if count is not None]
    is_open = any(_is_open(value) for node in counted for value in _values(table, node))
    said = _said(total, len(counted), len(found), rest)
    bodies = ", bodies counted apart" if table.subgraphs else ""
    sizes_of = ", at the sizes of this run" if is_open else ""
    return Arithmetic(flops=total, text=f"{said}{bodies}{sizes_of}{_of_functions(table)}")


_TRANSFORMS = {
    "_add_batch_dim": "one element of each vmap",
    "_autograd_grad": "no gradient of torch.func",
    "_make_dual": "no tangent of torch.func",
}
"""Calls of torch.func in Dynamo's graphs: what they do to the products beside them, they hide."""


def _of_functions(table: NodeTable) -> str:
    """What a graph in which functions are still transformed does not show of its products."""
    called = {table.strings[target].rpartition(".")[2] for target in set(table.target)}
    left = [words for name, words in _TRANSFORMS.items() if name in called]
    return f", counting {listed(left)}" if left else ""


def products(table: NodeTable, sizes: Sizes) -> dict[int, int | None]:
    """The operations of each product in floating point, by its node; None where not known."""
    is_product = {number: _kind(table.strings[number]) == "matrix" for number in set(table.target)}
    nodes = [table[at] for at in _calls(table) if is_product[table.target[at]]]
    found = {
        node.index: _flops(table, node, sizes) for node in nodes if is_floating(node.value.dtype)
    }
    if sum(count or 0 for count in found.values()) > _LARGEST:
        return dict.fromkeys(found)
    return found


def _calls(table: NodeTable) -> list[int]:
    return [at for at, op in enumerate(table.op) if table.strings[op].startswith("call_")]


def _is_looked_up(table: NodeTable, at: int) -> bool:
    """Whether an index is a tensor, of numbers or a mask: what it takes is copied, and no view."""
    is_index = table.strings[table.target[at]] == "operator.getitem"
    return is_index and any(table.values[table.value[i]].dtype for i in table.inputs[at][1:])


def _kind(target: str) -> str:
    return "matrix" if is_known(target) else kind_of(target)


def _said(total: int | None, counted: int, products: int, rest: _Rest) -> str:
    """'4.2 MFLOP in 3 of 3 products, 7 other operators not counted, 2 views'."""
    if rest.views and not (products or rest.integer or rest.others):
        return f"no FLOP: {plural(rest.views, 'view')} alone"
    amount = "FLOP unknown:" if total is None else f"{flops(total)} in"
    part = f"{counted:,} of {plural(products, 'product')}" if products else "no products"
    parts = [
        f"{plural(rest.integer, 'product')} of integers" if rest.integer else "",
        f"{plural(rest.others, 'other operator')} not counted" if rest.others else "",
        plural(rest.views, "view") if rest.views else "",
    ]
    return ", ".join([f"{amount} {part}", *filter(None, parts)])


def _flops(table: NodeTable, node: Node, sizes: Sizes) -> int | None:
    if node.op == "call_module":  # it may be called like a function, and is none
        return None
    try:
        return flops_of(node.target, _call(table, node, sizes))
    except UnknownSize:
        return None


def _call(table: NodeTable, node: Node, sizes: Sizes) -> Call:
    arguments = positional(node.arguments)
    read = {table.name[at]: table.values[table.value[at]] for at in node.inputs}
    shapes = tuple(_shape(read.get(text, _UNRECORDED), sizes) for text in arguments)
    result = _shape(node.value, sizes)
    return Call(shapes=shapes, arguments=arguments, results=() if result is None else (result,))


def _shape(value: Value, sizes: Sizes) -> tuple[int, ...] | None:
    """The shape of a tensor as numbers; None of anything else, and where none was recorded."""
    return tuple(map(sizes.number, value.shape)) if value.dtype else None


def _values(table: NodeTable, node: Node) -> list[Value]:
    return [node.value, *(table.values[table.value[at]] for at in node.inputs)]


def _is_open(value: Value) -> bool:
    return not all(size.isdecimal() for size in value.shape)
