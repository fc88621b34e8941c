"""Lowering: the ATen graph that AOTAutograd hands over, node by node, to loops and calls of ATen.

In comes an FX graph whose nodes know their fake results; out comes a `LoweredGraph`. A node with a
rule becomes closures; a node without, or whose rule refuses, becomes a call of ATen and is listed.
Of an `addmm` only the product may be called: closures add its bias where loops read it.
"""

from __future__ import annotations

import operator
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import fx
from torch.fx.node import map_aggregate

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import of_node
from dynamo_lab.compiler.convolutions import layouts
from dynamo_lab.compiler.operators import TYPES
from dynamo_lab.compiler.rules import RULES, Call, Meta
from dynamo_lab.compiler.rules.movement import stored_if_dear, why_dear
from dynamo_lab.compiler.rules.table import pointwise
from dynamo_lab.compiler.rules.views import VIEWS
from dynamo_lab.compiler.sizes import Sizes
from dynamo_lab.compiler.targets import why_none
from dynamo_lab.compiler.tensors import LazyTensor, LoweredGraph
from dynamo_lab.compiler.work import Buffer, Extern, LoweredNode, Named, Unsupported, View, names_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from dynamo_lab.compiler.rules import Rule

aten = torch.ops.aten


class CannotLower(Exception):
    """The graph as a whole is left to ATen. The message says why."""


@dataclass(frozen=True)
class Fallback:
    """A node that ATen computes, or of which it computes `target`, and why."""

    node: str
    target: str
    reason: str


def lower(
    module: fx.GraphModule,
    *,
    only: Callable[[fx.Node], bool] | None = None,
    rows: int = 0,
    adds: Collection[torch.dtype] = TYPES,
) -> LoweredGraph:
    """The loops and calls of a graph.

    Args:
        module: a graph of ATen operators, its nodes with `meta["val"]`.
        only: which nodes may be lowered by a rule; all, unless said.
        rows: a reduction to fewer elements than these is done in two steps.
        adds: the types of numbers that kernels add where an index says.
    """
    graph = LoweredGraph(device_of(module), rows, adds)
    return _Lowering(module, only or (lambda _: True), graph).run()


def fallbacks(graph: LoweredGraph) -> list[Fallback]:
    """The nodes of a lowered graph that ATen computes."""
    return [
        Fallback(work.node, str(work.target), work.reason)
        for work in graph.work
        if isinstance(work, Extern) and work.reason
    ]


def rule_of(target: Any) -> Rule | None:
    """The rule that lowers an operator now; None if ATen computes it."""
    return RULES.get(target) or RULES.get(str(target))


