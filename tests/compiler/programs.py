"""Small programs that between them use every construct of the loop IR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Case:
    run: Callable[..., Any]
    args: Callable[[], tuple[Any, ...]]
    is_dynamic: bool = False
    tolerance: float = 2e-5

    @property
    def least(self) -> float:
        """The difference that does not count: none where small numbers are what it is about."""
        return 1e-30 if self is EXACT else self.tolerance


def floats(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    seed = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(sizes, generator=seed).to(dtype)


def ints(*sizes: int, low: int = -50, high: int = 50, dtype: torch.dtype = torch.int64) -> Any:
    seed = torch.Generator().manual_seed(sum(sizes))
    return torch.randint(low, high, sizes, generator=seed).to(dtype)


def with_nans() -> torch.Tensor:
    x = floats(6, 33)
    x[1, 3] = x[4, 32] = float("nan")
    x[2, 5] = float("inf")
    return x


def functions(x):
    return [
        torch.exp(x), torch.expm1(x), torch.log1p(x.abs()), torch.tanh(x), torch.erf(x),
        torch.erfc(x), torch.rsqrt(x.abs() + 1), torch.sqrt(x.abs()), torch.sin(x), torch.cos(x),
        torch.log2(x.abs() + 1), torch.exp2(x), torch.atan2(x, x + 3), torch.hypot(x, x + 1),
        torch.pow(x.abs(), 1.7), torch.sigmoid(x), torch.asinh(x), torch.log10(x.abs() + 1),
    ]  # fmt: skip


def rounded(x):
    return [
        torch.floor(x * 3), torch.ceil(x * 3), torch.trunc(x * 3), torch.round(x * 2),
        torch.remainder(x, 0.7), torch.remainder(x, -0.7), torch.fmod(x, 0.7), torch.signbit(x),
        torch.copysign(x + 5, x), torch.sign(x), torch.isnan(x), x.to(torch.int32),
    ]  # fmt: skip


def of_integers(x):
    return [
        x % 7, x % -7, torch.fmod(x, 7), x // 7, torch.div(x, 7, rounding_mode="trunc"),
        x << 3, x >> 2, ~x, x & 12, x | 5, x ^ 3, x.abs(), torch.clamp(x, -9, 9), -x,
        x > 3, x.to(torch.float32) / 2, x.bool(), torch.floor(x),
    ]  # fmt: skip


def gathered(x, at):
    return torch.gather(x, 1, at) + 1, x[:, at[0]], F.embedding(at, x)


def joined(x, y):
    return torch.cat([x * 2, y + 1], 1), F.pad(x, (1, 2, 0, 3), value=2.5), torch.stack([x, x + 1])


def shifts(x, by):
    return torch.bitwise_left_shift(x, by), torch.bitwise_right_shift(x, by), x.abs() % 2**30


def in_place(x, y):
    x.mul_(2).add_(y)
    return x.sum(-1)


def column_in_place(x, y):
    x.mul_(2).add_(y.sum(1))
    return x * 3


def near_zero_and_far():
    x = torch.logspace(-8, 0.6, 500)
    special = [0.0, -0.0, torch.inf, -torch.inf, torch.nan, 20.0, -20.0, 0.5, -0.5]
    return torch.cat([x, -x, torch.tensor(special)])


_LONG = 5000

CASES = {
    "pointwise": Case(lambda x, y: F.gelu(x * 2 + y).relu() - y, lambda: (floats(7, 300),) * 2),
    "functions": Case(functions, lambda: (floats(129),)),
    "rounding": Case(rounded, lambda: (floats(131),)),
    "one number": Case(lambda x: (x.sin() + 1, x * 2), lambda: (floats(),)),
    "padded number": Case(lambda x: F.pad(x, (2, 3)) * 2, lambda: (floats(1),)),
    "filled where an index says": Case(
        lambda x, y: (
            x.index_fill(1, torch.tensor([0, 3], device=x.device), 2.0),
            x.scatter(1, y, 7.0),
        ),
        lambda: (floats(9, 5), ints(9, 1, low=0, high=5)),
    ),
    "broadcast": Case(
        lambda x, y, z: (x + y) * z, lambda: (floats(5, 1, 9), floats(7, 1), floats())
    ),
    "transposed": Case(lambda x, y: x.t() + y, lambda: (floats(33, 20), floats(20, 33))),
    "softmax": Case(lambda x: x.softmax(-1), lambda: (floats(6, 70),)),
    "log_softmax": Case(lambda x: x.log_softmax(1), lambda: (floats(3, 40, 5),)),
    "long softmax": Case(lambda x: (x * 2).softmax(-1), lambda: (floats(2, _LONG),)),
    "layer norm": Case(
        lambda x, w, b: F.layer_norm(x, (48,), w, b),
        lambda: (floats(4, 5, 48), floats(48), floats(48)),
    ),
    "long layer norm": Case(lambda x: F.layer_norm(x, (_LONG,)), lambda: (floats(3, _LONG),)),
    "batch norm": Case(
        lambda x: F.batch_norm(x, None, None, training=True), lambda: (floats(4, 3, 5, 6),)
    ),
    "row sums": Case(lambda x: (x.sum(1), x.mean(1), x.std(1)), lambda: (floats(9, 45),)),
    "column sums": Case(lambda x: (x.sum(0), x.amax(0)), lambda: (floats(50, 37),)),
    "long columns": Case(lambda x: x.sum(0), lambda: (floats(_LONG, 3),)),
    "full sums": Case(lambda x: (x.sum(), (x * x).mean(), x.amin()), lambda: (floats(40, 30),)),
    "extremes with NaN": Case(
        lambda x: (x.amax(1), x.amin(1), x.argmax(1)), lambda: (with_nans(),)
    ),
    "argmax": Case(lambda x: (x.argmax(1), x.argmin(), *x.max(0)), lambda: (floats(8, 21),)),
    "products": Case(lambda x: x.prod(1), lambda: (floats(5, 9),)),
    "any and all": Case(
        lambda x: ((x > 2).any(1), (x > -2).all(), x.bool().sum(0)), lambda: (floats(4, 50),)
    ),
    "joined and padded": Case(joined, lambda: (floats(4, 6), floats(4, 3))),
    "gathered": Case(gathered, lambda: (floats(6, 6), ints(6, 6, low=0, high=6))),
    "negative index": Case(lambda x, at: x[at], lambda: (floats(9, 5), ints(7, low=-9, high=9))),
    "int64": Case(of_integers, lambda: (ints(200),)),
    "int8": Case(of_integers, lambda: (ints(200, low=-120, high=128, dtype=torch.int8),)),
    "uint8": Case(
        lambda x: (x % 250, x + x, x.sum(), x.amax(), -x, x > 200, x // 7, x * 0.5, x.abs()),
        lambda: (ints(70, low=0, high=256, dtype=torch.uint8),),
    ),
    "int16": Case(of_integers, lambda: (ints(70, low=-999, high=999, dtype=torch.int16),)),
    "shifts": Case(
        shifts,
        lambda: (
            ints(64, dtype=torch.int32),
            ints(64, low=0, high=40, dtype=torch.int32),
        ),
    ),
    "bool": Case(
        lambda x: (x & ~x, x | x, x ^ x.flip(0), torch.where(x, 1, 2), x.int() + 1),
        lambda: (floats(50) > 0,),
    ),
    "bfloat16": Case(
        lambda x, y: (F.silu(x) * y).softmax(-1),
        lambda: (floats(5, 64, dtype=torch.bfloat16),) * 2,
        tolerance=2e-2,
    ),
    "float16": Case(
        lambda x: F.layer_norm(x * 2, (64,)) + x,
        lambda: (floats(5, 64, dtype=torch.float16),),
        tolerance=2e-3,
    ),
    "flip": Case(lambda x: x.flip(0, 1) * 2 + x, lambda: (floats(11, 13),)),
    "where": Case(
        lambda x, y: torch.where(x > y, x, y * 2).sum(-1), lambda: (floats(6, 30), floats(30))
    ),
    "a row's result in place": Case(column_in_place, lambda: (floats(6), floats(6, 30))),
    "in place": Case(in_place, lambda: (floats(6, 30), floats(6, 30))),
    "dynamic pointwise": Case(
        lambda x, y: (x * 2 + y)[:, 1:], lambda: (floats(7, 30), floats(30)), True
    ),
    "dynamic softmax": Case(lambda x: x.softmax(-1) * x.shape[1], lambda: (floats(7, 1300),), True),
    "dynamic norm": Case(
        lambda x: (x - x.mean((0, 2), True)) / x.std((0, 2), keepdim=True),
        lambda: (floats(4, 5, 6),),
        True,
    ),
    "dynamic cat": Case(
        lambda x, y: torch.cat([x, y]).flip(0), lambda: (floats(7, 3), floats(5, 3)), True
    ),
    "long sum": Case(lambda x: [x.sum(), x.amax(), x.argmax()], lambda: (floats(96, 128),)),
    "long rows": Case(lambda x: x.exp().mean(1), lambda: (floats(3, 4096),)),
    "long moments": Case(lambda x: F.group_norm(x, 2), lambda: (floats(2, 4, 40, 60),)),
    "tile": Case(lambda x: x.permute(2, 0, 1).contiguous() + 1, lambda: (floats(3, 40, 70),)),
    "dynamic tile": Case(lambda x: x.t().contiguous() * 2, lambda: (floats(45, 70),), True),
    "long columns in parts": Case(lambda x: x.var(0), lambda: (floats(2048, 6),), tolerance=1e-4),
}
EXACT = Case(
    lambda x: [
        *(torch.erf(x), torch.erfc(x), torch.expm1(x), torch.log1p(x)),
        *(torch.hypot(x * 1e30, x), torch.hypot(x, x * 1e-30)),
    ],
    lambda: (near_zero_and_far(),),
    tolerance=2e-6,
)
"""Functions that Metal has not, written out: no digits are lost near 0."""
DOUBLE = {
    "float64": Case(
        lambda x: (x.softmax(-1), x.sqrt(), x.std(0), x.erf()),
        lambda: (floats(9, 30).double().abs(),),
    ),
    "number of the run time": Case(
        lambda x, y: x * y.item(), lambda: (floats(9), floats(1).double()[0] + 0.1)
    ),
}
"""With float64, which Metal has not."""
BAD_INDEX = Case(lambda x, at: x[at] + 1, lambda: (floats(9, 5), torch.tensor([3, -10, 2])))
