"""Rules of quotients that are rounded, and of remainders."""

from __future__ import annotations

import torch

from dynamo_lab.compiler.body import Value, apply, cast, const, where
from dynamo_lab.compiler.index import Index
from dynamo_lab.compiler.operators import FLOATS, HALVES
from dynamo_lab.compiler.rules.table import Call, Named, Operand, pointwise, rule
from dynamo_lab.compiler.tensors import LazyTensor
from dynamo_lab.compiler.work import Unsupported

aten = torch.ops.aten


@rule(aten.remainder.Scalar, aten.remainder.Tensor)
def _remainder(call: Call, x: Operand, divisor: Operand) -> LazyTensor:
    _needs_safe_divisor(call, divisor)
    return pointwise(call, [x, divisor], lambda a, b: apply("remainder", a, b))


@rule(aten.fmod.Scalar, aten.fmod.Tensor)
def _fmod(call: Call, x: Operand, divisor: Operand) -> LazyTensor:
    _needs_safe_divisor(call, divisor)
    return pointwise(call, [x, divisor], lambda a, b: apply("fmod", a, b))


@rule(aten.div.Tensor_mode, aten.div.Scalar_mode, aten.floor_divide.default)
def _div(
    call: Call, x: Operand, divisor: Operand, rounding_mode: str | None = "floor"
) -> LazyTensor:
    if rounding_mode is None:
        return pointwise(call, [x, divisor], lambda a, b: a / b)
    if call.meta.dtype in FLOATS:
        dtype = call.meta.dtype
        if rounding_mode == "trunc":  # eager rounds the quotient of halves before it is cut
            return pointwise(
                call, [x, divisor], lambda a, b: apply("trunc", cast(cast(a / b, dtype), a.dtype))
            )
        if dtype in HALVES:  # and there each step of the correction too
            raise Unsupported("division of halves rounded down")
        return pointwise(call, [x, divisor], _rounded_down)
    _needs_safe_divisor(call, divisor)

    def body(a: Value, b: Value) -> Value:
        quotient = apply("intdiv", a, b)
        if rounding_mode == "trunc":
            return quotient
        return apply("sub", quotient, cast(_is_less(apply("fmod", a, b), b), a.dtype))

    return pointwise(call, [x, divisor], body)


def _is_less(rest: Value, b: Value) -> Value:
    """Rounded down, a quotient is one less: where there is a rest of another sign than `b`."""
    return apply("and", apply("ne", rest, 0), apply("ne", apply("lt", rest, 0), apply("lt", b, 0)))


def _rounded_down(a: Value, b: Value) -> Value:
    """The quotient of floats rounded down, by the exact remainder: a / b may round up."""
    rest = apply("fmod", a, b)
    near = (a - rest) / b - cast(_is_less(rest, b), a.dtype)
    floor = apply("floor", near)
    floor = floor + cast(apply("gt", near - floor, 0.5), a.dtype)
    zero = apply("copysign", const(0, a.dtype), a / b)  # has the sign of the quotient
    return where(apply("eq", b, 0), a / b, where(apply("eq", near, 0), zero, floor))


def _needs_safe_divisor(call: Call, divisor: Operand) -> None:
    """Integers divided by 0, and the least one by -1, end a process in C; ATen raises or wraps."""
    if call.meta.dtype in FLOATS:
        return
    if isinstance(divisor, LazyTensor | Named | Index) or divisor in (0, -1):
        raise Unsupported("integers divided by what may be 0 or -1")
