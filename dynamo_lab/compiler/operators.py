"""The operators of the loop IR: what each means, and how each target writes it.

The table is the specification. A printer has no case for an operator that is in it, so a new one
is one row. In a template `{0}` and `{1}` are the operands as written, `{f}` is C's suffix of a
function for float32, `{t}` the type of the result. Where integers are written otherwise, there are
two.

A value has the type that it is computed in: bfloat16 and float16 are read as float32 and rounded
when they are stored, as Inductor does it; integers wrap around in their own width; a bool is 0 or
1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

Result = Literal["same", "bool", "given"]


@dataclass(frozen=True)
class Spelling:
    """How a target writes an operator: for floats, and for integers where that differs."""

    floats: str
    integers: str = ""

    def of(self, *, is_float: bool) -> str:
        """The template for operands of this kind."""
        return self.floats if is_float or not self.integers else self.integers


@dataclass(frozen=True)
class Operator:
    """One operator: its operands have one type, the result has it too unless said otherwise."""

    name: str
    operands: int
    meaning: str
    c: Spelling
    triton: Spelling
    metal: Spelling
    result: Result = "same"
    heavy: bool = False
    """Worth storing when several read it: computing it again costs more than memory."""


FLOATS = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
HALVES = frozenset({torch.float16, torch.bfloat16})
INTEGERS = frozenset({torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64})
TYPES = FLOATS | INTEGERS | {torch.bool}
"""What the loop IR computes with; what has another type is left to ATen."""


def computed_in(dtype: torch.dtype) -> torch.dtype:
    """The type of a value of a tensor of this type."""
    return torch.float32 if dtype in HALVES else dtype


def _row(
    name: str,
    operands: int,
    meaning: str,
    c: str | tuple[str, str],
    triton: str | tuple[str, str],
    metal: str | tuple[str, str],
    result: Result = "same",
    heavy: bool = False,
) -> Operator:
    spellings = [Spelling(*((s,) if isinstance(s, str) else s)) for s in (c, triton, metal)]
    return Operator(name, operands, meaning, *spellings, result=result, heavy=heavy)


def _infix(name: str, sign: str, meaning: str, result: Result = "same") -> Operator:
    text = f"{{0}} {sign} {{1}}"
    return _row(name, 2, meaning, text, text, text, result)


def _function(
    name: str, meaning: str, triton: str = "", metal: str = "", operands: int = 1
) -> Operator:
    """A function of the C library, which glibc has for vectors as well."""
    listed = ", ".join(f"{{{n}}}" for n in range(operands))
    return _row(
        name,
        operands,
        meaning,
        f"{name}{{f}}({listed})",
        triton or f"libdevice.{name}({listed})",
        metal or f"{name}({listed})",
        heavy=True,
    )


_LARGER = "tl.{0}imum({{0}}, {{1}}, propagate_nan=tl.PropagateNan.ALL)"

_ROWS = (
    # arithmetic
    _infix("add", "+", "sum"),
    _infix("sub", "-", "difference"),
    _infix("mul", "*", "product"),
    _row("div", 2, "quotient of floats", "{0} / {1}", "{0} / {1}", "{0} / {1}"),
    _row(
        "intdiv",
        2,
        "quotient of integers, rounded towards zero; the divisor is a constant other than 0 and -1",
        "{0} / {1}",
        "{0} // {1}",
        "{0} / {1}",
    ),
    _row(
        "remainder",
        2,
        "remainder with the divisor's sign, Python's %",
        ("remainder_of{f}({0}, {1})", "REMAINDER({0}, {1})"),
        ("remainder_of({0}, {1})", "remainder_of_integers({0}, {1})"),
        ("remainder_of({0}, {1})", "remainder_of_integers({0}, {1})"),
    ),
    _row(
        "fmod",
        2,
        "remainder with the dividend's sign, C's fmod",
        ("__builtin_fmod{f}({0}, {1})", "{0} % {1}"),
        ("libdevice.fmod({0}, {1})", "{0} % {1}"),
        ("fmod({0}, {1})", "{0} % {1}"),
    ),
    _row("neg", 1, "the negative", "-{0}", "-{0}", "-{0}"),
    _row(
        "abs",
        1,
        "magnitude",
        ("__builtin_fabs{f}({0})", "({t})({0} < 0 ? -{0} : {0})"),
        "tl.abs({0})",
        ("fabs({0})", "abs({0})"),
    ),
    _row(
        "max",
        2,
        "the larger; NaN if one is NaN",
        ("MAXN({0}, {1})", "({0} > {1} ? {0} : {1})"),
        (_LARGER.format("max"), "tl.maximum({0}, {1})"),
        ("larger({0}, {1})", "max({0}, {1})"),
    ),
    _row(
        "min",
        2,
        "the smaller; NaN if one is NaN",
        ("MINN({0}, {1})", "({0} < {1} ? {0} : {1})"),
        (_LARGER.format("min"), "tl.minimum({0}, {1})"),
        ("smaller({0}, {1})", "min({0}, {1})"),
    ),
    # bits
    _row("and", 2, "bits of both; of bools: both", "{0} & {1}", "{0} & {1}", "{0} & {1}"),
    _row("or", 2, "bits of either; of bools: either", "{0} | {1}", "{0} | {1}", "{0} | {1}"),
    _row("xor", 2, "bits of one; of bools: one", "{0} ^ {1}", "{0} ^ {1}", "{0} ^ {1}"),
    _row("invert", 1, "every bit the other way; not for bools", "~{0}", "~{0}", "~{0}"),
    _row("not", 1, "not, of a bool", "!{0}", "{0} == 0", "!{0}", "bool"),
    _row(
        "shl",
        2,
        "bits moved up; all gone beyond the width",
        "SHL({t}, {0}, {1})",
        "shift_left({0}, {1})",
        "shift_left({0}, {1})",
    ),
    _row(
        "shr",
        2,
        "bits moved down, the sign kept",
        "SHR({t}, {0}, {1})",
        "shift_right({0}, {1})",
        "shift_right({0}, {1})",
    ),
    # comparisons
    _infix("eq", "==", "equal", "bool"),
    _infix("ne", "!=", "not equal; NaN is not equal to itself", "bool"),
    _infix("lt", "<", "less", "bool"),
    _infix("le", "<=", "less or equal", "bool"),
    _infix("gt", ">", "greater", "bool"),
    _infix("ge", ">=", "greater or equal", "bool"),
    # rounding and roots
    _row(
        "floor",
        1,
        "rounded down",
        ("__builtin_floor{f}({0})", "{0}"),
        ("tl.floor({0})", "{0}"),
        ("floor({0})", "{0}"),
    ),
    _row(
        "ceil",
        1,
        "rounded up",
        ("__builtin_ceil{f}({0})", "{0}"),
        ("tl.ceil({0})", "{0}"),
        ("ceil({0})", "{0}"),
    ),
    _row(
        "trunc",
        1,
        "rounded towards zero",
        ("__builtin_trunc{f}({0})", "{0}"),
        ("libdevice.trunc({0})", "{0}"),
        ("trunc({0})", "{0}"),
    ),
    _row(
        "round",
        1,
        "rounded, halves to even",
        ("__builtin_rint{f}({0})", "{0}"),
        ("libdevice.nearbyint({0})", "{0}"),
        ("rint({0})", "{0}"),
    ),
    _row("sqrt", 1, "square root", "__builtin_sqrt{f}({0})", "square_root({0})", "sqrt({0})"),
    _row(
        "rsqrt", 1, "1 / square root", "1 / __builtin_sqrt{f}({0})", "tl.rsqrt({0})", "rsqrt({0})"
    ),
    _row(
        "copysign",
        2,
        "the magnitude of the first with the sign of the second",
        "__builtin_copysign{f}({0}, {1})",
        "libdevice.copysign({0}, {1})",
        "copysign({0}, {1})",
    ),
    _row(
        "signbit",
        1,
        "is the sign set? True of -0.0",
        # not by __builtin_signbit: of a bfloat16, GCC 12 crashes on its vector code
        ("__builtin_copysign{f}(1, {0}) < 0", "{0} < 0"),
        ("libdevice.signbit({0}) != 0", "{0} < 0"),
        ("signbit({0})", "{0} < 0"),
        "bool",
    ),
    # functions
    _function("exp", "e to the power", "tl.exp({0})"),
    _function("exp2", "2 to the power", "tl.exp2({0})"),
    _function("expm1", "exp(x) - 1 without cancellation", metal="expm1_of({0})"),
    _function("log", "natural logarithm", "tl.log({0})"),
    _function("log1p", "log(1 + x) without cancellation", metal="log1p_of({0})"),
    _function("log2", "logarithm to base 2", "tl.log2({0})"),
    _function("log10", "logarithm to base 10"),
    _function("sin", "sine", "tl.sin({0})"),
    _function("cos", "cosine", "tl.cos({0})"),
    _function("tan", "tangent"),
    _function("asin", "arc sine"),
    _function("acos", "arc cosine"),
    _function("atan", "arc tangent"),
    _function("sinh", "hyperbolic sine"),
    _function("cosh", "hyperbolic cosine"),
    _function("tanh", "hyperbolic tangent"),
    _function("asinh", "inverse hyperbolic sine"),
    _function("acosh", "inverse hyperbolic cosine"),
    _function("atanh", "inverse hyperbolic tangent"),
    _function("erf", "error function", "tl.erf({0})", "erf_of({0})"),
    _function("erfc", "1 - erf(x) without cancellation", metal="erfc_of({0})"),
    _function("pow", "the first to the power of the second", operands=2),
    _function("atan2", "angle of the point (second, first)", operands=2),
    _function("hypot", "length of (first, second)", metal="hypot_of({0}, {1})", operands=2),
)

OPERATORS = {row.name: row for row in _ROWS}

STRUCTURE = {
    "load": "the element of a buffer, or 0 where the mask is false and nothing is read",
    "store": "writes the element of a buffer",
    "accumulate": "adds to the element of a buffer, one after the other where several do",
    "reduce": "joins the values of the inner loops by sum, prod, max or min",
    "const": "a number",
    "scalar": "a number that the program computes at run time",
    "index": "an index expression as a number",
    "checked": "an index read from a tensor: negative counts from the end, beyond is an IndexError",
    "cast": "converts: to an integer towards zero, to bool by `!= 0`",
    "where": "the second where the first is true, else the third",
}
"""The operators that each printer writes by itself, because they touch memory or control."""


def is_computed(dtype: torch.dtype) -> bool:
    """Has the loop IR this type? Complex and quantized types are left to ATen."""
    return dtype in TYPES
