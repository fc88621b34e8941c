"""What a transformer's operators become in C: products in batches, normalization, attention."""

from __future__ import annotations

from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.tiny.c.values import contiguous, index, loops, need, number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.tiny.c.values import Place, Places
    from dynamo_lab.tiny.graph import Node

aten = torch.ops.aten


def _row(place: Place | None, last: int = 1) -> str:
    """A pointer to the elements along the last axes, by the loops' variables of the others."""
    if place is None:
        return "0"
    need(place.strides[-1] == 1 or place.shape[-1] == 1, "its last axis is not dense")
    outer = index(place.strides[:-last], place.shape[:-last])
    return f"{place.pointer} + {outer}"


def _lines(*statements: str) -> str:
    """Statements below each other: gcc takes several loops in a line for a mistake."""
    return "\n  ".join(one for one in statements if one)


def _zeroed(place: Place | None) -> str:
    if place is None:
        return ""
    return loops(place.shape, f"{place.pointer}[{index(place.strides, place.shape)}] = 0.0f;")


def _bmm(writer: Places, node: Node) -> str:
    out, left, right = writer.out(node), *map(writer.place, node.args)
    (n, rows, inner), columns = left.shape, right.shape[2]
    parts: list[Any] = []
    for place in (out, left, right):
        start = index(place.strides[:1], (n,))
        parts += [f"{place.pointer} + {start}", *place.strides[1:]]
    numbers = ", ".join(map(str, [*parts, 0, 0, 0, rows, inner, columns]))
    return loops((n,), f"matmul({numbers});")


def _layer_norm(writer: Places, node: Node) -> str:
    x, size, weight, bias, eps = node.args
    given, out = writer.place(x), writer.part(node, 0)
    need(len(size) == 1, "it is of more than one axis")
    factors = ["0" if one is None else writer.place(one).pointer for one in (weight, bias)]
    outer = given.shape[:-1]
    levels = [_element(writer.part(node, at), outer) for at in (1, 2)]
    parts = [_row(out), *levels, _row(given), *factors, str(size[0]), number(eps)]
    return loops(outer, f"layer_norm({', '.join(parts)});")


def _element(place: Place | None, outer: Sequence[int]) -> str:
    """A pointer to what there is one of for each row."""
    if place is None:
        return "0"
    return f"{place.pointer} + {index(place.strides[: len(outer)], outer)}"


def _layer_norm_backward(writer: Places, node: Node) -> str:
    grad, x, size, mean, scale, weight = node.args[:6]
    need(len(size) == 1, "it is of more than one axis")
    of_x, of_weight, of_bias = (writer.part(node, at) for at in range(3))
    given, seen = writer.place(grad), writer.place(x)
    outer = seen.shape[:-1]
    levels = [f"*({_element(writer.place(one), outer)})" for one in (mean, scale)]
    factor = "0" if weight is None else writer.place(weight).pointer
    whole = ["0" if one is None else one.pointer for one in (of_weight, of_bias)]
    parts = [_row(of_x), *whole, _row(given), _row(seen), *levels, factor, str(size[0])]
    body = loops(outer, f"layer_norm_backward({', '.join(parts)});")
    return _lines(_zeroed(of_weight), _zeroed(of_bias), body)


def _along_rows(function: str, reads: int) -> Callable[[Places, Node], str]:
    """A function of the rows of its inputs."""

    def write(writer: Places, node: Node) -> str:
        out, given = writer.out(node), [writer.place(arg) for arg in node.args[:reads]]
        rank = len(out.shape)
        need(node.args[reads] % rank == rank - 1, "it is not along the last axis")
        rows = ", ".join(_row(place) for place in (out, *given))
        return loops(out.shape[:-1], f"{function}({rows}, {out.shape[-1]});")

    return write


_ERF = f"(0.5f * (1.0f + erff({{0}} * {sqrt(0.5)!r}f)))"
_DENSITY = f"({1 / sqrt(2 * pi)!r}f * expf(-0.5f * {{0}} * {{0}}))"


def _gelu(writer: Places, node: Node) -> str:
    need(node.kwargs.get("approximate", "none") == "none", "it is approximate")
    out, x = writer.out(node), writer.place(node.args[0])
    value = f"{x.pointer}[{index(x.strides, out.shape)}]"
    at = index(out.strides, out.shape)
    return loops(out.shape, f"{out.pointer}[{at}] = {value} * {_ERF.format(value)};")


def _gelu_backward(writer: Places, node: Node) -> str:
    need(node.kwargs.get("approximate", "none") == "none", "it is approximate")
    out, (grad, x) = writer.out(node), map(writer.place, node.args[:2])
    given, value = (f"{one.pointer}[{index(one.strides, out.shape)}]" for one in (grad, x))
    slope = f"({_ERF.format(value)} + {value} * {_DENSITY.format(value)})"
    at = index(out.strides, out.shape)
    return loops(out.shape, f"{out.pointer}[{at}] = {given} * {slope};")


def _embedding(writer: Places, node: Node) -> str:
    out, table, chosen = writer.out(node), *map(writer.place, node.args[:2])
    row = f"{chosen.pointer}[{index(chosen.strides, chosen.shape)}] * {table.strides[0]}"
    last = len(chosen.shape)
    read = f"{table.pointer}[{row} + i{last} * {table.strides[1]}]"
    return loops((*chosen.shape, _wide(out)), f"{_at(out)} = {read};")


