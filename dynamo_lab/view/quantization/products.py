"""Products of integers in a recording: the kernel that does each, or that it is done in float."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.model.graphs import NodeTable, Value
from dynamo_lab.model.lowering import Buffer, Lowered
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.graphs.kinds import kind_of

_KERNEL = re.compile(r"qlinear|qconv|int[48]|_int_mm|_scaled_mm|dyn_quant", re.IGNORECASE)
_BYTES = frozenset({"i8", "u8"})
_CARRY = frozenset({"elementwise", "view", "copy"})


class Product(NamedTuple):
    """A product with an operand that is integer in memory, or one of floats beside such.

    `kernel` is what is called for a product of integers, empty where it is done in float. `given`
    and `weight` are the types of its operands in memory, `pattern` is the one of Inductor's that
    put it there, if it did.
    """

    graph: int
    node: int
    name: str
    kernel: str
    given: str
    weight: str
    dtype: str
    pattern: str = ""

    @property
    def is_integer(self) -> bool:
        """Whether an operand is integer in memory."""
        return bool(self.kernel) or self.weight in _BYTES


def products(recording: Recording) -> Iterator[Product]:
    """Those of each lowered graph that has any, in order, and those of floats beside them."""
    for lowering in recording.lowerings:
        nodes = recording.graphs[lowering.graph].nodes
        if not {value.dtype for value in nodes.values} & _BYTES:
            continue
        rows = ((row, [recording.buffers[at] for at in row.buffers]) for row in lowering.nodes)
        made = [_product(lowering.graph, nodes, row, buffers) for row, buffers in rows]
        found = [one for one in made if one is not None]
        if any(one.is_integer for one in found):
            yield from found


def _product(graph: int, nodes: NodeTable, row: Lowered, made: list[Buffer]) -> Product | None:
    target = nodes.strings[nodes.target[row.node]]
    kernel = next((one.kernel or one.form for one in made if _is_integer(one)), "")
    if not kernel and (kind_of(target) != "matrix" or not made):
        return None
    given, weight = _called(nodes, row.node) if kernel else _multiplied(nodes, row.node, target)
    return Product(
        graph=graph,
        node=row.node,
        name=nodes.name[row.node],
        kernel=kernel,
        given=given,
        weight=weight,
        dtype=nodes.values[nodes.value[row.node]].dtype,
        pattern=_pattern(target),
    )


def _is_integer(buffer: Buffer) -> bool:
    return bool(_KERNEL.search(f"{buffer.kernel} {buffer.form}"))


def _pattern(target: str) -> str:
    """The name of a lowering that one of Inductor's patterns for quantized graphs put there."""
    before, found, name = target.rpartition("fx_passes.quantization.")
    return name if found and not before.startswith("aten") else ""


def _called(nodes: NodeTable, at: int) -> tuple[str, str]:
    """Of a kernel for integers: its first operand, and the first of the others that has bytes."""
    first, *others = [nodes.values[nodes.value[read]].dtype for read in nodes.inputs[at]] or [""]
    return first, next((kind for kind in others if kind in _BYTES), "")


def _multiplied(nodes: NodeTable, at: int, target: str) -> tuple[str, str]:
    """Of a product of floats: both operands, as they are in memory; what is added comes first."""
    read = [one for one in nodes.inputs[at] if len(nodes.values[nodes.value[one]].shape) > 1]
    pair = read[-2:] if "add" in target else read[:2]
    kinds = [_in_memory(nodes, one) for one in pair]
    return (kinds[0], kinds[1]) if len(kinds) == 2 else ("", "")


def _in_memory(nodes: NodeTable, at: int) -> str:
    """The type in which the most elements of an operand are read, before it is made what it is.

    A mask is as large as what it masks: then it is that of the operand.
    """
    leaves = list(_leaves(nodes, at))
    most = max(map(_elements, leaves), default=0)
    kinds = {leaf.dtype for leaf in leaves if _elements(leaf) == most}
    return kinds.pop() if len(kinds) == 1 else nodes.values[nodes.value[at]].dtype


def _leaves(nodes: NodeTable, at: int) -> Iterator[Value]:
    """What is read for it in the end, through what only moves or scales its elements.

    Nothing is read of what the graph itself creates: PyTorch counts the rows of `eye` in bytes.
    """
    waiting, seen = [at], {at}
    while waiting:
        at = waiting.pop()
        value, target = nodes.values[nodes.value[at]], nodes.strings[nodes.target[at]]
        kind = kind_of(target)
        if kind == "creation" and not nodes.inputs[at]:
            continue
        carries = kind in _CARRY or "dequantize" in target
        is_made = value.dtype in _BYTES and kind != "view"
        if is_made or not carries or not nodes.inputs[at] or _reinterprets(nodes, at):
            yield value
            continue
        waiting += [read for read in nodes.inputs[at] if read not in seen]
        seen.update(nodes.inputs[at])


def _reinterprets(nodes: NodeTable, at: int) -> bool:
    """Whether a view takes the bytes for another type, which is then what is read."""
    if kind_of(nodes.strings[nodes.target[at]]) != "view":
        return False
    given, made = (nodes.values[nodes.value[one]].dtype for one in (nodes.inputs[at][0], at))
    return bool(given and made) and given != made  # a tuple, which `split` makes, has none


def _elements(value: Value) -> float:
    known = all(size.isdigit() for size in value.shape)
    return math.prod(map(int, value.shape)) if known else math.inf
