"""What each operator becomes in C: a table from targets to functions that write a statement."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.tiny import operators
from dynamo_lab.tiny.c.sequences import SEQUENCES
from dynamo_lab.tiny.c.values import (
    Place,
    contiguous,
    conv_shape,
    index,
    loops,
    need,
    number,
    table_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.tiny.c.values import Places
    from dynamo_lab.tiny.graph import Node

aten = torch.ops.aten


def _convolution(writer: Places, node: Node) -> str:
    x, weight, bias, stride, padding, dilation, transposed, _, groups = node.args
    need(not transposed and len(stride) == 2, "it is transposed or not of two dimensions")
    out, given, filters = writer.out(node), writer.place(x), writer.place(weight)
    contiguous(out, given, filters)
    shape = conv_shape(given.shape, out.shape, filters.shape, stride, padding, dilation, groups)
    added = "0" if bias is None else writer.place(bias).pointer
    return f"conv({out.pointer}, {given.pointer}, {filters.pointer}, {added}, &{shape});"


def _conv_input_grad(writer: Places, node: Node) -> str:
    grad, weight, size, *options = node.args
    need(len(size) == 4, "it is not of two dimensions")
    out, given, filters = writer.out(node), writer.place(grad), writer.place(weight)
    contiguous(out, given, filters)
    shape = conv_shape(size, given.shape, filters.shape, *options)
    return f"conv_input_grad({out.pointer}, {given.pointer}, {filters.pointer}, &{shape});"


def _conv_weight_grad(writer: Places, node: Node) -> str:
    grad, x, size, *options = node.args
    need(len(size) == 4, "it is not of two dimensions")
    out, given, seen = writer.out(node), writer.place(grad), writer.place(x)
    contiguous(out, given, seen)
    shape = conv_shape(seen.shape, given.shape, size, *options)
    return f"conv_weight_grad({out.pointer}, {given.pointer}, {seen.pointer}, &{shape});"


def _mm(writer: Places, node: Node) -> str:
    return _product(writer.out(node), writer.place(node.args[0]), writer.place(node.args[1]))


def _addmm(writer: Places, node: Node) -> str:
    need(not node.kwargs, "it has factors")
    bias, left, right = map(writer.place, node.args)
    return _product(writer.out(node), left, right, bias)


def _product(out: Place, left: Place, right: Place, bias: Place | None = None) -> str:
    (m, k), n = left.shape, right.shape[1]
    added = ("0", 0, 0) if bias is None else (bias.pointer, *bias.broadcast(out.shape))
    parts = [
        *(out.pointer, *out.strides),
        *(left.pointer, *left.strides),
        *(right.pointer, *right.strides),
        *added,
        *(m, k, n),
    ]
    return f"matmul({', '.join(map(str, parts))});"


def _elementwise(template: str, count: int) -> Callable[[Places, Node], str]:
    """An operator whose element is an expression of its inputs' elements `{0}`, `{1}`."""

    def write(writer: Places, node: Node) -> str:
        out = writer.out(node)
        read: list[str] = []
        for arg in node.args[:count]:
            if isinstance(arg, int | float):
                read.append(number(arg))
                continue
            given = writer.place(arg)
            read.append(f"{given.pointer}[{index(given.broadcast(out.shape), out.shape)}]")
        need(node.kwargs.get("alpha", 1) == 1, "it has a factor")
        rest = [number(arg) for arg in node.args[count:]]
        value = template.format(*read, *rest)
        body = f"{out.pointer}[{index(out.strides, out.shape)}] = {value};"
        return loops(out.shape, body)

    return write


def _reduction(is_mean: bool) -> Callable[[Places, Node], str]:
    def write(writer: Places, node: Node) -> str:
        given, out = writer.place(node.args[0]), writer.out(node)
        dims = {dim % len(given.shape) for dim in node.args[1] or range(len(given.shape))}
        keeps = len(node.args) > 2 and node.args[2]
        left = [k for k in range(len(given.shape)) if k not in dims]
        outer = [size if k in left else 1 for k, size in enumerate(given.shape)]
        inner = [1 if k in left else size for k, size in enumerate(given.shape)]
        places = out.strides if keeps else _spread(out.strides, left, len(given.shape))
        at = f"{out.pointer}[{index(places, outer)}]"
        add = loops(inner, f"sum += {given.pointer}[{index(given.strides, given.shape)}];")
        count = prod(inner)
        end = f"sum / {number(count)}" if is_mean else "sum"
        return loops(outer, f"{{ float sum = 0.0f; {add} {at} = {end}; }}")

    return write


def _spread(strides: Sequence[int], left: Sequence[int], count: int) -> list[int]:
    """Strides of the axes that are left, at their places among all axes."""
    return [strides[left.index(k)] if k in left else 0 for k in range(count)]


def _log_softmax(writer: Places, node: Node) -> str:
    given, out = writer.place(node.args[0]), writer.out(node)
    rows, n = _rows(given, node.args[1], out)
    return f"log_softmax({out.pointer}, {given.pointer}, {rows}, {n});"


def _log_softmax_backward(writer: Places, node: Node) -> str:
    grad, result, out = writer.place(node.args[0]), writer.place(node.args[1]), writer.out(node)
    rows, n = _rows(grad, node.args[2], result, out)
    return f"log_softmax_backward({out.pointer}, {grad.pointer}, {result.pointer}, {rows}, {n});"


