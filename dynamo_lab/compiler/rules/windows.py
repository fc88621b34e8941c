"""Rules of windows that slide over the last two dimensions: pooling, and its gradients.

A window's elements are written out one after the other, as many as it has: nothing is reduced, so
that a pooling is fused with what is around it. A gradient is a gather: each element asks the few
windows that it is in.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import Value, apply, cast, const, index, masked, where
from dynamo_lab.compiler.operators import FLOATS, computed_in
from dynamo_lab.compiler.rules.movement import every, stored_if_dear, within
from dynamo_lab.compiler.rules.table import Call, rule
from dynamo_lab.compiler.work import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dynamo_lab.compiler.index import Index, Size
    from dynamo_lab.compiler.layout import Position
    from dynamo_lab.compiler.tensors import LazyTensor

aten = torch.ops.aten

MOST_OF_A_WINDOW = 25
"""Elements that are written out, as Inductor does; of a larger window ATen takes care."""


@dataclass(frozen=True)
class Windows:
    """Windows over two dimensions: of each their size, step, padding and dilation.

    Of means also whether the padding counts, and what to divide by in place of the count.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    with_padding: bool = True
    divisor: int | None = None

    @classmethod
    def of(
        cls, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, *mean: Any
    ) -> Windows:
        """As a call names them: one number counts for both, and no step is the window's size."""
        made = cls(_two(kernel), _two(stride or kernel), _two(padding), _two(dilation), *mean)
        if math.prod(made.kernel) > MOST_OF_A_WINDOW:
            raise Unsupported(f"a window of more than {MOST_OF_A_WINDOW} elements")
        return made

    def start(self, at: Position) -> list[Index]:
        """Where a window begins, in the padding perhaps."""
        each = zip(at[-2:], self.stride, self.padding, strict=True)
        return [ix.of(i) * step - pad for i, step, pad in each]

    def places(self, at: Position) -> Iterator[list[Index]]:
        """Where the elements of a window lie, row by row."""
        down, across = self.start(at)
        for i, j in product(*map(range, self.kernel)):
            yield [down + i * self.dilation[0], across + j * self.dilation[1]]

    def around(self, at: Position) -> Iterator[list[Index]]:
        """The windows that an element may be in, in their order; some of them not there."""
        each = zip(at[-2:], self.stride, self.padding, strict=True)
        down, across = ((ix.of(i) + pad) // step for i, step, pad in each)
        many = (-(-n // step) for n, step in zip(self.kernel, self.stride, strict=True))
        for i, j in product(*(reversed(range(count)) for count in many)):
            yield [down - i, across - j]

    def mean(self, total: Value, at: Position, sizes: Sequence[Size]) -> Value:
        """A window's sum over how many elements it has."""
        if self.divisor:
            return apply("div", total, float(self.divisor))
        counts: list[Value] = []
        for d, first in enumerate(self.start(at)):
            pad = self.padding[d] if self.with_padding else 0
            end = apply("min", index(first + self.kernel[d]), index(ix.of(sizes[d]) + pad))
            counts.append(apply("sub", end, apply("max", index(first), -pad)))
        return apply("div", total, cast(counts[0] * counts[1], total.dtype))


def _two(given: Any) -> tuple[int, int]:
    listed = [given] if isinstance(given, int) else list(given)
    if not all(isinstance(one, int) for one in listed):
        raise Unsupported("a window that depends on the run")
    return listed[0], listed[-1]


def _total(values: Iterator[Value]) -> Value:
    return functools.reduce(lambda a, b: a + b, values)


@rule(aten.max_pool2d_with_indices.default)
def _max_pool(call: Call, x: LazyTensor, *window: Any) -> list[LazyTensor]:
    """The largest of each window, or NaN, and its place in the tensor: of equal ones the first."""
    windows, sizes = Windows.of(*window[:4]), x.size[-2:]
    source, dtype = stored_if_dear(x, (*call.meta.size, *windows.kernel)), computed_in(x.dtype)
    least = -math.inf if dtype in FLOATS else torch.iinfo(dtype).min

    def largest(at: Position) -> tuple[Value, Value]:
        best, best_at = const(least, dtype), const(-1, torch.int64)
        for place in windows.places(at):
            is_there = every(within(place, sizes))
            value = masked(is_there, lambda place=place: source([*at[:-2], *place]), least)
            better = apply("gt", value, best)
            if dtype in FLOATS:
                better = apply("or", better, apply("ne", value, value))
            # of a window of the least numbers alone it is the first that is in the tensor
            taken = apply("or", better, apply("and", apply("lt", best_at, 0), is_there))
            here = index(place[0] * sizes[1] + place[1])
            best, best_at = where(better, value, best), where(taken, here, best_at)
        return best, best_at

    return [
        call.tensor(lambda at, k=k: largest(at)[k], [source], meta=meta, cost=3)
        for k, meta in enumerate(call.metas)
    ]


@rule(aten.avg_pool2d.default)
def _avg_pool(
    call: Call, x: LazyTensor, kernel: Any, stride: Any = (), padding: Any = 0, *more: Any
) -> LazyTensor:
    windows, sizes = Windows.of(kernel, stride, padding, 1, *more[1:]), x.size[-2:]
    if x.dtype not in FLOATS:
        raise Unsupported("a mean of integers")
    source, dtype = stored_if_dear(x, (*call.meta.size, *windows.kernel)), computed_in(x.dtype)

    def closure(at: Position) -> Value:
        parts = (
            masked(every(within(place, sizes)), lambda place=place: source([*at[:-2], *place]), 0)
            for place in windows.places(at)
        )
        return windows.mean(_total(cast(part, dtype) for part in parts), at, sizes)

    return call.tensor(closure, [source], cost=3)


def _gathered(
    call: Call,
    parents: Sequence[LazyTensor],
    windows: Windows,
    from_window: Callable[[Position, list[Index]], Value],
) -> LazyTensor:
    """Of each element the sum of what it gets from the windows that it is in."""
    dtype = computed_in(call.meta.dtype)

    def closure(at: Position) -> Value:
        return _total(cast(from_window(at, one), dtype) for one in windows.around(at))

    return call.tensor(closure, [parent.realize() for parent in parents], cost=3)


@rule(aten.max_pool2d_with_indices_backward.default)
def _max_pool_backward(call: Call, grad: LazyTensor, x: LazyTensor, *more: Any) -> LazyTensor:
    *window, _, indices = more
    windows, sizes = Windows.of(*window), x.size[-2:]
    if windows.dilation != (1, 1):
        raise Unsupported("a gradient of windows with gaps")

    def from_window(at: Position, window: list[Index]) -> Value:
        place, mine = [*at[:-2], *window], index(at[-2] * sizes[1] + at[-1])
        is_there = every(within(window, grad.size[-2:]))
        chosen = masked(is_there, lambda: indices(place), -1)
        return masked(apply("eq", chosen, mine), lambda: grad(place), 0)

    return _gathered(call, [grad, indices], windows, from_window)


@rule(aten.avg_pool2d_backward.default)
def _avg_pool_backward(
    call: Call, grad: LazyTensor, x: LazyTensor, kernel: Any, stride: Any, padding: Any, *more: Any
) -> LazyTensor:
    windows, sizes = Windows.of(kernel, stride, padding, 1, *more[1:]), x.size[-2:]

    def from_window(at: Position, window: list[Index]) -> Value:
        place = (*at[:-2], *window)
        away = [i - first for i, first in zip(at[-2:], windows.start(place), strict=True)]
        is_in = every(within(window, grad.size[-2:]) + within(away, windows.kernel))
        return masked(is_in, lambda: windows.mean(grad(place), place, sizes), 0)

    return _gathered(call, [grad], windows, from_window)
