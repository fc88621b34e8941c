"""A program in several precisions: operators, errors by module, kernels, memory, times in turns."""

from __future__ import annotations

from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from msgspec.structs import replace
from torch import nn

from dynamo_lab.bench.memory import weigh
from dynamo_lab.bench.precision.errors import Results, errors_of, results_of
from dynamo_lab.bench.recorded_call import Recorded, recorded_call
from dynamo_lab.capture.core.compat import forget_compiled_code, many_ways
from dynamo_lab.capture.precision.operators import operators_of
from dynamo_lab.errors import AlreadyRecordingError
from dynamo_lab.measure.checks import compare, is_wrong
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.model.precision.trial import Trial, Way
from dynamo_lab.record.replay import seed, told, without_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from dynamo_lab.record.state import State

MATMUL = ("highest", "high", "medium")
"""The names of `torch.set_float32_matmul_precision`."""

CASTS = {"autocast bf16": torch.bfloat16, "autocast fp16": torch.float16}
WEIGHTS = {"bf16 weights": torch.bfloat16}
HALVED = {"complex32": torch.float16}
"""Complex numbers of two float16."""

DRAWS = (
    "No error is known: called again with another seed, the program gives other results. For "
    "dropout, call .eval() first."
)

_COMPLEX = {torch.float64: torch.complex128, torch.float16: torch.complex32}


class Variant:
    """A program in one precision: `call` runs it eagerly, `compiled` as compiled code."""

    def __init__(self, name: str, fn: Any, args: Any, kwargs: Any) -> None:
        self.name, self.fn, self._args, self._kwargs = name, fn, args, kwargs
        kind = {**WEIGHTS, **HALVED}.get(name)
        if kind is not None:
            alone = name in HALVED
            self.fn = module_cast(fn, kind, complex_alone=alone)
            self._args, self._kwargs = cast((args, kwargs), kind, complex_alone=alone)
        self._device = device_type(args, kwargs)
        self.compiled: Any = None

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


def cast(value: Any, kind: torch.dtype, *, complex_alone: bool = False) -> Any:
    """The value with tensors of floating point in another type, in lists, tuples and dicts too.

    Complex ones get the type of two such numbers where there is one, and stay otherwise.
    """
    if isinstance(value, torch.Tensor):
        if value.is_complex():
            return value.to(_COMPLEX.get(kind, value.dtype))
        return value.to(kind) if value.is_floating_point() and not complex_alone else value
    again = partial(cast, kind=kind, complex_alone=complex_alone)
    if isinstance(value, dict):
        return {key: again(one) for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if type(value) in (tuple, list):
        return type(value)(again(one) for one in value)
    return value


def module_cast(fn: Any, kind: torch.dtype, *, complex_alone: bool = False) -> Any:
    """A copy of a module in another type; of a function the tensors that it reaches stay."""
    if not isinstance(fn, nn.Module):
        return fn
    made = deepcopy(fn)
    for tensor in (*made.parameters(), *made.buffers()):
        tensor.data = cast(tensor.data, kind, complex_alone=complex_alone)
    return made


def has_complex(fn: Any, args: Any, kwargs: Any) -> bool:
    """Whether a complex64 tensor is given, or held by the module."""
    held = (*fn.parameters(), *fn.buffers()) if isinstance(fn, nn.Module) else ()
    values = (*args, *kwargs.values(), *held)
    return any(isinstance(one, torch.Tensor) and one.dtype == torch.complex64 for one in values)


def device_type(args: Any, kwargs: Any) -> str:
    """The kind of device that the first tensor is on."""
    tensors = (v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor))
    return next((str(tensor.device.type) for tensor in tensors), "cpu")