def _rows(first: Place, dim: int, *others: Place) -> tuple[int, int]:
    need(dim % len(first.shape) == len(first.shape) - 1, "it is not along the last axis")
    contiguous(first, *others)
    return prod(first.shape[:-1]), first.shape[-1]


def _nll_loss(writer: Places, node: Node) -> str:
    x, target, weight, reduction, ignored = node.args
    need(weight is None and reduction == 1, "it has weights or is no mean")
    given, wanted = writer.place(x), writer.place(target)
    need(len(given.shape) == 2, "its scores have more than two axes")
    rows, n = _rows(given, 1, wanted)
    loss, count = (writer.element(node, k) or "0" for k in (0, 1))
    return f"nll_loss({loss}, {count}, {given.pointer}, {wanted.pointer}, {ignored}, {rows}, {n});"


def _nll_loss_backward(writer: Places, node: Node) -> str:
    grad, _x, target, weight, reduction, ignored, count = node.args
    need(weight is None and reduction == 1, "it has weights or is no mean")
    out, wanted = writer.out(node), writer.place(target)
    need(len(out.shape) == 2, "its scores have more than two axes")
    rows, n = _rows(out, 1, wanted)
    return (
        f"nll_loss_backward({out.pointer}, *{writer.place(grad).pointer}, {wanted.pointer}, "
        f"{ignored}, *{writer.place(count).pointer}, {rows}, {n});"
    )


def _pack_between(writer: Places, node: Node) -> str:
    x, low, high = node.args
    given, out = writer.place(x), writer.out(node)
    contiguous(given)
    bounds = f"{number(low)}, {number(high)}"
    return f"pack_between({out.pointer}, {given.pointer}, {bounds}, {given.count});"


def _masked(writer: Places, node: Node) -> str:
    grad, bits = map(writer.place, node.args)
    out = writer.out(node)
    contiguous(grad, out)
    return f"masked({out.pointer}, {grad.pointer}, {bits.pointer}, {out.count});"


def keeping_channels(function: str) -> Callable[[Places, Node], str]:
    """Some channels of a tensor, by this function of the C library."""

    def write(writer: Places, node: Node) -> str:
        x, dim, channels = node.args
        given, out = writer.place(x), writer.out(node)
        contiguous(given, out)
        rows, inner = prod(given.shape[:dim]), prod(given.shape[dim + 1 :])
        return (
            f"{function}({out.pointer}, {given.pointer}, {table_of(channels)}, {rows}, "
            f"{given.shape[dim]}, {len(channels)}, {inner});"
        )

    return write


def _sgd(writer: Places, node: Node) -> str:
    weight, grad = writer.place(node.args[0]), writer.place(node.args[1])
    contiguous(weight, grad)
    state = writer.place(node.args[3]).pointer if len(node.args) > 3 else "0"
    channels: Any = node.kwargs.get("channels")
    dim: Any = node.kwargs.get("dim", 0)
    rows, whole, inner = 1, weight.count, 1
    if channels is not None:
        rows, whole, inner = (
            prod(weight.shape[:dim]),
            weight.shape[dim],
            prod(weight.shape[dim + 1 :]),
        )
    part = whole if channels is None else len(channels)
    table = "0" if channels is None else table_of(channels)
    numbers = ", ".join(number(node.kwargs.get(k, 0.0)) for k in ("momentum", "weight_decay"))
    return (
        f"sgd({weight.pointer}, {grad.pointer}, {state}, {table}, {rows}, {whole}, {part}, "
        f"{inner}, lr, {numbers});"
    )


_LESS = "{0} < {1} ? {1} : {0} > {2} ? {2} : {0}"
TABLE: dict[Any, Callable[[Places, Node], str]] = {
    aten.convolution.default: _convolution,
    operators.conv_input_grad: _conv_input_grad,
    operators.conv_weight_grad: _conv_weight_grad,
    aten.mm.default: _mm,
    aten.addmm.default: _addmm,
    aten.relu.default: _elementwise("{0} < 0.0f ? 0.0f : {0}", 1),
    aten.neg.default: _elementwise("-{0}", 1),
    aten.exp.default: _elementwise("expf({0})", 1),
    aten.hardtanh.default: _elementwise(_LESS, 1),
    aten.threshold_backward.default: _elementwise("{1} <= {2} ? 0.0f : {0}", 2),
    aten.hardtanh_backward.default: _elementwise("{1} <= {2} || {1} >= {3} ? 0.0f : {0}", 2),
    aten.add.Tensor: _elementwise("{0} + {1}", 2),
    aten.sub.Tensor: _elementwise("{0} - {1}", 2),
    aten.mul.Tensor: _elementwise("{0} * {1}", 2),
    aten.mul.Scalar: _elementwise("{0} * {1}", 2),
    aten.div.Tensor: _elementwise("{0} / {1}", 2),
    aten.div.Scalar: _elementwise("{0} / {1}", 2),
    aten.clone.default: _elementwise("{0}", 1),
    aten.mean.dim: _reduction(is_mean=True),
    aten.sum.dim_IntList: _reduction(is_mean=False),
    aten._log_softmax.default: _log_softmax,
    aten._log_softmax_backward_data.default: _log_softmax_backward,
    aten.nll_loss_forward.default: _nll_loss,
    aten.nll_loss_backward.default: _nll_loss_backward,
    operators.pack_between: _pack_between,
    operators.masked: _masked,
    operators.kept_channels: keeping_channels("kept_channels"),
    operators.sgd_: _sgd,
    **SEQUENCES,
}
