"""Rules of reductions. The loop IR has sum, prod, max and min; all others are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Value, apply, cast, const, index, masked, where
from dynamo_lab.compiler.layout import Position, flatten, unflatten
from dynamo_lab.compiler.operators import FLOATS, computed_in
from dynamo_lab.compiler.parts import in_parts
from dynamo_lab.compiler.rules.movement import stored_if_dear
from dynamo_lab.compiler.rules.table import Call, Meta, Rule, rule
from dynamo_lab.compiler.tensors import LazyTensor
from dynamo_lab.compiler.work import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.compiler.index import Size
    from dynamo_lab.compiler.work import Reduction

aten = torch.ops.aten


def dims_of(x: LazyTensor, dims: Any) -> list[int]:
    """The dimensions that a call names: none named is all."""
    rank = len(x.size)
    if dims is None or dims == []:
        return list(range(rank))
    listed = [dims] if isinstance(dims, int) else list(dims)
    return sorted({d % rank for d in listed}) if rank else []


def converted(call: Call, x: LazyTensor, dtype: torch.dtype) -> LazyTensor:
    """The tensor as values of a type that sums do not lose in."""
    return LazyTensor(call.graph, x.size, dtype, lambda at: cast(x(at), dtype), [x], cost=0)


def _reduction(how: str) -> Rule:
    def lower(call: Call, x: LazyTensor, dim: Any = None, keepdim: bool = False, **_: Any) -> Any:
        dtype = call.meta.dtype
        source = converted(call, x, computed_in(dtype))
        return call.graph.reduce(how, source, dims_of(x, dim), keepdim, dtype)

    return lower


rule(aten.sum.dim_IntList, aten.sum.default)(_reduction("sum"))
rule(aten.prod.default, aten.prod.dim_int)(_reduction("prod"))
rule(aten.amax.default, aten.max.default)(_reduction("max"))
rule(aten.amin.default, aten.min.default)(_reduction("min"))


def _truth(how: str) -> Rule:
    def lower(call: Call, x: LazyTensor, dim: Any = None, keepdim: bool = False) -> Any:
        truths = converted(call, x, torch.bool)
        source = converted(call, truths, call.meta.dtype)  # of uint8 the answer is uint8
        return call.graph.reduce(how, source, dims_of(x, dim), keepdim, call.meta.dtype)

    return lower


rule(aten.any.default, aten.any.dim, aten.any.dims)(_truth("max"))
rule(aten.all.default, aten.all.dim, aten.all.dims)(_truth("min"))


@rule(aten.mean.dim, aten.mean.default)
def _mean(
    call: Call, x: LazyTensor, dim: Any = None, keepdim: bool = False, **_: Any
) -> LazyTensor:
    dims, dtype = dims_of(x, dim), computed_in(call.meta.dtype)
    total = call.graph.reduce("sum", converted(call, x, dtype), dims, keepdim, dtype)
    count = ix.product(x.size[d] for d in dims)
    return call.tensor(lambda at: divided(total(at), count), [total])


MOST_OF_A_PRODUCT = 4096
"""Multiplications up to which a product of matrices is loops: a library's call takes longer."""


@rule(aten.mm.default, aten.bmm.default)
def _product(call: Call, a: LazyTensor, b: LazyTensor) -> LazyTensor:
    """A small product of known sizes, which can be fused with what follows."""
    *batch, rows, inner = a.size
    columns = b.size[-1]
    sizes = [*batch, rows, inner, columns]
    is_known = all(isinstance(n, int) for n in sizes)
    if not is_known or ix.hint(ix.product(sizes)) > MOST_OF_A_PRODUCT:
        raise Unsupported("a product of matrices")
    dtype = computed_in(call.meta.dtype)
    left, right = (converted(call, stored_if_dear(x, sizes), dtype) for x in (a, b))

    def term(at: Position) -> Value:
        *front, i, k, j = at
        return left([*front, i, k]) * right([*front, k, j])

    terms = LazyTensor(call.graph, sizes, dtype, term, [left, right])
    return call.graph.reduce("sum", terms, [len(sizes) - 2], False, call.meta.dtype)


