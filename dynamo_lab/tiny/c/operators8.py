"""What each operator of an int8 step becomes in C: a table from targets to functions."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.tiny import operators
from dynamo_lab.tiny.c.operators import keeping_channels
from dynamo_lab.tiny.c.values import contiguous, conv_shape, index, loops, number, table_of
from dynamo_lab.tiny.graph import is_view
from dynamo_lab.tiny.int8.fuse import made_by, rows_between
from dynamo_lab.tiny.int8.loss import cross_entropy8
from dynamo_lab.tiny.int8.operators import (
    add8,
    add8_grads,
    bias8_sgd_,
    conv8,
    conv8_input_grad,
    conv8_pair,
    conv8_rows,
    conv8_sgd_,
    masked_between8,
    mean8,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.tiny.c.values import Places
    from dynamo_lab.tiny.graph import Node

aten = torch.ops.aten


def _conv8(writer: Places, node: Node) -> str:
    x, out = writer.place(node.args[0]), writer.out(node)
    contiguous(x, out)
    name = "conv8_wide" if node.kwargs.get("wide") else "conv8"
    layer, shape = _layer(writer, x.shape, out.shape, node.args[1:])
    return f"{name}({out.pointer}, {x.pointer}, {layer}, {shape});"


def _conv8_pair(writer: Places, node: Node) -> str:
    x, out = writer.place(node.args[0]), writer.out(node)
    contiguous(x, out)
    parts = [text for layer in _layers(writer, node) for text in layer]
    channel = writer.scratch(node)
    return f"conv8_pair({out.pointer}, {channel}, {x.pointer}, {', '.join(parts)});"


def _conv8_rows(writer: Places, node: Node) -> str:
    """The rows of all layers but the last, which writes its result, follow one another."""
    x, out = writer.place(node.args[0]), writer.out(node)
    contiguous(x, out)
    kept = rows_between(x.shape, node.args[1:])
    starts = accumulate(map(prod, kept), initial=0)
    room = writer.scratch(node)
    places = [*(f"{room} + {start}" for start, _ in zip(starts, kept, strict=False)), out.pointer]
    heights = [*(rows for _, rows, _ in kept), out.shape[2]]
    stages = [
        f"{{{', '.join(layer)}, {place}, {rows}, 0}}"
        for layer, place, rows in zip(_layers(writer, node), places, heights, strict=True)
    ]
    count = len(stages)
    return f"conv8_rows({out.pointer}, {x.pointer}, (stage8[]){{{', '.join(stages)}}}, {count});"


def _layers(writer: Places, node: Node) -> Iterator[tuple[str, str]]:
    """The layers of a fused operation and their shapes."""
    shape = writer.place(node.args[0]).shape
    for layer in node.args[1:]:
        made = made_by(shape, layer)
        yield _layer(writer, shape, made, layer)
        shape = made


def _weight(writer: Places, node: Node) -> str:
    """A weight as the values of a C struct."""
    base, pointer = node, writer.place(node).pointer
    while is_view(base):
        base = base.args[0]
    apart = writer.apart(base)
    if apart is None:
        return f"{{{pointer}, 0, 0, 0, 0, 0}}"
    part, rest, slots = apart
    others = base.meta["val"].shape[part.dim] - len(part.channels)
    return f"{{{rest}, {pointer}, {slots}, {part.dim}, {len(part.channels)}, {others}}}"


def _layer(writer: Places, x: tuple[int, ...], out: tuple[int, ...], args: Any) -> tuple[str, str]:
    """A layer's parameters and its shape, as pointers to C structs."""
    weight, bias, factor, *zeros, stride, padding, dilation, groups = args
    filters, factors = weight.meta["val"], writer.place(factor)
    added = "0" if bias is None else writer.place(bias).pointer
    numbers = ", ".join(map(str, zeros))
    layer = f"&(const layer8){{{_weight(writer, weight)}, {added}, {factors.pointer}, {numbers}}}"
    shape = conv_shape(x, out, filters.shape, stride, padding, dilation, groups)
    return layer, f"&{shape}"


def _add8(writer: Places, node: Node) -> str:
    one, other, out = writer.place(node.args[0]), writer.place(node.args[1]), writer.out(node)
    contiguous(one, other, out)
    zeros, factors, ends = node.args[2:4], node.args[4:6], node.args[6:]
    numbers = [*map(str, zeros), *map(number, factors), *map(str, ends)]
    pointers = f"{out.pointer}, {one.pointer}, {other.pointer}"
    return f"add8({pointers}, {', '.join(numbers)}, {out.count});"


def _mean8(writer: Places, node: Node) -> str:
    x, zero, factor, *ends = node.args
    given, out = writer.place(x), writer.out(node)
    contiguous(given, out)
    numbers = [str(zero), number(factor), *map(str, ends)]
    sizes = f"{prod(given.shape[:2])}, {prod(given.shape[2:])}"
    return f"mean8({out.pointer}, {given.pointer}, {', '.join(numbers)}, {sizes});"


def _input_grad(writer: Places, node: Node) -> str:
    grad, scale, weight, multipliers, shift, unit, size, *options = node.args
    given = writer.place(grad)
    contiguous(given)
    shape = conv_shape(size, given.shape, weight.meta["val"].shape, *options)
    return (
        f"conv8_input_grad({_results(writer, node)}, {given.pointer}, "
        f"*{writer.place(scale).pointer}, &(const weight8){_weight(writer, weight)}, "
        f"{writer.place(multipliers).pointer}, "
        f"{shift}, {number(unit)}, &{shape});"
    )


