"""What stands before the kernels of a C file.

In place of headers, which would take longer to read than the kernels to compile.
"""

from __future__ import annotations

import ctypes
import functools
import platform

from dynamo_lab.compiler.operators import OPERATORS

_TYPES = (
    ("float", "-__builtin_inff()", "__builtin_inff()"),
    ("double", "-__builtin_inf()", "__builtin_inf()"),
    ("long", "(-0x7fffffffffffffffL - 1)", "0x7fffffffffffffffL"),
    ("int", "(-0x7fffffff - 1)", "0x7fffffff"),
    ("short", "(-0x7fff - 1)", "0x7fff"),
    ("signed_char", "(-128)", "127"),
    ("unsigned_char", "0", "255"),
)

_HELPERS = """\
typedef struct { unsigned short bits; } bf16;
static inline float from_bf16(bf16 h) {
  union { unsigned u; float f; } c; c.u = (unsigned)h.bits << 16; return c.f;
}
static inline bf16 to_bf16(float x) {  /* to nearest, ties to even */
  union { float f; unsigned u; } c; c.f = x; bf16 r;
  r.bits = x != x ? 0x7fc0 : (c.u + 0x7fff + ((c.u >> 16) & 1)) >> 16; return r;
}
static inline long checked(long at, long size, int* out_of_range) {
  at = at < 0 ? at + size : at;
  if ((unsigned long)at >= (unsigned long)size) { *out_of_range = 1; return 0; }
  return at;
}
#define PRAGMA(x) _Pragma(#x)
#ifdef __clang__
#define UNROLL(n) PRAGMA(clang loop unroll_count(n))
#else
#define UNROLL(n) PRAGMA(GCC unroll n)
#endif
#define LARGER_F(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER_F(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#define LARGER_I(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER_I(a, b) ((a) < (b) ? (a) : (b))
#define MAXN LARGER_F
#define MINN SMALLER_F
#define LEAST(t) LEAST_##t
#define MOST(t) MOST_##t
#define SHL(t, a, b) ((unsigned long)(b) >= sizeof(t) * 8 ? 0 : (t)((a) << (b)))
#define REMAINDER(a, b) ((a) % (b) + ((a) % (b) != 0 && ((a) % (b) < 0) != ((b) < 0) ? (b) : 0))
#define WIDTH(t) (sizeof(t) * 8 - ((t)-1 < 0))
#define SHR(t, a, b) ((t)((a) >> ((unsigned long)(b) >= WIDTH(t) ? WIDTH(t) : (b))))
static inline float remainder_off(float a, float b) {
  float r = __builtin_fmodf(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static inline double remainder_of(double a, double b) {
  double r = __builtin_fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
"""


@functools.cache
def prelude() -> str:
    """Helpers, and the mathematical functions: for vectors where this machine has them so."""
    lines = [_HELPERS]
    for kind, least, most in _TYPES:
        name, letter = kind.replace("_", " "), "F" if kind in ("float", "double") else "I"
        lines += [f"#define LEAST_{kind} {least}", f"#define MOST_{kind} {most}"]
        for clause, how, first in (("larger", "LARGER", least), ("smaller", "SMALLER", most)):
            lines.append(
                f"#pragma omp declare reduction({clause}: {name}: "
                f"omp_out = {how}_{letter}(omp_out, omp_in)) initializer(omp_priv = {first})"
            )
    for row in OPERATORS.values():
        if row.c.floats.startswith(f"{row.name}{{f}}"):
            lines += _declared(row.name, row.operands)
    return "\n".join(lines) + "\n"


def _declared(name: str, operands: int) -> list[str]:
    simd = '__attribute__((simd("notinbranch"), const)) '
    found: list[str] = []
    for kind, suffix, lanes in (("float", "f", 8), ("double", "", 4)):
        parameters = ", ".join([kind] * operands)
        vector = f"_ZGVdN{lanes}{'v' * operands}_{name}{suffix}"
        attribute = simd if has_vector(vector) else "__attribute__((const)) "
        found.append(f"{attribute}{kind} {name}{suffix}({parameters});")
    return found


def has_vector(name: str) -> bool:
    """Does the C library have this function for vectors?"""
    library = _libmvec()
    return library is not None and hasattr(library, name)


@functools.cache
def _libmvec() -> ctypes.CDLL | None:
    """Glibc's vector functions, which x86-64 has since 2.22 and most of them since 2.35."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return None
    try:
        return ctypes.CDLL("libmvec.so.1")
    except OSError:
        return None


def has_vector_functions() -> bool:
    """Does the C library have functions for vectors at all?"""
    return _libmvec() is not None