def divided(value: Value, count: Size) -> Value:
    """A value over a count, which may be a size of the run time."""
    if isinstance(count, int):  # 0 / 0 is NaN, as ATen has it
        return apply("div", value, float(count))
    return apply("div", value, index(count, value.dtype))


def moments(
    call: Call, x: LazyTensor, dim: Any, correction: float
) -> tuple[LazyTensor, LazyTensor]:
    """Sum of squares from the mean over n - correction, and the mean; dimensions kept.

    In two passes over a row that is in the cache by then: exact, and it vectorises, which
    Welford's recurrence hardly does.
    """
    dims, dtype = dims_of(x, dim), computed_in(x.dtype)
    source = converted(call, x, dtype)
    count = ix.product(x.size[d] for d in dims)
    if parts := in_parts(x.size, dims, call.graph.rows, in_registers=True):
        spread, mean = _joined(call, source, dims, *parts)
    else:
        spread, mean = _squares(call, source, dims)

    def variance(at: Position) -> Value:
        if isinstance(count, int):
            return apply("div", spread(at), float(max(count - correction, 0)))
        freedom = apply("sub", index(count, dtype), float(correction))
        return apply("div", spread(at), apply("max", freedom, 0.0))

    return LazyTensor(call.graph, spread.size, dtype, variance, [spread]), mean


def _squares(call: Call, x: LazyTensor, dims: Sequence[int]) -> tuple[LazyTensor, LazyTensor]:
    """The sum of squares from the mean, and the mean; dimensions kept."""
    count = ix.product(x.size[d] for d in dims)
    total = call.graph.reduce("sum", x, dims, True, x.dtype)
    mean = _mapped(total, lambda sum_of: divided(sum_of, count))

    def square(at: Position) -> Value:
        from_mean = x(at) - mean(without(at, dims))
        return from_mean * from_mean

    squares = LazyTensor(call.graph, x.size, x.dtype, square, [x, mean])
    return call.graph.reduce("sum", squares, dims, True, x.dtype), mean


def _joined(
    call: Call, x: LazyTensor, dims: Sequence[int], at: int, count: int
) -> tuple[LazyTensor, LazyTensor]:
    """The same of parts that a program holds, each read once, joined.

    Chan, Golub, LeVeque: "Updating Formulae and a Pairwise Algorithm for Computing Sample
    Variances", 1979, for parts of the same length.
    """
    whole = call.graph.cut(x, at, count)
    within, means = _squares(call, whole, [1 + d for d in dims])
    each = ix.product(whole.size[1 + d] for d in dims)
    total = call.graph.reduce("sum", means, [0], False, x.dtype)
    mean = _mapped(total, lambda sum_of: divided(sum_of, count))

    def square(place: Position) -> Value:
        off = means(place) - mean(place[1:])
        return within(place) + apply("mul", off * off, float(ix.hint(each)))

    squares = LazyTensor(call.graph, means.size, x.dtype, square, [within, means, mean])
    return call.graph.reduce("sum", squares, [0], False, x.dtype), mean


def _mapped(x: LazyTensor, to: Callable[[Value], Value]) -> LazyTensor:
    return LazyTensor(x.graph, x.size, x.dtype, lambda at: to(x(at)), [x])


def without(at: Position, dims: Sequence[int]) -> Position:
    """The position in a tensor whose reduced dimensions were kept with size 1."""
    return tuple(ix.ZERO if d in dims else i for d, i in enumerate(at))


def _fitted(call: Call, x: LazyTensor, meta: Meta) -> LazyTensor:
    """A moment in the shape and type of a result."""

    def closure(at: Position) -> Value:
        kept = unflatten(flatten(at, meta.size), x.size)
        return cast(x(kept), computed_in(meta.dtype))

    return call.tensor(closure, [x], meta=meta, cost=0)


