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
from dynamo_lab.compiler.rules.movement import stored_if_dear
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
    """Windows over two dimensions: of each their size, step, padding and dilation."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int] = (1, 1)

    @classmethod
    def of(cls, kernel: Any, stride: Any, padding: Any, dilation: Any = (1, 1)) -> Windows:
        """As a call names them: one number counts for both, and no step is the window's size."""
        made = cls(_two(kernel), _two(stride or kernel), _two(padding), _two(dilation))
        if math.prod(made.kernel) > MOST_OF_A_WINDOW:
            raise Unsupported(f"a window of more than {MOST_OF_A_WINDOW} elements")
        return made

    def places(self, at: Position) -> Iterator[tuple[Index, Index]]:
        """Where the elements of a window lie, row by row; some of them in the padding."""
        for offsets in product(*map(range, self.kernel)):
            places = (
                ix.of(at[d - 2]) * self.stride[d]
                + (offsets[d] * self.dilation[d] - self.padding[d])
                for d in (0, 1)
            )
            yield (next(places), next(places))

    def around(self, at: Position) -> Iterator[tuple[Index, Index]]:
        """The windows that an element may be in, in their order; some of them not there."""
        last = [(ix.of(at[d - 2]) + self.padding[d]) // self.stride[d] for d in (0, 1)]
        many = [range(-(-self.kernel[d] // self.stride[d])) for d in (0, 1)]
        for back in product(*map(reversed, many)):
            yield last[0] - back[0], last[1] - back[1]


def _two(given: Any) -> tuple[int, int]:
    listed = [given] if isinstance(given, int) else list(given)
    if not all(isinstance(one, int) for one in listed):
        raise Unsupported("a window that depends on the run")
    return listed[0], listed[-1]


def _within(place: Sequence[Index], sizes: Sequence[Size]) -> Value:
    """Whether a place is in the tensor."""
    found = [
        asked
        for at, n in zip(place, sizes, strict=True)
        for asked in (apply("ge", index(at), 0), apply("lt", index(at), index(n)))
    ]
    return functools.reduce(lambda a, b: apply("and", a, b), found)


def _total(values: Iterator[Value]) -> Value:
    return functools.reduce(lambda a, b: a + b, values)


@rule(aten.max_pool2d_with_indices.default)
def _max_pool(
    call: Call,
    x: LazyTensor,
    kernel: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    _: bool = False,
) -> list[LazyTensor]:
    """The largest of each window, or NaN, and its place in the tensor: of equal ones the first."""
    windows, sizes = Windows.of(kernel, stride, padding, dilation), x.size[-2:]
    source, dtype = stored_if_dear(x, (*call.meta.size, *windows.kernel)), computed_in(x.dtype)
    least = -math.inf if dtype in FLOATS else torch.iinfo(dtype).min

    def largest(at: Position) -> tuple[Value, Value]:
        best, best_at = const(least, dtype), const(-1, torch.int64)
        for place in windows.places(at):
            value = masked(_within(place, sizes), lambda p=place: source([*at[:-2], *p]), least)
            here = index(place[0] * sizes[1] + place[1])
            better = apply("gt", value, best)
            if dtype in FLOATS:
                better = apply("or", better, apply("ne", value, value))
            # of a window of infinities alone it is the first element that is in the tensor
            first = apply("and", apply("lt", best_at, 0), _within(place, sizes))
            best, best_at = (
                where(better, value, best),
                where(apply("or", better, first), here, best_at),
            )
        return best, best_at

    return [
        call.tensor(lambda at, k=k: largest(at)[k], [source], meta=call.metas[k]) for k in (0, 1)
    ]


@rule(aten.max_pool2d_with_indices_backward.default)
def _max_pool_backward(
    call: Call,
    grad: LazyTensor,
    x: LazyTensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    _: bool,
    indices: LazyTensor,
) -> LazyTensor:
    windows, sizes = Windows.of(kernel, stride, padding, dilation), x.size[-2:]
    if windows.dilation != (1, 1):
        raise Unsupported("a gradient of windows with gaps")

    def from_window(at: Position, window: Sequence[Index]) -> Value:
        mine = index(ix.of(at[-2]) * sizes[1] + at[-1])
        place = [*at[:-2], *window]
        is_there = _within(window, grad.size[-2:])
        chosen = masked(is_there, lambda: indices(place), -1)
        return masked(apply("eq", chosen, mine), lambda: grad(place), 0)

    return _gathered(call, [grad, indices], windows, from_window)


def _gathered(
    call: Call,
    parents: Sequence[LazyTensor],
    windows: Windows,
    from_window: Callable[[Position, Sequence[Index]], Value],
) -> LazyTensor:
    """Of each element the sum of what it gets from the windows that it is in."""
    dtype = computed_in(call.meta.dtype)

    def closure(at: Position) -> Value:
        return _total(cast(from_window(at, one), dtype) for one in windows.around(at))

    for parent in parents:
        parent.realize()
    return call.tensor(closure, parents, cost=3)


def _count(
    windows: Windows,
    at: Position,
    sizes: Sequence[Size],
    divisor: int | None,
    *,
    with_padding: bool,
) -> Value | float:
    """By how much the sum of a window is divided: its elements, those of the padding or not."""
    if divisor:
        return float(divisor)
    pads = windows.padding if with_padding else (0, 0)
    counts: list[Value] = []
    for d in (0, 1):
        first = ix.of(at[d - 2]) * windows.stride[d] - windows.padding[d]
        last = apply("min", index(first + windows.kernel[d]), index(ix.of(sizes[d]) + pads[d]))
        counts.append(apply("sub", last, apply("max", index(first), -pads[d])))
    return cast(counts[0] * counts[1], torch.float32)


@rule(aten.avg_pool2d.default)
def _avg_pool(
    call: Call,
    x: LazyTensor,
    kernel: Any,
    stride: Any = (),
    padding: Any = 0,
    _: bool = False,
    with_padding: bool = True,
    divisor: int | None = None,
) -> LazyTensor:
    windows, sizes = Windows.of(kernel, stride, padding), x.size[-2:]
    dtype = computed_in(x.dtype)
    if dtype not in FLOATS:
        raise Unsupported("a mean of integers")
    source = stored_if_dear(x, (*call.meta.size, *windows.kernel))

    def closure(at: Position) -> Value:
        total = _total(
            cast(masked(_within(place, sizes), lambda p=place: source([*at[:-2], *p]), 0), dtype)
            for place in windows.places(at)
        )
        return _divided(total, _count(windows, at, sizes, divisor, with_padding=with_padding))

    return call.tensor(closure, [source], cost=3)


def _divided(total: Value, count: Value | float) -> Value:
    return apply("div", total, cast(count, total.dtype) if isinstance(count, Value) else count)


@rule(aten.avg_pool2d_backward.default)
def _avg_pool_backward(
    call: Call,
    grad: LazyTensor,
    x: LazyTensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    _: bool,
    with_padding: bool,
    divisor: int | None,
) -> LazyTensor:
    windows, sizes = Windows.of(kernel, stride, padding), x.size[-2:]

    def from_window(at: Position, window: Sequence[Index]) -> Value:
        away = [
            ix.of(at[d - 2]) + windows.padding[d] - window[d] * windows.stride[d] for d in (0, 1)
        ]
        is_in = apply("and", _within(window, grad.size[-2:]), _within(away, windows.kernel))
        place = (*at[:-2], *window)

        def part() -> Value:
            count = _count(windows, place, sizes, divisor, with_padding=with_padding)
            return _divided(grad(place), count)

        return masked(is_in, part, 0)

    return _gathered(call, [grad], windows, from_window)
