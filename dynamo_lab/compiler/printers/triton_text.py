"""Triton's words: types, constants, the helpers before the kernels, and how one is launched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler import operators

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.compiler.index import Size

TYPES = {dtype: f"tl.{str(dtype)[6:]}" for dtype in operators.TYPES} | {torch.bool: "tl.int1"}

JOIN = {
    "sum": "{a} + {x}",
    "prod": "{a} * {x}",
    "max": "larger({a}, {x})",
    "min": "smaller({a}, {x})",
}
REDUCE = {
    "sum": "tl.sum({x}, 1, keep_dims=True)",
    "prod": "tl.reduce({x}, 1, multiplied, keep_dims=True)",
    "max": "tl.reduce({x}, 1, larger, keep_dims=True)",
    "min": "tl.reduce({x}, 1, smaller, keep_dims=True)",
}


def constant(written: str, dtype: torch.dtype, shape: str) -> str:
    """A constant as a block of this shape, so that it has its own type."""
    if dtype in operators.FLOATS and ("inf" in written or "nan" in written):
        written = f'float("{written}")'
    return f"tl.full({shape}, {written}, {TYPES[dtype]})"


PRELUDE = '''\
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def larger(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def smaller(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def multiplied(a, b):
    return a * b


@triton.jit
def square_root(a):
    if a.dtype == tl.float32:
        return tl.sqrt_rn(a)
    else:
        return tl.sqrt(a)


@triton.jit
def signed_as(rest, divisor):
    """The remainder with the divisor's sign, of one with the dividend's."""
    return tl.where((rest != 0) & ((rest < 0) != (divisor < 0)), rest + divisor, rest)


@triton.jit
def remainder_of(a, b):
    return signed_as(libdevice.fmod(a, b), b)


@triton.jit
def remainder_of_integers(a, b):
    return signed_as(a % b, b)


@triton.jit
def shift_left(a, b):
    fits = (b >= 0) & (b < a.dtype.primitive_bitwidth)
    return tl.where(fits, a << tl.where(fits, b, 0), 0)


@triton.jit
def shift_right(a, b):
    fits = (b >= 0) & (b < a.dtype.primitive_bitwidth)
    moved = a >> tl.where(fits, b, a.dtype.primitive_bitwidth - 1)
    return tl.where(fits | (a < 0), moved, 0)


@triton.jit
def checked(at, size, mask):
    """An index that counts from the end if it is negative; beyond, the kernel stops."""
    at = tl.where(at < 0, at + size, at)
    fits = (at >= 0) & (at < size)
    tl.device_assert(fits | (mask == 0), "index out of range")
    return tl.where(fits, at, 0)
'''
"""What stands before the kernels of a module."""


@dataclass(frozen=True)
class Launch:
    """How a kernel is started: `function[grid(sizes)](*arguments, **constexprs, **options)`."""

    programs: Size
    """How many outer positions there are, without those of `down`."""
    constexprs: dict[str, int] = field(default_factory=dict[str, int])
    rows: dict[str, tuple[torch.dtype, Size]] = field(
        default_factory=dict[str, tuple[torch.dtype, "Size"]]
    )
    """Memory that the caller allocates for values between rounds: type and number of elements."""
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    """What Triton's compiler is told: how many warps, and to keep eager's rounding."""
    down: Size | None = None
    """The size of the loop that is the second dimension of a block, where no row is."""

    def grid(self, sizes: Mapping[str, int]) -> tuple[int]:
        """The number of programs, for these sizes of the run time; 0 needs no launch."""
        blocks = -(-ix.evaluated(self.programs, sizes) // self.constexprs["XBLOCK"])
        if self.down is not None:
            blocks *= -(-ix.evaluated(self.down, sizes) // self.constexprs["RBLOCK"])
        return (blocks,)
