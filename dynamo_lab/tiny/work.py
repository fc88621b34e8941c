"""A graph as operations and storages: who makes, reads, overwrites and frees what.

A view shares its base's storage and costs nothing. An elementwise operation may write over an
input that nobody reads later. Parameters, their optimizer's state and constants have places of
their own, outside the arena; the sample is in it.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import torch

from dynamo_lab.tiny.graph import is_view
from dynamo_lab.tiny.int8.operators import add8, masked_between8
from dynamo_lab.tiny.operators import masked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.tiny.graph import Node, StepGraph

aten = torch.ops.aten

Kind = Literal["sample", "activation", "gradient"]
Precision = Literal["float32", "int8", "mixed"]
"""How bytes are counted; "mixed" is int8 with gradients in float32."""

IN_PLACE: Mapping[Any, tuple[int, ...]] = {
    aten.relu.default: (0,),
    aten.hardtanh.default: (0,),
    aten.add.Tensor: (0, 1),
    aten.sub.Tensor: (0, 1),
    aten.mul.Tensor: (0, 1),
    aten.mul.Scalar: (0,),
    aten.div.Tensor: (0,),
    aten.div.Scalar: (0,),
    aten.gelu.default: (0,),
    aten.tanh.default: (0,),
    aten.sigmoid.default: (0,),
    aten.threshold_backward.default: (0, 1),
    aten.hardtanh_backward.default: (0, 1),
    aten.gelu_backward.default: (0, 1),
    masked: (0,),
    add8: (0, 1),
    masked_between8: (0,),
    aten.clamp.default: (0,),
}
"""Operators whose element depends on that element of its inputs alone, and which of them they are.

Only an input of the same shape, strides and type is written over.
"""


@dataclass(frozen=True)
class Storage:
    """Memory that an operation makes: `name` is the node's, "node.1" of several results."""

    name: str
    bytes: int
    kind: Kind


@dataclass(frozen=True)
class Operation:
    """A node that computes, by the numbers of storages and of the operations it comes after."""

    name: str
    reads: frozenset[int]
    makes: tuple[int, ...]
    over: tuple[int, ...]
    after: frozenset[int]


@dataclass(frozen=True)
class Work:
    """The operations of a graph in its own order, and their storages.

    `given` are the storages that are there before the step, `kept` those needed after it.
    """

    operations: tuple[Operation, ...]
    storages: tuple[Storage, ...]
    given: frozenset[int]
    kept: frozenset[int]

    @cached_property
    def readers(self) -> tuple[frozenset[int], ...]:
        """By storage the operations that read it."""
        found: list[set[int]] = [set() for _ in self.storages]
        for number, operation in enumerate(self.operations):
            for read in operation.reads:
                found[read].add(number)
        return tuple(map(frozenset, found))


def counted(step: StepGraph, precision: Precision) -> Precision:
    """In what a graph's bytes are counted: one in int8 has the types that it says."""
    return "float32" if step.is_integer else precision


def work_of(step: StepGraph, precision: Precision = "float32") -> Work:
    """The operations and storages of a graph, its bytes counted in a precision."""
    return _Reader(step, precision).work()


def bytes_of(value: Any, precision: Precision, *, is_bias: bool = False) -> int:
    """The bytes of a tensor; in int8 one an element of what is floating, four of a bias."""
    if not isinstance(value, torch.Tensor):
        return 0
    if precision != "float32" and value.is_floating_point():
        return value.numel() * (4 if is_bias else 1)
    return value.numel() * value.element_size()