class _Lowering:
    def __init__(
        self, module: fx.GraphModule, only: Callable[[fx.Node], bool], graph: LoweredGraph
    ) -> None:
        self.module, self.only, self.graph = module, only, graph
        self.sizes = Sizes(self.graph.derive_size)
        self.why_none = why_none(self.graph.device)
        self.layouts = layouts(module)
        self.made: dict[fx.Node, Any] = {}

    def run(self) -> LoweredGraph:
        handlers = {
            "placeholder": self._placeholder,
            "get_attr": self._attribute,
            "output": self._output,
        }
        for node in self.module.graph.nodes:
            self.graph.current = node.name
            with of_node(node.name):
                start = time.perf_counter()
                try:
                    made = self.made[node] = handlers.get(node.op, self._call)(node)
                except Unsupported as refusal:
                    # of a size: neither a rule nor a call can do without
                    raise CannotLower(f"{node.target}: {refusal}") from None
            seconds = time.perf_counter() - start
            self.graph.lowered.append(LoweredNode(node, made, seconds))
        return self.graph

    def _placeholder(self, node: fx.Node) -> Any:
        self.graph.parameters.append(node.name)
        return self._given(node.name, node.meta.get("val"))

    def _given(self, name: str, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            buffer = self._buffer(self._meta(value), name)
            self.graph.inputs[name] = buffer
            self.graph.find_sizes(buffer)
            return self.graph.tensor_in(buffer)
        if isinstance(value, torch.SymInt):
            self.graph.define_size(self.sizes.of(value), name)
            return self.sizes.of(value)
        if isinstance(value, torch.SymFloat | torch.SymBool):
            return Named(name, _type_of(value))
        return Named(name)

    def _attribute(self, node: fx.Node) -> Any:
        value = operator.attrgetter(str(node.target))(self.module)
        self.graph.constants[node.name] = value
        return self._given(node.name, value)

    def _output(self, node: fx.Node) -> None:
        listed: Any = node.args[0]
        outputs = listed if isinstance(listed, tuple | list) else [listed]
        for item in outputs:
            made = self.made[item] if isinstance(item, fx.Node) else item
            if isinstance(made, LazyTensor):
                stride = self._meta(item.meta["val"]).stride
                made = self.graph.view(made, stride, own=True)
            self.graph.outputs.append(made)

    def _value(self, node: fx.Node) -> Any:
        """The fake result of a node, with the strides that it has here."""
        return self.layouts.results.get(node, node.meta.get("val"))

    def _call(self, node: fx.Node) -> Any:
        value = self._value(node)
        if isinstance(value, torch.SymInt) and not _reads_data(node):
            return self.sizes.of(value)  # what Python computes of sizes is an index expression
        try:
            made = self._by_rule(node)
        except Unsupported as refusal:
            if self._bias_rides(node, value):
                return self._product_and_bias(node, value)
            return self._extern(node, node.target, (node.args, node.kwargs), value, str(refusal))
        self._store_if_dear(node, made)
        return made

    def _bias_rides(self, node: fx.Node, value: Any) -> bool:
        """Can the loops that read a product add its bias, at no further memory?

        `addmm` on the CPU first copies the bias to each row. Of halves it rounds only the sum.
        """
        if node.target is not aten.addmm.default or node.kwargs or value.dtype not in _NO_HALVES:
            return False
        readers = list(node.users)
        for reader in readers:  # which grows: who reads a view is a reader too
            if reader.target in VIEWS:
                readers += reader.users
            elif torch.Tag.pointwise not in getattr(reader.target, "tags", ()):
                return False
            try:
                if reader.target is not operator.getitem:
                    self._rule_for(reader)
            except Unsupported:
                return False
        return self.graph.device.type == "cpu" and self.only(node)

    def _product_and_bias(self, node: fx.Node, value: Any) -> LazyTensor:
        bias, *factors = node.args
        reason = "a product of matrices, to which the loops that read it add the bias"
        product = self._extern(node, aten.mm.default, (tuple(factors), {}), value, reason)
        call = Call(self.graph, (self._meta(value),))
        added = stored_if_dear(self._argument(bias), call.meta.size)
        return pointwise(call, [product, added], lambda a, b: a + b)

    def _argument(self, arg: Any) -> Any:
        return self.made[arg] if isinstance(arg, fx.Node) else arg

    def _by_rule(self, node: fx.Node) -> Any:
        args, kwargs = _mapped((node.args, node.kwargs), self._argument)
        if node.target is operator.getitem:
            return args[0][args[1]]
        if node.target is aten.copy_.default:
            self.graph.mutate(args[0], args[1])
            return args[0]
        rule, metas = self._rule_for(node)
        return rule(Call(self.graph, metas), *args, **kwargs)

    def _rule_for(self, node: fx.Node) -> tuple[Rule, tuple[Meta, ...]]:
        """The rule that lowers a node, and what its results are; `Unsupported` says why not."""
        rule = rule_of(node.target)
        value = self._value(node)
        if rule is None:
            raise Unsupported("no rule")
        if not self.only(node):
            raise Unsupported("left to ATen by the caller")
        if self.why_none:
            raise Unsupported(self.why_none)
        values = value if isinstance(value, tuple | list) else [value]
        if not all(isinstance(item, torch.Tensor) for item in values):
            raise Unsupported("a result that is no tensor")
        metas = tuple(self._meta(item) for item in values)
        _refuse_unknown(node, metas, self.graph.device)
        return rule, metas

    def _store_if_dear(self, node: fx.Node, made: Any) -> None:
        """Stored where computing it again for each reader costs more than memory."""
        if not isinstance(made, LazyTensor) or made.buffer or node.target in VIEWS:
            return
        if why := why_dear(made, len(node.users)):
            made.realize(why=why)

    def _extern(self, node: fx.Node, target: Any, given: Any, value: Any, reason: str) -> Any:
        if isinstance(target, OpOverload) and target._schema.is_mutable:
            raise CannotLower(f"{target} writes into its argument")
        if wanted := self.layouts.inputs.get(node, ()):
            laid = [self._laid(self._argument(node.args[k]), x) for k, x in enumerate(wanted)]
            given = (*laid, *node.args[len(laid) :]), node.kwargs
        args, kwargs = _mapped(given, self._passed)
        many = isinstance(value, tuple | list)
        call = Extern(node.name, target, args, kwargs, [], many, set(), reason, _keeps_order(node))
        for arg in _leaves((args, kwargs)):
            call.reads |= names_in(arg)
        values: Sequence[Any] = value if many else [value]
        made = [self._result(call, k, item, node) for k, item in enumerate(values)]
        self.graph.work.append(call)
        return made if call.many else made[0]

    def _passed(self, arg: Any) -> Any:
        """An argument of ATen's: a tensor as the strided memory that its fake one was."""
        made = self._argument(arg)
        return self._laid(made, self._value(arg)) if isinstance(made, LazyTensor) else made

    def _laid(self, made: LazyTensor, like: torch.Tensor) -> View:
        return self.graph.view(made, self._meta(like).stride, own=False)

    def _result(self, call: Extern, k: int, value: Any, node: fx.Node) -> Any:
        if isinstance(value, torch.Tensor):
            meta = self._meta(value)
            buffer = self._buffer(meta)
            call.results.append(buffer)
            for d, size in enumerate(meta.size):
                symbol = ix.of(size).symbol()
                if symbol and symbol not in self.graph.shown_sizes | self.graph.given_sizes.keys():
                    self.graph.shown_sizes.add(symbol)
                    call.sizes[symbol] = (buffer.name, d)
            return self.graph.tensor_in(buffer)
        if isinstance(value, torch.SymInt):
            size = self.sizes.of(value)
            symbol = ix.of(size).symbol()
            if not symbol:
                raise CannotLower(f"{node.target} gives a size that is {size}")
            self.graph.shown_sizes.add(symbol)
            call.results.append(Named(symbol, torch.int64))
            return size
        name = f"{node.name}_{k}" if call.many else node.name
        call.results.append(
            None if value is None and not call.many else Named(name, _type_of(value))
        )
        return call.results[-1]

    def _buffer(self, meta: Meta, name: str = "") -> Buffer:
        return self.graph.buffer(meta.size, meta.stride, meta.dtype, meta.device, name)

    def _meta(self, value: torch.Tensor) -> Meta:
        sizes = self.sizes.all(value.shape)
        strided = value.layout is torch.strided
        strides = self.sizes.all(value.stride()) if strided else sizes
        return Meta(sizes, strides, value.dtype, value.device)


def _mapped(given: Any, made: Callable[[Any], Any]) -> Any:
    """What an operator is given, each argument as `made` has it."""
    return map_aggregate(given, made)


def _refuse_unknown(node: fx.Node, metas: Sequence[Meta], home: torch.device) -> None:
    """The loop IR has no complex numbers and no sparse tensors; kernels run on one device."""
    values = [arg.meta.get("val") for arg in node.all_input_nodes]
    given = [value for value in values if isinstance(value, torch.Tensor)]
    for dtype in [*(meta.dtype for meta in metas), *(value.dtype for value in given)]:
        if dtype not in TYPES:
            raise Unsupported(f"of type {str(dtype).removeprefix('torch.')}")
    if any(isinstance(arg, complex) for arg in _leaves((node.args, node.kwargs))):
        raise Unsupported("a complex number")
    if any(value.layout is not torch.strided for value in given):
        raise Unsupported("a tensor without strides")
    for device in [*(meta.device for meta in metas), *(value.device for value in given)]:
        if device != home:
            raise Unsupported(f"on {device}, where the kernels of this graph run on {home}")


def _reads_data(node: fx.Node) -> bool:
    """Does a number come out of tensors, so that only running it tells?"""
    if node.target in (aten.sym_size.int, aten.sym_stride.int, aten.sym_numel.default):
        return False
    values = [arg.meta.get("val") for arg in node.all_input_nodes]
    return any(isinstance(value, torch.Tensor) for value in values)


OpOverload = type(aten.add.Tensor)
_NO_HALVES = (torch.float32, torch.float64)
_RANDOM = torch.Tag.nondeterministic_seeded


def _keeps_order(node: fx.Node) -> bool:
    """Does it draw random numbers, check something, or write? Then its turn matters."""
    target = node.target
    if not isinstance(target, OpOverload):
        return getattr(target, "__module__", "") != "_operator"
    if _RANDOM in target.tags or not node.users:
        return True
    return target.namespace not in ("aten", "prims")


def _leaves(args: Any) -> list[Any]:
    found: list[Any] = []
    map_aggregate(args, found.append)
    return found


def _type_of(value: Any) -> torch.dtype | None:
    if isinstance(value, torch.SymFloat | float):
        return torch.float64
    if isinstance(value, torch.SymBool | bool):
        return torch.bool
    return torch.int64 if isinstance(value, torch.SymInt | int) else None


def device_of(module: fx.GraphModule) -> torch.device:
    """The device that the kernels of a graph run on: an accelerator before the CPU."""
    values = (node.meta.get("val") for node in module.graph.nodes)
    devices = [value.device for value in values if isinstance(value, torch.Tensor)]
    return next((d for d in devices if d.type != "cpu"), torch.device("cpu"))
