"""A program with and without the fast path, eagerly and compiled, timed in turns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import torch

from dynamo_lab.capture.fast_path.eager import calls_of
from dynamo_lab.measure.devices import device_of
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.model.fast_path.trial import WAYS, Trial, Way, WayTimes
from dynamo_lab.record.explore import explored_calls
from dynamo_lab.record.recorders import name_of, new_recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dynamo_lab.model.recording import Recording

    Work = Callable[[], Any]


def tried(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    plan: Plan,
    *,
    grad: bool,
) -> Trial:
    """What each module took, eagerly and under `torch.compile`, and how long a call takes."""

    def call() -> Any:
        with torch.set_grad_enabled(grad):
            return fn(*args, **kwargs)

    device = device_of([*args, *kwargs.values()])
    run = _compiled(fn, args, kwargs, grad)
    return Trial(
        device=device.name,
        eager=calls_of(call, fn),
        compiled=run.fast_paths,
        uncompiled="" if run.fast_paths else _why_none(run),
        measured=tuple(_times(_ways(fn, args, kwargs, grad), plan, kwargs, device))
        if plan.rounds
        else (),
    )


def _compiled(fn: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], grad: bool) -> Recording:
    """What Dynamo decides; what its graphs become does not matter to that."""
    options = {"backend": "eager", "grad": grad}
    run, _ = explored_calls(fn, [(args, dict(kwargs))], options, new_recorder(name_of(fn)))
    return run.facts


def _why_none(run: Recording) -> str:
    """Why Dynamo compiled no part of it, in its own words; empty if it did, or does not say."""
    if any(frame.outcome == "compiled" for frame in run.frames):
        return ""
    return next((frame.reason for frame in run.frames if frame.reason), "")


def _ways(fn: Any, args: Any, kwargs: Any, grad: bool) -> dict[Way, Work]:
    """A program compiled with the fast path and one without it are two: Dynamo guards on that."""
    compiled: Callable[[], Any] = partial(torch.compile, fn)  # pyright: ignore[reportUnknownMemberType]
    programs: dict[Way, Any] = {
        "eager": fn, "compiled": compiled(), "fast path": fn, "both": compiled(),
    }  # fmt: skip

    def way(name: Way) -> Work:
        def call() -> Any:
            with allowed(name in ("fast path", "both")), torch.set_grad_enabled(grad):
                return programs[name](*args, **kwargs)

        return call

    return {name: way(name) for name in WAYS}


class allowed:
    """The fast path is allowed, or not, in the block; afterwards as it was."""

    def __init__(self, is_allowed: bool) -> None:
        self._is_allowed = is_allowed

    def __enter__(self) -> None:
        self._before = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(self._is_allowed)

    def __exit__(self, *_: object) -> None:
        torch.backends.mha.set_fastpath_enabled(self._before)


def _times(
    ways: Mapping[Way, Work], plan: Plan, kwargs: Mapping[str, Any], device: Any
) -> Iterator[WayTimes]:
    """Each way is called once, so that one which fails is told, and results are compared."""
    able: dict[str, Work] = {}
    differences: dict[str, float | None] = {}
    base: Any = None
    for way, work in ways.items():
        try:
            result = work()
        except Exception as error:
            yield WayTimes(way=way, error=str(error).partition("\n")[0])
            continue
        base = result if way == "eager" else base
        able[way] = work
        differences[way] = difference(base, result, kwargs.get("src_key_padding_mask"))
    for name, times in take_turns(able, device, plan).items():
        way: Any = name
        yield WayTimes(way=way, seconds=times.seconds, difference=differences[way])


def difference(base: Any, other: Any, hidden: torch.Tensor | None = None) -> float | None:
    """The largest between elements of two results, but for the tokens that a mask hides.

    Nested tensors are compared where they have elements. What a transformer gives for padding is
    nobody's: the fast path gives 0. None where the results are not both a tensor of one shape.
    """
    first, second = map(_first, (base, other))
    if not isinstance(first, torch.Tensor) or not isinstance(second, torch.Tensor):
        return None
    if first.shape != second.shape:
        return None
    apart = (first.double() - second.double()).abs()
    is_hidden = None if hidden is None else hidden if hidden.dtype == torch.bool else hidden < 0
    if is_hidden is not None and is_hidden.shape == apart.shape[:2]:
        apart = apart[~is_hidden]
    return float(apart.max()) if apart.numel() else 0.0


def _first(result: Any) -> Any:
    """A result's first value; a nested tensor padded, as it has no shape of its own."""
    values = cast("tuple[Any, ...]", result) if isinstance(result, tuple) else (result,)
    value = next(iter(values), None)
    if not isinstance(value, torch.Tensor) or not value.is_nested:
        return value
    untyped: Any = torch.nested
    return untyped.to_padded_tensor(value, 0.0)
