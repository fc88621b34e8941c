"""How far results are from those in float64, module by module."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn

from dynamo_lab.model.precision.trial import ModuleError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

Results = dict[str, torch.Tensor]


def results_of(fn: Callable[..., Any], call: Callable[[], Any]) -> Results:
    """The first tensor that each module inside of `fn` gave last, and that of the whole call."""
    found: Results = {}
    with _heard(fn, found):
        whole = _first(call())
    return found if whole is None else {**found, "": whole}


@contextmanager
def _heard(fn: object, found: Results) -> Generator[None]:
    handles: list[Any] = []

    def hear(path: str) -> Callable[..., None]:
        def heard(_: nn.Module, __: Any, result: Any) -> None:
            tensor = _first(result)
            if tensor is not None:
                found[path] = tensor.detach().clone()

        return heard

    try:
        named: Any = getattr(fn, "named_modules", tuple)  # a function has none
        for path, module in named():
            if path:
                handles.append(module.register_forward_hook(hear(path)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def _first(result: Any) -> torch.Tensor | None:
    values = cast("list[Any]", result) if isinstance(result, tuple | list) else [result]
    return next((v for v in values if isinstance(v, torch.Tensor)), None)


def errors_of(
    exact: Mapping[str, torch.Tensor], got: Mapping[str, torch.Tensor]
) -> Iterator[ModuleError]:
    """Of each module that gave something of one shape in both: its distance from float64."""
    for path, reference in exact.items():
        other = got.get(path)
        if other is None or other.shape != reference.shape:
            continue
        if not (reference.is_floating_point() or reference.is_complex()):
            continue
        units = in_units(reference, other)
        if units.numel():
            yield ModuleError(module=path, median=float(units.median()), largest=float(units.max()))


def in_units(exact: torch.Tensor, got: torch.Tensor) -> torch.Tensor:
    """The distances of finite elements, in units in the last place of float32.

    Of complex numbers those of the real and of the imaginary part, one after the other.
    """
    exact, got = _real(exact), _real(got)
    near = exact.abs().float()
    unit = (torch.nextafter(near, torch.full_like(near, torch.inf)) - near).double()
    distance = (got.double() - exact).abs() / unit
    return distance[torch.isfinite(distance)]


def _real(values: torch.Tensor) -> torch.Tensor:
    if not values.is_complex():
        return values
    return torch.view_as_real(values.to(torch.complex128))
