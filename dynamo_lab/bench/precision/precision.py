"""A program in several precisions: its operators, its errors by module, its times in turns."""

from __future__ import annotations

from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from msgspec.structs import replace
from torch import nn

from dynamo_lab.bench.precision.errors import Results, errors_of, results_of
from dynamo_lab.capture.core.compat import many_ways
from dynamo_lab.capture.precision.operators import operators_of
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.model.precision.trial import Trial, Way

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

MATMUL = ("highest", "high", "medium")
"""The names of `torch.set_float32_matmul_precision`."""

CASTS = {"autocast bf16": torch.bfloat16, "autocast fp16": torch.float16}
WEIGHTS = {"bf16 weights": torch.bfloat16}


class Variant:
    """A program in one precision: `call` runs it eagerly, `compiled` as compiled code."""

    def __init__(self, name: str, fn: Any, args: Any, kwargs: Any) -> None:
        self.name, self.fn, self._args, self._kwargs = name, fn, args, kwargs
        kind = WEIGHTS.get(name)
        if kind is not None:
            self.fn = deepcopy(fn).to(kind)
            self._args, self._kwargs = cast((args, kwargs), kind)
        self._device = device_type(args, kwargs)

    def call(self, fn: Any = None) -> Any:
        """Run it, with everything as it was afterwards."""
        with self._settings(), torch.no_grad():
            return (self.fn if fn is None else fn)(*self._args, **self._kwargs)

    @contextmanager
    def _settings(self) -> Generator[None]:
        before = torch.get_float32_matmul_precision()
        kind = CASTS.get(self.name)
        try:
            torch.set_float32_matmul_precision(self.name if self.name in MATMUL else "highest")
            with torch.autocast(self._device, kind, enabled=kind is not None):
                yield
        finally:
            torch.set_float32_matmul_precision(before)


def cast(value: Any, kind: torch.dtype) -> Any:
    """The value with tensors of floating point in another type, in lists, tuples and dicts too."""
    if isinstance(value, torch.Tensor):
        return value.to(kind) if value.is_floating_point() else value
    if isinstance(value, dict):
        return {key: cast(one, kind) for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if type(value) in (tuple, list):
        return type(value)(cast(one, kind) for one in value)
    return value


def device_type(args: Any, kwargs: Any) -> str:
    """The kind of device that the first tensor is on."""
    tensors = (v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor))
    return next((str(tensor.device.type) for tensor in tensors), "cpu")


def tried(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    plan: Plan,
    backend: str,
) -> Trial:
    """The program in each precision, compared with float64 and timed in turns."""
    names = [*MATMUL, *CASTS, *(WEIGHTS if isinstance(fn, nn.Module) else ())]
    variants = [Variant(name, fn, args, kwargs) for name in names]
    exact = _exact(fn, args, kwargs)
    ways: list[Way] = []
    first: Results = {}
    for variant in variants:
        way, results = _way(variant, exact, first)
        first = first or results
        ways.append(way)
    return Trial(
        device=device_of([*args, *kwargs.values()]).name,
        ways=tuple(_timed(variants, ways, args, kwargs, plan, backend))
        if plan.rounds
        else tuple(ways),
    )


def _exact(fn: Any, args: Any, kwargs: Any) -> Results:
    """What it gives in float64; of a function the tensors that it reaches by itself stay."""
    double = deepcopy(fn).double() if isinstance(fn, nn.Module) else fn
    args, kwargs = cast((args, dict(kwargs)), torch.float64)
    with torch.no_grad():
        return results_of(double, partial(double, *args, **kwargs))


def _way(variant: Variant, exact: Results, first: Results) -> tuple[Way, Results]:
    try:
        operators = operators_of(variant.call)
        results = results_of(variant.fn, variant.call)
    except Exception as error:
        return Way(name=variant.name, error=str(error).partition("\n")[0]), {}
    whole = results.get("")
    way = Way(
        name=variant.name,
        dtype="" if whole is None else str(whole.dtype).removeprefix("torch."),
        same=bool(first) and _are_same(first, results),
        errors=tuple(errors_of(exact, results)),
        operators=operators,
    )
    return way, results


def _are_same(first: Results, other: Results) -> bool:
    return first.keys() == other.keys() and all(
        one.dtype == other[path].dtype and torch.equal(one, other[path])
        for path, one in first.items()
    )


def _timed(
    variants: list[Variant], ways: list[Way], args: Any, kwargs: Any, plan: Plan, backend: str
) -> Iterator[Way]:
    device = device_of([*args, *kwargs.values()])
    able: dict[str, Callable[[], Any]] = {}
    for variant, way in zip(variants, ways, strict=True):
        if way.error:
            continue
        able[variant.name] = variant.call
        made: Any = torch.compile(variant.fn, backend=backend)  # pyright: ignore[reportUnknownMemberType]
        able[f"{variant.name} compiled"] = partial(variant.call, made)
    with many_ways():
        times = take_turns(able, device, plan)
    for way in ways:
        eager, compiled = (times.get(f"{way.name}{end}") for end in ("", " compiled"))
        yield replace(
            way,
            eager_seconds=() if eager is None else eager.seconds,
            seconds=() if compiled is None else compiled.seconds,
        )
