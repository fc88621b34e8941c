"""NVIDIA's libdevice for Triton's interpreter, which has none: each function by PyTorch's own.

Triton calls these functions by name and links them when it compiles for a GPU; what each one
computes says NVIDIA's "Libdevice User's Guide".
"""

from collections.abc import Callable
from typing import Any

import torch


class NotInterpretedError(NotImplementedError):
    """A function that the interpreter cannot run; its text is the name."""


_SAME = frozenset(
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh "  # noqa: SIM905
    "acosh atanh erf erfc erfinv lgamma rsqrt sqrt pow fmod floor ceil trunc copysign nextafter "
    "hypot ldexp".split()
)
"""Functions that PyTorch has under the same name."""

_OWN: dict[str, Callable[..., torch.Tensor]] = {
    "abs": torch.abs,
    "fabs": torch.abs,
    "rint": torch.round,
    "nearbyint": torch.round,
    "fma": torch.addcmul,
    "cyl_bessel_i0": torch.special.i0,
    "cyl_bessel_i1": torch.special.i1,
    "j0": torch.special.bessel_j0,
    "j1": torch.special.bessel_j1,
    "y0": torch.special.bessel_y0,
    "y1": torch.special.bessel_y1,
    "normcdfinv": torch.special.ndtri,
}
_WHOLE: dict[str, Callable[..., torch.Tensor]] = {
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "finitef": torch.isfinite,
    "isfinited": torch.isfinite,
    "signbit": torch.signbit,
    "ilogb": lambda x: torch.frexp(x).exponent - 1,
}
_LONG = {"llrint": torch.round}


class Libdevice:
    """Stands for the module `triton.language.extra.libdevice`."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        import triton.language as tl

        if name in _WHOLE:
            return _interpreted(_WHOLE[name], tl.int32)
        if name in _LONG:
            return _interpreted(_LONG[name], tl.int64)
        if name in _SAME or name in _OWN:
            return _interpreted(_OWN.get(name) or getattr(torch, name), None)

        def lacking(*_: Any, **__: Any) -> Any:
            raise NotInterpretedError(f"libdevice.{name}")

        return lacking


def _interpreted(function: Callable[..., torch.Tensor], result: Any) -> Callable[..., Any]:
    """The function on tensors of the interpreter; the type is that of the first, or `result`."""

    def call(*args: Any, **_: Any) -> Any:
        import numpy as np
        import triton.language as tl
        from triton.runtime.interpreter import TensorHandle

        tensors = [arg for arg in args if isinstance(arg, tl.tensor)]
        first: Any = tensors[0]
        values = [
            torch.from_numpy(np.asarray(arg.handle.data))
            if isinstance(arg, tl.tensor)
            else torch.tensor(getattr(arg, "value", arg))
            for arg in args
        ]
        scalar = result or first.dtype.scalar
        kind = tl.block_type(scalar, first.shape) if first.type.is_block() else scalar
        data = function(*values).numpy()
        wanted = {tl.int32: np.int32, tl.int64: np.int64}.get(result, data.dtype)
        return tl.tensor(TensorHandle(data.astype(wanted), scalar), kind)

    return call