def _embedding_backward(writer: Places, node: Node) -> str:
    grad, chosen, _count, ignored, scaled = node.args
    need(not scaled, "it is scaled by how often a row is read")
    out, given, rows = writer.out(node), writer.place(grad), writer.place(chosen)
    contiguous(out)
    row = f"{rows.pointer}[{index(rows.strides, rows.shape)}]"
    last = len(rows.shape)
    add = f"{out.pointer}[{row} * {out.shape[1]} + i{last}] += {_at(given)};"
    body = loops((*rows.shape, _wide(given)), f"if ({row} != {ignored}) {add}")
    return _lines(_zeroed(out), body)


def _wide(place: Place) -> int:
    """The size of the last axis, which the statement names."""
    need(place.shape[-1] > 1, "it has one column")
    return place.shape[-1]


def _at(place: Place) -> str:
    return f"{place.pointer}[{index(place.strides, place.shape)}]"


def _stack(writer: Places, node: Node) -> str:
    out, parts = writer.out(node), [writer.place(one) for one in node.args[0]]
    dim = (node.args[1] if len(node.args) > 1 else 0) % len(out.shape)
    strides = (*out.strides[:dim], *out.strides[dim + 1 :])
    places = [
        f"{at * out.strides[dim]} + {index(strides, parts[0].shape)}" for at in range(len(parts))
    ]
    return _lines(
        *(
            loops(part.shape, f"{out.pointer}[{place}] = {_at(part)};")
            for part, place in zip(parts, places, strict=True)
        )
    )


def _select_backward(writer: Places, node: Node) -> str:
    grad, _size, dim, chosen = node.args
    out, given = writer.out(node), writer.place(grad)
    dim, chosen = dim % len(out.shape), chosen % out.shape[dim]
    strides = (*out.strides[:dim], *out.strides[dim + 1 :])
    at = f"{chosen * out.strides[dim]} + {index(strides, given.shape)}"
    return _lines(_zeroed(out), loops(given.shape, f"{out.pointer}[{at}] = {_at(given)};"))


def _options(node: Node, dropout: int, width: int) -> tuple[str, int]:
    """The factor of the scores, and whether a row sees those before it alone."""
    rate = node.args[dropout] if len(node.args) > dropout else 0.0
    need(not rate and node.kwargs.get("attn_mask") is None, "it has a mask or drops values")
    causal = node.args[dropout + 1] if len(node.args) > dropout + 1 else False
    scale: Any = node.kwargs.get("scale")
    return number(width**-0.5 if scale is None else scale), int(causal)


def _head(place: Place | None) -> str:
    """A head's first row, and the elements from one row to the next."""
    return "0, 0" if place is None else f"{_row(place, 2)}, {place.strides[2]}"


def _levels(place: Place | None) -> str:
    """A head's row of logarithms, and the elements between two."""
    if place is None:
        return "0, 0"
    start = index(place.strides[:2], place.shape[:2])
    return f"{place.pointer} + {start}, {place.strides[2]}"


def _attention(writer: Places, node: Node) -> str:
    queries, keys, values = map(writer.place, node.args[:3])
    need(queries.shape[1] == keys.shape[1], "heads share keys")
    n, heads, rows, width = queries.shape
    scale, causal = _options(node, 3, width)
    heads_of = ", ".join(map(_head, (queries, keys, values)))
    sizes = f"{rows}, {keys.shape[2]}, {width}, {values.shape[3]}, {scale}, {causal}"
    results = f"{_head(writer.part(node, 0))}, {_levels(writer.part(node, 1))}"
    return loops((n, heads), f"attention({results}, {heads_of}, {sizes});")


def _attention_backward(writer: Places, node: Node) -> str:
    grad, queries, keys, values, out, levels = map(writer.place, node.args[:6])
    need(queries.shape[1] == keys.shape[1], "heads share keys")
    n, heads, rows, width = queries.shape
    scale, causal = _options(node, 6, width)
    made = [writer.part(node, at) for at in range(3)]
    read = ", ".join([*map(_head, (grad, queries, keys, values, out)), _levels(levels)])
    sizes = f"{rows}, {keys.shape[2]}, {width}, {values.shape[3]}, {scale}, {causal}"
    body = f"attention_backward({', '.join(map(_head, made))}, {read}, {sizes});"
    return _lines(*map(_zeroed, made), loops((n, heads), body))


SEQUENCES: dict[Any, Callable[[Places, Node], str]] = {
    aten.bmm.default: _bmm,
    aten.native_layer_norm.default: _layer_norm,
    aten.native_layer_norm_backward.default: _layer_norm_backward,
    aten._softmax.default: _along_rows("softmax", 1),
    aten._softmax_backward_data.default: _along_rows("softmax_backward", 2),
    aten.gelu.default: _gelu,
    aten.gelu_backward.default: _gelu_backward,
    aten.embedding.default: _embedding,
    aten.embedding_dense_backward.default: _embedding_backward,
    aten.stack.default: _stack,
    aten.select_backward.default: _select_backward,
    aten._scaled_dot_product_flash_attention_for_cpu.default: _attention,
    aten._scaled_dot_product_flash_attention_for_cpu_backward.default: _attention_backward,
}
