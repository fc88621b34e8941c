"""Rules of operators that compute each element from the elements at its place.

Most are an expression of values, entered for all overloads at once; `where`, conversions and what
makes new tensors stand below, each by itself.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler.body import Value, apply, cast, const, index, where
from dynamo_lab.compiler.index import Index
from dynamo_lab.compiler.operators import FLOATS, OPERATORS, computed_in, unlikely
from dynamo_lab.compiler.rules.table import (
    RULES,
    Call,
    Operand,
    Rule,
    number,
    pointwise,
    promoted,
    reader,
    rule,
    tensors,
)
from dynamo_lab.compiler.work import Unsupported

if TYPE_CHECKING:
    from dynamo_lab.compiler.layout import Position
    from dynamo_lab.compiler.tensors import Closure, LazyTensor

aten, prims = torch.ops.aten, torch.ops.prims
_fills: Any = torch.utils.deterministic

Body = Callable[..., Value]


def _expression(body: Body, *, heavy: bool = False, compares: bool = False) -> Rule:
    """A rule that is no more than an expression of its operands."""

    def lower(call: Call, *operands: Operand, **named: Any) -> LazyTensor:
        computed = computed_in(promoted(*operands)) if compares else None
        return pointwise(
            call, operands, lambda *v: body(*v, **named), computed=computed, heavy=heavy
        )

    return lower


def _enter(packet: Any, body: Body, *, heavy: bool = False, compares: bool = False) -> None:
    """An expression for the overloads of tensors, and of a tensor and a number."""
    made = _expression(body, heavy=heavy, compares=compares)
    for name in ("default", "Tensor", "Scalar", "Tensor_Scalar"):
        if overload := getattr(packet, name, None):
            RULES[overload] = made


def _named(name: str) -> Body:
    return lambda *values: apply(name, *values)


def _scaled(sign: str) -> Body:
    def body(a: Value, b: Value, alpha: Any = 1) -> Value:
        if isinstance(alpha, int | float):
            return apply(sign, a, b if alpha == 1 else apply("mul", b, alpha))
        return apply(sign, a, apply("mul", b, number(alpha, b.dtype)))

    return body


_SAME_NAME = """abs acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh div erf erfc exp
exp2 expm1 floor hypot log log10 log1p log2 mul neg round rsqrt sin sinh sqrt tan tanh trunc"""

for _name in _SAME_NAME.split():
    _enter(getattr(aten, _name), _named(_name), heavy=OPERATORS[_name].heavy)
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "signbit"):
    _enter(getattr(aten, _name), _named(_name), compares=True)
for _name in ("and", "or", "xor"):
    _enter(getattr(aten, f"bitwise_{_name}"), _named(_name))
    _enter(
        getattr(aten, f"logical_{_name}"),
        lambda a, b, name=_name: apply(name, cast(a, torch.bool), cast(b, torch.bool)),
        compares=True,
    )
_enter(aten.add, _scaled("add"))
_enter(aten.sub, _scaled("sub"))
_enter(aten.maximum, _named("max"))
_enter(aten.minimum, _named("min"))
_enter(aten.fmax, lambda a, b: _present("max", a, b))
_enter(aten.fmin, lambda a, b: _present("min", a, b))
_enter(aten.bitwise_left_shift, _named("shl"))
_enter(aten.bitwise_right_shift, _named("shr"))
_enter(aten.bitwise_not, _named("invert"))
_enter(aten.reciprocal, lambda v: 1.0 / v)
_enter(aten.sigmoid, lambda v: 1.0 / (1.0 + apply("exp", -v)), heavy=True)
_enter(aten.relu, lambda v: apply("max", v, 0))
_enter(aten.logical_not, lambda v: apply("not", cast(v, torch.bool)), compares=True)
_enter(aten.isnan, lambda v: apply("ne", v, v), compares=True)
_enter(aten.isinf, lambda v: apply("eq", _magnitude(v), math.inf), compares=True)
_enter(aten.addcmul, lambda a, b, c, value=1: a + apply("mul", b * c, value))
_enter(aten.addcdiv, lambda a, b, c, value=1: a + apply("mul", b / c, value))
# written by Dynamo itself, and registered when it is first needed: known by name
RULES["prims.fma.default"] = _expression(lambda a, b, c: a * b + c)


def _present(how: str, a: Value, b: Value) -> Value:
    """The extreme of two values; of a NaN and a number the number."""
    either = apply(how, a, b)
    if a.dtype not in FLOATS:
        return either
    return where(apply("ne", a, a), b, where(apply("ne", b, b), a, either))


def _magnitude(v: Value) -> Value:
    if v.dtype not in FLOATS:
        raise Unsupported("infinity of integers")
    return apply("abs", v)


@rule(aten.angle.default)
def _angle(call: Call, x: LazyTensor) -> LazyTensor:
    """Of a real number: pi where it is negative, else 0; of a NaN itself."""

    def body(v: Value) -> Value:
        turned = where(apply("lt", v, 0), const(math.pi, v.dtype), const(0, v.dtype))
        return where(apply("ne", v, v), v, turned)

    return pointwise(call, [x], body)


@rule(aten.sign.default)
def _sign(call: Call, x: LazyTensor) -> LazyTensor:
    def body(v: Value) -> Value:
        if v.dtype is torch.bool:
            return v
        either = cast(apply("gt", v, 0), v.dtype) - cast(apply("lt", v, 0), v.dtype)
        return where(apply("ne", v, v), v, either) if v.dtype in FLOATS else either

    return pointwise(call, [x], body)


@rule(aten.gelu.default)
def _gelu(call: Call, x: LazyTensor, approximate: str = "none") -> LazyTensor:
    """Hendrycks and Gimpel, "Gaussian Error Linear Units", equations 1 and 2."""

    def body(v: Value) -> Value:
        if approximate == "tanh":
            inner = (v + v * v * v * 0.044715) * math.sqrt(2 / math.pi)
            return v * 0.5 * (1.0 + apply("tanh", inner))
        return v * 0.5 * (1.0 + apply("erf", v * math.sqrt(0.5)))

    return pointwise(call, [x], body, heavy=True)


@rule(aten.round.decimals)
def _round_to(call: Call, x: LazyTensor, *, decimals: int = 0) -> LazyTensor:
    if call.meta.dtype not in FLOATS:
        raise Unsupported("decimals of integers")
    scale = 10.0 ** abs(decimals)
    to, back = ("mul", "div") if decimals > 0 else ("div", "mul")
    return pointwise(call, [x], lambda v: apply(back, apply("round", apply(to, v, scale)), scale))


@rule(aten.pow.Tensor_Scalar, aten.pow.Tensor_Tensor, aten.pow.Scalar)
def _pow(call: Call, base: Operand, exponent: Operand) -> LazyTensor:
    if isinstance(exponent, int | float) and exponent in (1, 2, 3):
        times = int(exponent)
        return pointwise(call, [base], lambda v: functools.reduce(operator.mul, [v] * times))
    if call.meta.dtype not in FLOATS:
        raise Unsupported("a power of integers")
    if exponent == 0.5:
        return pointwise(call, [base], lambda v: apply("sqrt", v))
    return pointwise(call, [base, exponent], lambda a, b: apply("pow", a, b), heavy=True)


@rule(aten.clamp.default, aten.clamp.Tensor)
def _clamp(
    call: Call, x: LazyTensor, low: Operand | None = None, high: Operand | None = None, **named: Any
) -> LazyTensor:
    given = {"max": named.get("min", low), "min": named.get("max", high)}
    bounds = {how: bound for how, bound in given.items() if bound is not None}

    def body(v: Value, *values: Value) -> Value:
        for how, bound in zip(bounds, values, strict=True):
            v = apply(how, v, bound)
        return v

    return pointwise(call, [x, *bounds.values()], body)


@rule(aten.where.self)
def _where(call: Call, condition: LazyTensor, a: Operand, b: Operand) -> LazyTensor:
    asked = reader(condition, call.meta.size, torch.bool)
    return where_true(call, asked, a, b, [condition])


def where_true(
    call: Call, asked: Closure, a: Operand, b: Operand, parents: list[LazyTensor]
) -> LazyTensor:
    """The first operand where a closure says so, else the second."""
    meta, dtype = call.meta, computed_in(call.meta.dtype)
    then, other = reader(a, meta.size, dtype), reader(b, meta.size, dtype)

    def closure(at: Position) -> Value:
        return where(asked(at), then(at), other(at))

    return call.tensor(closure, [*parents, *tensors([a, b])])


@rule(
    prims.convert_element_type.default,
    aten._to_copy.default,
    aten.clone.default,
    aten.lift_fresh_copy.default,
)
def _convert(call: Call, x: LazyTensor, *_: Any, **__: Any) -> LazyTensor:
    if call.meta.device != x.device:
        raise Unsupported("a copy to another device")
    # an element of a half is a float32 here: converted down it must be rounded, not passed on
    dtype = call.meta.dtype
    if dtype != x.dtype and computed_in(dtype) != dtype:
        return pointwise(call, [x], lambda v: cast(cast(v, dtype), computed_in(dtype)))
    return pointwise(call, [x], lambda v: v)


@rule(aten.copy.default)
def _copy(call: Call, _: LazyTensor, source: LazyTensor, *__: Any) -> LazyTensor:
    return pointwise(call, [source], lambda v: v)


@rule(aten.full.default, aten.full_like.default, aten.scalar_tensor.default)
def _full(call: Call, *args: Any, **_: Any) -> LazyTensor:
    value = args[0] if len(args) == 1 else args[1]
    return call.tensor(lambda at: number(value, computed_in(call.meta.dtype)), [])


@rule(
    aten.empty.memory_format,
    aten.empty_permuted.default,
    aten.empty_strided.default,
    aten.new_empty_strided.default,
)
def _empty(call: Call, *_: Any, **__: Any) -> LazyTensor:
    """What it holds is not defined: zeros, which cost nothing where they are not read.

    Or what PyTorch puts there where it is asked for nothing that chance decides.
    """
    dtype, held = call.meta.dtype, 0.0
    if torch.are_deterministic_algorithms_enabled() and _fills.fill_uninitialized_memory:
        held = unlikely(dtype)
    return call.tensor(lambda at: const(held, computed_in(dtype)), [])


@rule(aten.arange.start_step, prims.iota.default)
def _arange(call: Call, first: Any, *args: Any, start: Any = None, step: Any = 1, **_: Any) -> Any:
    if start is None:
        start, step = first, args[1] if len(args) > 1 else 1
    if not all(isinstance(x, int | Index) for x in (start, step)):
        raise Unsupported("a range of floats")
    return call.tensor(lambda at: index(at[0] * step + start, computed_in(call.meta.dtype)), [])
