"""The backward in int8: the gradients of activations, and the updates where they are complete."""

from __future__ import annotations

import operator
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.tiny import operators
from dynamo_lab.tiny.graph import is_view
from dynamo_lab.tiny.int8.forward import LINEAR, filters, kept, need, placed
from dynamo_lab.tiny.int8.loss import single
from dynamo_lab.tiny.int8.operators import (
    add8_grads,
    bias8_sgd_,
    conv8_input_grad,
    conv8_sgd_,
    masked_between8,
)
from dynamo_lab.tiny.int8.scales import HIGH, checked_terms, multipliers, update_factor
from dynamo_lab.tiny.int8.walk import Activation, Gradient

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.tiny.graph import Node
    from dynamo_lab.tiny.int8.walk import Walk, Weight

aten = torch.ops.aten


def _gradient(walk: Walk, node: Node) -> Gradient:
    found = walk.known[node]
    need(isinstance(found, Gradient), "it reads no gradient")
    return found


def _materialized(walk: Walk, grad: Gradient) -> Gradient:
    """A gradient with its elements one after the other, where it was expanded."""
    if grad.node.meta["val"].is_contiguous():
        return grad
    made = walk.add(aten.clone.default, grad.node, memory_format=torch.contiguous_format)
    return replace(grad, node=made)


def _input_grad(walk: Walk, node: Node) -> None:
    grad, weight, size, *options = node.args
    given = _materialized(walk, _gradient(walk, grad))
    walk.known[node] = _of_input(walk, given, walk.weight(weight), size, options)


def _of_input(walk: Walk, grad: Gradient, weight: Weight, size: Any, options: Any) -> Gradient:
    shape = walk.values[weight.name].shape
    terms = shape[0] // options[-1] * prod(shape[2:])
    whole, shift, unit = multipliers(weight.scales, terms)
    made = walk.add(
        conv8_input_grad,
        *(grad.node, grad.scale, filters(walk, weight.node)),
        *(walk.constant("multipliers", whole), shift, single(unit * grad.factor)),
        *(tuple(size), *options),
    )
    return Gradient(*(walk.add(operator.getitem, made, k) for k in range(2)))


def _mm(walk: Walk, node: Node) -> None:
    """Of a linear layer's input: the gradient times the weight."""
    grad, weight = node.args
    given = _materialized(walk, _gradient(walk, grad))
    need(weight.name in walk.step.parameters, "it is no product with a weight")
    n, c = given.node.meta["val"].shape
    wide = replace(given, node=placed(walk, given.node, (n, c, 1, 1)))
    flat = tuple(node.meta["val"].shape)
    made = _of_input(walk, wide, walk.weight(weight), (*flat, 1, 1), LINEAR)
    walk.known[node] = replace(made, node=placed(walk, made.node, flat))


def _add(walk: Walk, node: Node) -> None:
    one, other = (_gradient(walk, arg) for arg in node.args[:2])
    need(not node.kwargs, "it has a factor")
    made = walk.add(
        add8_grads,
        *(one.node, one.scale, single(one.factor)),
        *(other.node, other.scale, single(other.factor)),
    )
    walk.known[node] = Gradient(*(walk.add(operator.getitem, made, k) for k in range(2)))


def _divided(walk: Walk, node: Node) -> None:
    """Only what one of it is changes."""
    grad, number = _gradient(walk, node.args[0]), node.args[1]
    need(isinstance(number, int | float), "it is no number that it is divided by")
    walk.known[node] = replace(grad, factor=grad.factor / number)


def _pack_between(walk: Walk, node: Node) -> None:
    x, low, high = node.args
    given = walk.known[x]
    bounds = _open(given, low, high)
    walk.known[node] = walk.add(operators.pack_between, given.node, *bounds)


def _open(x: Activation, low: float, high: float) -> tuple[int, int]:
    """Between which integers a gradient passes: at the ends it was clamped."""
    return x.scale.of(low), HIGH if high == float("inf") else x.scale.of(high)


def _masked(walk: Walk, node: Node) -> None:
    grad, bits = _gradient(walk, node.args[0]), walk.known[node.args[1]]
    walk.known[node] = replace(grad, node=walk.add(operators.masked, grad.node, bits))


def _masked_by_result(walk: Walk, node: Node) -> None:
    grad, x = _gradient(walk, node.args[0]), walk.known[node.args[1]]
    need(isinstance(x, Activation), "it reads no activation")
    is_relu = node.target is aten.threshold_backward.default
    low, high = (node.args[2], float("inf")) if is_relu else node.args[2:]
    made = walk.add(masked_between8, grad.node, x.node, *_open(x, low, high))
    walk.known[node] = replace(grad, node=made)


def _nll_loss(walk: Walk, node: Node) -> None:
    ones = walk.step.constants.get(getattr(node.args[0], "name", ""))
    need(ones is not None and (ones == 1).all(), "the loss is not the last operation")
    forward = node.args[6].args[0]
    walk.known[node] = walk.known[forward]