@rule(aten.var_mean.correction, aten.var.correction)
def _var_mean(
    call: Call, x: LazyTensor, dim: Any = None, *, correction: Any = None, **_: Any
) -> list[LazyTensor] | LazyTensor:
    both = moments(call, x, dim, 1 if correction is None else correction)
    found = [_fitted(call, one, meta) for one, meta in zip(both, call.metas, strict=False)]
    return found if len(found) > 1 else found[0]


def _position_of(how: str) -> Rule:
    def lower(call: Call, x: LazyTensor, dim: int | None = None, keepdim: bool = False) -> Any:
        _needs_elements(x)
        return extreme_at(call, how, x, dims_of(x, dim), keepdim)

    return lower


def extreme_at(
    call: Call, how: str, x: LazyTensor, dims: Sequence[int], keepdim: bool
) -> LazyTensor:
    """The least row-major position, along `dims`, of the extreme.

    Two reductions, which vectorise.
    """
    x.realize()
    source = converted(call, x, computed_in(x.dtype))
    best = call.graph.reduce(how, source, dims, True, computed_in(x.dtype))

    def place(at: Position) -> Value:
        value, extreme = x(at), best(without(at, dims))
        hit = apply("eq", value, extreme)
        if value.dtype in FLOATS:  # a NaN is the extreme, and equal to nothing
            hit = apply("or", hit, apply("ne", value, value))
        here = index(flatten([at[d] for d in dims], [x.size[d] for d in dims]), kind)
        return where(hit, here, const(torch.iinfo(kind).max, kind))

    count = ix.product(x.size[d] for d in dims)
    is_short = isinstance(count, int) and count < torch.iinfo(torch.int32).max
    kind = torch.int32 if is_short else torch.int64  # twice as many side by side
    places = LazyTensor(call.graph, x.size, kind, place, [x, best])
    return call.graph.reduce("min", places, dims, keepdim, torch.int64)


def _needs_elements(x: LazyTensor) -> None:
    """Asked before there is a buffer that nothing would fill."""
    if 0 in x.size:
        raise Unsupported("the extreme of no elements")


rule(aten.argmax.default)(_position_of("max"))
rule(aten.argmin.default)(_position_of("min"))


def _with_position(how: str) -> Rule:
    def lower(call: Call, x: LazyTensor, dim: int = 0, keepdim: bool = False) -> list[LazyTensor]:
        _needs_elements(x)
        dims, source = dims_of(x, dim), converted(call, x, computed_in(x.dtype))
        best = call.graph.reduce(how, source, dims, keepdim, x.dtype)
        return [best, extreme_at(call, how, x, dims, keepdim)]

    return lower


rule(aten.max.dim)(_with_position("max"))
rule(aten.min.dim)(_with_position("min"))


MOST_OF_A_SCAN = 32
"""Elements of a row of which each is joined anew with all before it: the work grows with n * n."""


def _scan(how: Reduction) -> Rule:
    """Each element joined with those before it; of long rows ATen takes care, which goes once."""

    def lower(call: Call, x: LazyTensor, dim: int, **_: Any) -> Any:
        if not x.size:
            raise Unsupported("a scan of one number")
        dim %= len(x.size)
        count, dtype = x.size[dim], computed_in(call.meta.dtype)
        if not isinstance(count, int) or count > MOST_OF_A_SCAN:
            raise Unsupported(f"a scan of more than {MOST_OF_A_SCAN} elements")
        source = stored_if_dear(converted(call, x, dtype), (*x.size, count))

        def term(at: Position) -> Value:
            *place, before = at
            within = apply("le", index(before), index(place[dim]))
            return masked(
                within, lambda: source([*place[:dim], before, *place[dim + 1 :]]), how == "prod"
            )

        terms = LazyTensor(call.graph, (*x.size, count), dtype, term, [source])
        return call.graph.reduce(how, terms, [len(x.size)], False, call.meta.dtype)

    return lower


rule(aten.cumsum.default)(_scan("sum"))
rule(aten.cumprod.default)(_scan("prod"))