def _results(writer: Places, node: Node) -> str:
    """Pointers to a gradient and its scale."""
    return ", ".join(writer.element(node, k) for k in range(2))


def _add8_grads(writer: Places, node: Node) -> str:
    one, one_scale, one_factor, other, other_scale, other_factor = node.args
    left, right = writer.place(one), writer.place(other)
    contiguous(left, right)
    units = [
        f"*{writer.place(scale).pointer} * {number(factor)}"
        for scale, factor in ((one_scale, one_factor), (other_scale, other_factor))
    ]
    return (
        f"add8_grads({_results(writer, node)}, {left.pointer}, {units[0]}, {right.pointer}, "
        f"{units[1]}, {left.count});"
    )


def _pack_between(writer: Places, node: Node) -> str:
    x, low, high = node.args
    given, out = writer.place(x), writer.out(node)
    contiguous(given)
    return f"pack_between8({out.pointer}, {given.pointer}, {low}, {high}, {given.count});"


def _masked(writer: Places, node: Node) -> str:
    """The gradient may be one element for many, as of a mean."""
    grad, bits, out = *map(writer.place, node.args), writer.out(node)
    contiguous(out)
    at = index(out.strides, out.shape)
    from_ = f"{grad.pointer}[{index(grad.broadcast(out.shape), out.shape)}]"
    bit = f"{bits.pointer}[({at}) / 8] >> ({at}) % 8 & 1"
    return loops(out.shape, f"{out.pointer}[{at}] = (int8_t)({bit} ? {from_} : 0);")


def _masked_between(writer: Places, node: Node) -> str:
    grad, x, low, high = node.args
    given, seen, out = writer.place(grad), writer.place(x), writer.out(node)
    contiguous(given, seen, out)
    pointers = f"{out.pointer}, {given.pointer}, {seen.pointer}"
    return f"masked_between8({pointers}, {low}, {high}, {out.count});"


def _copied(writer: Places, node: Node) -> str:
    given, out = writer.place(node.args[0]), writer.out(node)
    from_ = f"{given.pointer}[{index(given.broadcast(out.shape), out.shape)}]"
    return loops(out.shape, f"{out.pointer}[{index(out.strides, out.shape)}] = {from_};")


def _clamp(writer: Places, node: Node) -> str:
    x, low, high = node.args
    given, out = writer.place(x), writer.out(node)
    contiguous(given, out)
    from_ = f"{given.pointer}[i0]"
    value = f"{from_} < {low} ? {low} : {from_} > {high} ? {high} : {from_}"
    return loops((out.count,), f"{out.pointer}[i0] = (int8_t)({value});") if out.count > 1 else ""


def _conv8_sgd(writer: Places, node: Node) -> str:
    weight, grad, scale, x, factor, zero, salt, _seed, _lr, *options = node.args
    given, seen, filters = writer.place(grad), writer.place(x), weight.meta["val"]
    changed = writer.place(weight).pointer
    contiguous(given, seen)
    channels, dim = node.kwargs.get("channels"), node.kwargs.get("dim", 0)
    shape = conv_shape(seen.shape, given.shape, filters.shape, *options)
    table = "0" if channels is None else table_of(channels)
    return (
        f"conv8_sgd({changed}, {given.pointer}, *{writer.place(scale).pointer}, "
        f"{seen.pointer}, {writer.place(factor).pointer}, {zero}, {salt}, seed, lr, &{shape}, "
        f"{dim}, {table}, {filters.shape[1]});"
    )


def _bias8_sgd(writer: Places, node: Node) -> str:
    bias, grad, scale, factor, salt, *_ = node.args
    changed, given = writer.place(bias), writer.place(grad)
    contiguous(changed, given)
    samples, channels, *places = given.shape
    return (
        f"bias8_sgd({changed.pointer}, {given.pointer}, *{writer.place(scale).pointer}, "
        f"{writer.place(factor).pointer}, {salt}, seed, lr, {samples}, {channels}, {prod(places)});"
    )


def _cross_entropy(writer: Places, node: Node) -> str:
    scores, target, ignored = node.args
    given, wanted = writer.place(scores), writer.place(target)
    contiguous(given, wanted)
    results = ", ".join(writer.element(node, k) or "0" for k in range(3))
    rows, n = given.shape
    return f"cross_entropy8({results}, {given.pointer}, {wanted.pointer}, {ignored}, {rows}, {n});"


TABLE8: dict[Any, Callable[[Places, Node], str]] = {
    conv8: _conv8,
    conv8_pair: _conv8_pair,
    conv8_rows: _conv8_rows,
    add8: _add8,
    mean8: _mean8,
    conv8_input_grad: _input_grad,
    add8_grads: _add8_grads,
    operators.pack_between: _pack_between,
    operators.masked: _masked,
    operators.kept_channels: keeping_channels("kept_channels8"),
    masked_between8: _masked_between,
    aten.clone.default: _copied,
    aten.clamp.default: _clamp,
    conv8_sgd_: _conv8_sgd,
    bias8_sgd_: _bias8_sgd,
    cross_entropy8: _cross_entropy,
}