def _log_softmax(walk: Walk, node: Node) -> None:
    walk.known[node] = _gradient(walk, node.args[0])


TABLE: dict[Any, Callable[[Walk, Node], None]] = {
    operators.conv_input_grad: _input_grad,
    aten.mm.default: _mm,
    aten.add.Tensor: _add,
    aten.div.Scalar: _divided,
    aten.div.Tensor: _divided,
    operators.pack_between: _pack_between,
    operators.masked: _masked,
    operators.kept_channels: kept,
    aten.hardtanh_backward.default: _masked_by_result,
    aten.threshold_backward.default: _masked_by_result,
    aten.nll_loss_backward.default: _nll_loss,
    aten._log_softmax_backward_data.default: _log_softmax,
}


class Updates:
    """Writes each update once its gradient is there and nobody reads the old parameter later."""

    def __init__(self, walk: Walk, lr: Node, seed: Node) -> None:
        self._walk = walk
        self._rates = (seed, lr)
        named = {name: walk.step.nodes[node] for node, name in walk.step.parameters.items()}
        self._of_gradient: dict[Node, str] = {}
        self._last: dict[str, Node] = {}
        for name, gradient in walk.step.gradients.items():
            self._of_gradient[_base(walk.step.nodes[gradient])] = name
            self._last[name] = named[name]
        order = {node: at for at, node in enumerate(walk.step.graph.nodes)}
        self._parameters = named
        for name in self._last:
            reading = [*_readers(named[name]), named[name]]
            self._last[name] = max(reading, key=order.__getitem__)
        self._order = order
        self._complete: dict[str, Node] = {}

    def is_gradient(self, node: Node) -> bool:
        """Whether a node is the gradient of a parameter, which its update stands for."""
        return node in self._of_gradient

    def after(self, node: Node) -> None:
        """Write what can be after a node of the float graph."""
        if node in self._of_gradient:
            self._complete[self._of_gradient[node]] = node
        ready = [
            name for name in self._complete if self._order[self._last[name]] <= self._order[node]
        ]
        for name in ready:
            self._update(name, self._complete.pop(name))

    def _update(self, name: str, node: Node) -> None:
        weight = self._walk.known[self._parameters[name]]
        self._walk.now = node
        salt = list(self._last).index(name)
        if node.target is operators.conv_weight_grad:
            grad, x, _, *options = node.args
            self._of_weight(weight, salt, grad, x, options)
        elif node.target is aten.mm.default:
            grad, x = node.args
            need(grad.target is aten.t.default, "it is no gradient of a linear layer")
            self._of_weight(weight, salt, grad.args[0], x, LINEAR)
        else:
            need(node.target is aten.sum.dim_IntList, f"it is the gradient of {name!r}")
            self._of_bias(weight, salt, node.args[0])

    def _of_weight(self, weight: Weight, salt: int, grad: Node, x: Node, options: Any) -> None:
        walk, given = self._walk, self._walk.known[x]
        of_output = _materialized(walk, _gradient(walk, grad))
        four = [self._four(part) for part in (of_output.node, given.node)]
        shape = four[0].meta["val"].shape
        checked_terms(f"The gradient of {weight.name!r}", shape[0], *shape[2:])
        channels, filters_ = walk.step.channels.get(weight.name), filters(walk, weight.node)
        scaled = update_factor(
            weight.scales,
            of_output.factor * given.scale.scale,
            scaling=weight.name in walk.scaled,
        )
        extra: dict[str, Any] = {}
        if channels is not None:
            depthwise = options[-1] > 1
            extra = {"dim": 0 if depthwise else 1, "channels": channels}
            scaled = scaled[list(channels)] if depthwise else scaled
        walk.update(
            conv8_sgd_,
            weight,
            *(filters_, four[0], of_output.scale, four[1], walk.constant("rate", scaled)),
            *(given.scale.zero, salt, *self._rates, *options),
            **extra,
        )

    def _of_bias(self, bias: Weight, salt: int, grad: Node) -> None:
        walk = self._walk
        given = _materialized(walk, _gradient(walk, grad))
        four = self._four(given.node)
        shape = four.meta["val"].shape
        checked_terms(f"The gradient of {bias.name!r}", shape[0], *shape[2:])
        scaled = update_factor(bias.scales, given.factor, scaling=bias.name in walk.scaled)
        rate = walk.constant("rate", scaled)
        walk.update(bias8_sgd_, bias, bias.node, four, given.scale, rate, salt, *self._rates)

    def _four(self, node: Node) -> Node:
        shape = node.meta["val"].shape
        return node if len(shape) == 4 else placed(self._walk, node, (*shape, 1, 1))


def _base(node: Node) -> Node:
    while is_view(node):
        node = node.args[0]
    return node


def _readers(node: Node) -> list[Node]:
    """Who reads a parameter, through views of it too."""
    found: list[Node] = []
    for user in node.users:
        found += [user, *_readers(user)] if is_view(user) else [user]
    return found