class _Reader:
    """Reads a graph node by node."""

    def __init__(self, step: StepGraph, precision: Precision) -> None:
        self._step = step
        self._precision: Precision = counted(step, precision)
        self._storages: list[Storage] = []
        self._of_node: dict[str, tuple[int, ...]] = {}
        self._operations: list[Operation] = []
        self._makers: dict[int, int] = {}
        self._readers_of_weights: dict[str, set[int]] = {}
        self._weight_of: dict[str, frozenset[str]] = {}
        self._elements: dict[str, list[int]] = {}

    def work(self) -> Work:
        given: set[int] = set()
        for node in self._step.graph.nodes:
            if node.op == "placeholder":
                given |= set(self._placeholder(node))
            elif node.op == "call_function":
                self._call(node)
        names = [self._step.loss, *self._step.gradients.values()]
        kept = {storage for name in names for storage in self._of_node[name]}
        return Work(
            tuple(self._operations), tuple(self._storages), frozenset(given), frozenset(kept)
        )

    def _placeholder(self, node: Node) -> tuple[int, ...]:
        is_sample = node.name in self._step.inputs
        self._of_node[node.name] = (self._new(node, node.meta["val"], "sample"),) * is_sample
        self._weight_of[node.name] = frozenset((node.name,) * (not is_sample))
        return self._of_node[node.name]

    def _call(self, node: Node) -> None:
        reads = node.all_input_nodes
        storages = frozenset(s for read in reads for s in self._of_node[read.name])
        weights = frozenset[str]().union(*(self._weight_of[read.name] for read in reads))
        if node.target is operator.getitem:
            whole, at = reads[0], node.args[1]
            made, elements = self._of_node[whole.name], self._elements.get(whole.name)
            self._of_node[node.name] = made if elements is None else (made[elements.index(at)],)
            self._weight_of[node.name] = self._weight_of[whole.name]
            return
        if is_view(node):
            first = reads[0].name
            self._of_node[node.name] = self._of_node[first]
            self._weight_of[node.name] = self._weight_of[first]
            return
        self._operation(node, storages, weights)

    def _operation(self, node: Node, storages: frozenset[int], weights: frozenset[str]) -> None:
        number = len(self._operations)
        after = {self._makers[read] for read in storages if read in self._makers}
        written = node.meta.get("writes")
        if written is not None:
            after |= self._readers_of_weights.get(written, set())
        for weight in weights:
            self._readers_of_weights.setdefault(weight, set()).add(number)
        kind, results = self._kind(node), self._results(node)
        made = tuple(self._new(node, value, kind, name) for name, value in results.items())
        for storage in made:
            self._makers[storage] = number
        over = self._over(node, made[0]) if len(made) == 1 else ()
        self._of_node[node.name] = made
        made += self._scratch(node, kind)
        self._weight_of[node.name] = frozenset()
        self._operations.append(
            Operation(node.name, storages, made, over, frozenset(after - {number}))
        )

    def _results(self, node: Node) -> dict[str, Any]:
        """The tensors that an operation makes, by name: of several those that are used."""
        value = node.meta["val"]
        if isinstance(value, torch.Tensor):
            return {node.name: value}
        if not isinstance(value, list | tuple):
            return {}
        used = {read.args[1]: None for read in node.users if read.target is operator.getitem}
        self._elements[node.name] = elements = sorted(int(str(k)) for k in used)
        return {f"{node.name}.{k}": value[k] for k in elements}

    def _scratch(self, node: Node, kind: Kind) -> tuple[int, ...]:
        """Room that an operation needs while it runs: nobody reads it."""
        size = node.meta.get("scratch", 0)
        if not size:
            return ()
        self._storages.append(Storage(f"{node.name}.scratch", size, kind))
        return (len(self._storages) - 1,)

    def _over(self, node: Node, made: int) -> tuple[int, ...]:
        """The storages that it may write its result to."""
        found: list[int] = []
        for at in IN_PLACE.get(node.target, ()):
            read: Any = node.args[at]
            if hasattr(read, "meta") and _alike(read.meta["val"], node.meta["val"]):
                size = self._storages[made].bytes
                found += [s for s in self._of_node[read.name] if self._storages[s].bytes == size]
        return tuple(found)

    def _kind(self, node: Node) -> Kind:
        """What only the backward reads but the forward makes, as packed bits, is activation."""
        is_saved = not node.meta.get("is_backward", True)
        return "activation" if is_saved or node.name in self._step.forward else "gradient"

    def _new(self, node: Node, value: Any, kind: Kind, name: str = "") -> int:
        is_wide = kind == "gradient" and self._precision == "mixed"
        is_wide |= node.name in self._bias_gradients
        size = bytes_of(value, self._precision, is_bias=is_wide)
        self._storages.append(Storage(name or node.name, size, kind))
        return len(self._storages) - 1

    @cached_property
    def _bias_gradients(self) -> frozenset[str]:
        return frozenset(
            node for name, node in self._step.gradients.items() if name.endswith("bias")
        )


def _alike(one: Any, other: Any) -> bool:
    return (
        isinstance(one, torch.Tensor)
        and isinstance(other, torch.Tensor)
        and one.shape == other.shape
        and one.stride() == other.stride()
        and one.dtype == other.dtype
    )
