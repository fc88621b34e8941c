"""A reference above the precision that it judges: casts in the program are to float64 too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch.overrides import TorchFunctionMode

from dynamo_lab.capture.core.undo import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WIDE = {True: torch.complex128, False: torch.float64}
_TENSOR: Any = torch.Tensor  # whose stubs lack the complex casts
_CASTS: dict[Any, Any] = {
    _TENSOR.half: _TENSOR.double,
    _TENSOR.float: _TENSOR.double,
    _TENSOR.bfloat16: _TENSOR.double,
    _TENSOR.chalf: _TENSOR.cdouble,
    _TENSOR.cfloat: _TENSOR.cdouble,
}


class NarrowError(Exception):
    """Something is computed below float64 in a way that cannot be made wide."""


class Widened(TorchFunctionMode):
    """While it is entered, PyTorch's functions compute in float64 where the program casts.

    Raises:
        NarrowError: a result is narrower all the same, or bits are read as of another dtype.
    """

    def __init__(self) -> None:
        super().__init__()
        self.has_cast = False
        """Whether the program asked for a dtype below float64."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """What the function gives in float64."""
        given = dict(kwargs or {})
        asks = [value for value in (*args, *given.values()) if _is_narrow(value)]
        if asks and func is torch.Tensor.view:
            raise NarrowError(f"bits are read as {asks[0]}")
        self.has_cast |= bool(asks) or func in _CASTS
        found: Any = _CASTS.get(func, func)(
            *map(_wide, args), **{name: _wide(value) for name, value in given.items()}
        )
        for value in _results(found):
            if isinstance(value, torch.Tensor) and _is_narrow(value.dtype):
                raise NarrowError(f"{func} gives {value.dtype}")
        return found


def _results(found: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", found) if isinstance(found, tuple | list) else (found,)


def _is_narrow(value: Any) -> bool:
    is_dtype = isinstance(value, torch.dtype)
    return is_dtype and (value.is_floating_point or value.is_complex) and value != _wide(value)


def _wide(value: Any) -> Any:
    """A floating-point dtype as the widest of its kind; all else as it is."""
    is_number = isinstance(value, torch.dtype) and (value.is_floating_point or value.is_complex)
    return _WIDE[value.is_complex] if is_number else value


@whole
def widened() -> Iterator[Widened]:
    """What the body computes with PyTorch is in float64, also what it makes without a dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with Widened() as mode:
            yield mode
    finally:
        torch.set_default_dtype(before)
