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

import math
from dataclasses import dataclass

import torch

Spelled = str | tuple[str, str]
"""How a target writes an operator; where integers are written otherwise, for floats and for them.
"""


@dataclass(frozen=True)
class Operator:
    """One operator: its operands have one type."""

    name: str
    meaning: str
    c: Spelled
    triton: Spelled
    metal: Spelled
    gives_bool: bool = False
    """If not, the result has the operands' type."""
    heavy: bool = False
    """Worth storing when several read it: computing it again costs more than memory."""

    @property
    def operands(self) -> int:
        """How many it has."""
        return 2 if "{1}" in str(self.c) else 1

    def written(self, target: str, *, is_float: bool) -> str:
        """The template of a target for operands of this kind."""
        spelled: Spelled = getattr(self, target)
        return spelled if isinstance(spelled, str) else spelled[0 if is_float else 1]


FLOATS = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
HALVES = frozenset({torch.float16, torch.bfloat16})
INTEGERS = frozenset({torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64})
TYPES = FLOATS | INTEGERS | {torch.bool}
"""What the loop IR computes with; what has another type is left to ATen."""


def computed_in(dtype: torch.dtype) -> torch.dtype:
    """The type of a value of a tensor of this type."""
    return torch.float32 if dtype in HALVES else dtype


def unlikely(dtype: torch.dtype) -> float:
    """What memory is filled with to show where it is read too early: no number, or the largest."""
    if dtype.is_floating_point or dtype.is_complex:
        return math.nan
    return True if dtype is torch.bool else torch.iinfo(dtype).max


def _row(
    name: str, meaning: str, c: Spelled, triton: Spelled = "", metal: Spelled = "", **more: bool
) -> Operator:
    """An operator, in Triton written as in C and in Metal as in Triton, unless said."""
    return Operator(name, meaning, c, triton or c, metal or triton or c, **more)


def _function(
    name: str, meaning: str, triton: str = "", metal: str = "", given: str = "{0}"
) -> Operator:
    """A function of the C library, which glibc has for vectors as well."""
    call = f"({given})"
    in_triton, in_metal = triton or f"libdevice.{name}", metal or name
    return _row(name, meaning, f"{name}{{f}}{call}", in_triton + call, in_metal + call, heavy=True)


_BOTH = "{0}, {1}"

# fmt: off
_ROWS = (
    # arithmetic
    _row("add", "sum", "{0} + {1}"),
    _row("sub", "difference", "{0} - {1}"),
    _row("mul", "product", "{0} * {1}"),
    _row("div", "quotient of floats", "{0} / {1}"),
    _row("intdiv", "quotient of integers, rounded towards zero, by a constant other than 0 and -1",
         "{0} / {1}", "{0} // {1}", "{0} / {1}"),
    _row("remainder", "remainder with the divisor's sign, Python's %",
         ("remainder_of{f}({0}, {1})", "REMAINDER({0}, {1})"),
         ("remainder_of({0}, {1})", "remainder_of_integers({0}, {1})")),
    _row("fmod", "remainder with the dividend's sign, C's fmod",
         ("__builtin_fmod{f}({0}, {1})", "{0} % {1}"), ("libdevice.fmod({0}, {1})", "{0} % {1}"),
         ("fmod({0}, {1})", "{0} % {1}")),
    _row("neg", "the negative", "-{0}"),
    _row("abs", "magnitude",
         ("__builtin_fabs{f}({0})", "({t})({0} < 0 ? -{0} : {0})"), "tl.abs({0})",
         ("fabs({0})", "abs({0})")),
    _row("max", "the larger; NaN if one is NaN",
         ("MAXN({0}, {1})", "({0} > {1} ? {0} : {1})"), "larger({0}, {1})"),
    _row("min", "the smaller; NaN if one is NaN",
         ("MINN({0}, {1})", "({0} < {1} ? {0} : {1})"), "smaller({0}, {1})"),
    # bits
    _row("and", "bits of both; of bools: both", "{0} & {1}"),
    _row("or", "bits of either; of bools: either", "{0} | {1}"),
    _row("xor", "bits of one; of bools: one", "{0} ^ {1}"),
    _row("invert", "every bit the other way; not for bools", "~{0}"),
    _row("not", "not, of a bool", "!{0}", "{0} == 0", "!{0}", gives_bool=True),
    _row("shl", "bits moved up; all gone beyond the width",
         "SHL({t}, {0}, {1})", "shift_left({0}, {1})"),
    _row("shr", "bits moved down, the sign kept", "SHR({t}, {0}, {1})", "shift_right({0}, {1})"),
    # comparisons
    _row("eq", "equal", "{0} == {1}", gives_bool=True),
    _row("ne", "not equal; NaN is not equal to itself", "{0} != {1}", gives_bool=True),
    _row("lt", "less", "{0} < {1}", gives_bool=True),
    _row("le", "less or equal", "{0} <= {1}", gives_bool=True),
    _row("gt", "greater", "{0} > {1}", gives_bool=True),
    _row("ge", "greater or equal", "{0} >= {1}", gives_bool=True),
    # rounding and roots
    _row("floor", "rounded down",
         ("__builtin_floor{f}({0})", "{0}"), ("tl.floor({0})", "{0}"), ("floor({0})", "{0}")),
    _row("ceil", "rounded up",
         ("__builtin_ceil{f}({0})", "{0}"), ("tl.ceil({0})", "{0}"), ("ceil({0})", "{0}")),
    _row("trunc", "rounded towards zero",
         ("__builtin_trunc{f}({0})", "{0}"), ("libdevice.trunc({0})", "{0}"),
         ("trunc({0})", "{0}")),
    _row("round", "rounded, halves to even",
         ("__builtin_rint{f}({0})", "{0}"), ("libdevice.nearbyint({0})", "{0}"),
         ("rint({0})", "{0}")),
    _row("sqrt", "square root", "__builtin_sqrt{f}({0})", "square_root({0})", "sqrt({0})"),
    _row("rsqrt", "1 / square root", "1 / __builtin_sqrt{f}({0})", "tl.rsqrt({0})", "rsqrt({0})"),
    _row("copysign", "the magnitude of the first with the sign of the second",
         "__builtin_copysign{f}({0}, {1})", "libdevice.copysign({0}, {1})", "copysign({0}, {1})"),
    # not by __builtin_signbit: of a bfloat16, GCC 12 crashes on its vector code
    _row("signbit", "is the sign set? True of -0.0",
         ("__builtin_copysign{f}(1, {0}) < 0", "{0} < 0"),
         ("libdevice.signbit({0}) != 0", "{0} < 0"), ("signbit({0})", "{0} < 0"), gives_bool=True),
    # functions
    _function("exp", "e to the power", "tl.exp"),
    _function("exp2", "2 to the power", "tl.exp2"),
    _function("expm1", "exp(x) - 1 without cancellation", metal="expm1_of"),
    _function("log", "natural logarithm", "tl.log"),
    _function("log1p", "log(1 + x) without cancellation", metal="log1p_of"),
    _function("log2", "logarithm to base 2", "tl.log2"),
    _function("log10", "logarithm to base 10"),
    _function("sin", "sine", "tl.sin"),
    _function("cos", "cosine", "tl.cos"),
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
    _function("erf", "error function", "tl.erf", "erf_of"),
    _function("erfc", "1 - erf(x) without cancellation", metal="erfc_of"),
    _function("pow", "the first to the power of the second", given=_BOTH),
    _function("atan2", "angle of the point (second, first)", given=_BOTH),
    _function("hypot", "length of (first, second)", metal="hypot_of", given=_BOTH),
)
# fmt: on

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