def names_for(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[str, ...]:
    """The precisions that a program can be tried in."""
    halved = HALVED if has_complex(fn, args, kwargs) else ()
    return (*MATMUL, *CASTS, *(WEIGHTS if isinstance(fn, nn.Module) else ()), *halved)


def tried(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    names: Sequence[str],
    plan: Plan,
    backend: str | None,
) -> tuple[Trial, Recorded]:
    """The program in each precision, compared with float64, and timed in turns.

    Without a backend nothing is compiled. Also returned are the recordings of what is.
    """
    device = device_of([*args, *kwargs.values()])
    variants = [Variant(name, fn, args, kwargs) for name in names]
    recorded: Recorded = {}
    with without_trace([fn, args, kwargs]) as start, many_ways():
        exact, unlike = _reference(variants[0], start, partial(_exact, fn, args, kwargs))
        ways = list(_eager(variants, exact, start))
        if backend is not None:
            forget_compiled_code()  # once: what is forgotten later would be compiled again
            ways = [
                one if one.error else _compiled(variant, one, backend, device, recorded)
                for variant, one in zip(variants, ways, strict=True)
            ]
        if plan.rounds:
            ways = list(_timed(variants, ways, device, plan))
    return Trial(device=device.name, unlike=unlike, ways=tuple(ways)), recorded


def _reference(
    variant: Variant, start: State, exact: Callable[[], Results]
) -> tuple[Results | None, str]:
    """What errors are measured against, or why there is nothing to measure them against."""
    found: list[Results] = []
    try:
        for number in (0, 1):
            start.put_back()
            seed(number)
            found.append(results_of(variant.fn, variant.call))
    except Exception:  # any: its row tells what it raised
        return None, ""
    if is_wrong(compare(*found, way=0, phase="forward")):
        return None, DRAWS
    try:
        return exact(), ""
    except Exception as error:  # any: a program may insist on a type, or reach tensors of its own
        return None, f"No error is known: it does not run in float64. {told(error)}"


def _eager(variants: list[Variant], exact: Results | None, start: State) -> Iterator[Way]:
    """Each precision, from the same state and seed; without `exact` nothing is compared with it."""
    first: Results = {}
    for variant in variants:
        way, results = _way(variant, exact, first, start)
        first = first or results
        yield way


def _exact(fn: Any, args: Any, kwargs: Any) -> Results:
    """What it gives in float64; of a function the tensors that it reaches by itself stay."""
    double = module_cast(fn, torch.float64)
    args, kwargs = cast((args, dict(kwargs)), torch.float64)
    with torch.no_grad():
        return results_of(double, partial(double, *args, **kwargs))


def _way(
    variant: Variant, exact: Results | None, first: Results, start: State
) -> tuple[Way, Results]:
    try:
        start.put_back()
        operators = operators_of(variant.call)
        start.put_back()
        results = results_of(variant.fn, variant.call)
    except Exception as error:
        return Way(name=variant.name, error=str(error).partition("\n")[0]), {}
    whole = results.get("")
    way = Way(
        name=variant.name,
        dtype="" if whole is None else str(whole.dtype).removeprefix("torch."),
        same=bool(first) and _are_same(first, results),
        errors=() if exact is None else tuple(errors_of(exact, results)),
        operators=operators,
    )
    return way, results


def _are_same(first: Results, other: Results) -> bool:
    return first.keys() == other.keys() and all(
        one.dtype == other[path].dtype and torch.equal(one, other[path])
        for path, one in first.items()
    )


def _compiled(variant: Variant, way: Way, backend: str, device: Any, recorded: Recorded) -> Way:
    """Compiled while it is recorded, then weighed; nothing is compiled where the guards accept."""
    made: Any = torch.compile(variant.fn, backend=backend)  # pyright: ignore[reportUnknownMemberType]
    try:
        _, (facts, session) = recorded_call(way.name, partial(variant.call, made))
    except AlreadyRecordingError:
        raise
    except Exception as error:  # any: what cannot be compiled is told
        return replace(way, refused=told(error))
    variant.compiled = made
    reused = bool(recorded) and not facts.frames
    if not reused:
        recorded[way.name] = facts, session
    _, peak = weigh(partial(variant.call, made), device, with_lines=False)
    return replace(way, kernels=tuple(one.name for one in facts.kernels), reused=reused, peak=peak)


def _timed(variants: list[Variant], ways: list[Way], device: Any, plan: Plan) -> Iterator[Way]:
    able: dict[str, Callable[[], Any]] = {}
    for variant, way in zip(variants, ways, strict=True):
        if not way.error:
            able[variant.name] = variant.call
        if variant.compiled is not None:
            able[f"{variant.name} compiled"] = partial(variant.call, variant.compiled)
    times = take_turns(able, device, plan)
    for way in ways:
        eager, compiled = (times.get(f"{way.name}{end}") for end in ("", " compiled"))
        yield replace(
            way,
            eager_seconds=() if eager is None else eager.seconds,
            seconds=() if compiled is None else compiled.seconds,
        )
