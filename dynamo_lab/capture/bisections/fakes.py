"""Whether the fakes of a program's own operators say what the operators do.

The compiler never runs an operator to learn what comes out: it asks the fake that was given to
`register_fake`, and lays out memory by that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from dynamo_lab.capture.bisections import hooks
from dynamo_lab.capture.core.hooks import DISPATCH_MODE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


class WrongFake(NamedTuple):
    """A call of which the fake says something else than what came out, both in words."""

    operator: str
    said: str
    came: str


def wrong_fakes(work: Callable[[], object], operators: Collection[str]) -> tuple[WrongFake, ...]:
    """The first call of each of these operators ("mylib::foo") whose fake is wrong.

    Type, device, shape and strides of each tensor that comes out are compared, the strides but for
    dimensions of one element or none. A fake that raises, or that leaves a size open, is not
    said to be wrong.
    """
    found: dict[str, WrongFake] = {}

    class Seen(DISPATCH_MODE.get()):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            name = func.name().rpartition(".")[0] if "." in func.name() else func.name()
            asked = name in operators and name not in found
            fake = _faked(func, args, kwargs or {}) if asked else None
            result = func(*args, **(kwargs or {}))
            wrong = _compared(fake, result) if fake is not None else None
            if wrong is not None:
                found[name] = WrongFake(name, *wrong)
            return result

    with Seen():
        work()
    return tuple(found.values())


def _faked(func: Any, args: Any, kwargs: Any) -> list[Any] | None:
    """What the fake gives for these arguments, None if it raises."""
    mode = hooks.FAKE_MODE.get()(shape_env=hooks.SHAPE_ENV.get()())

    def fake(value: Any) -> Any:
        is_tensor = isinstance(value, torch.Tensor)
        return mode.from_tensor(value, static_shapes=True) if is_tensor else value

    try:
        faked = hooks.MAPPED.get()(fake, (args, kwargs))
        with mode:
            return hooks.LEAVES.get()(func(*faked[0], **faked[1]))
    except Exception:  # it cannot be asked about these values alone
        return None


def _compared(fakes: list[Any], result: Any) -> tuple[str, str] | None:
    """What the fake says and what came out, where the two differ."""
    results = hooks.LEAVES.get()(result)
    if len(fakes) != len(results):
        return f"{len(fakes)} results", f"{len(results)} results"
    for fake, real in zip(fakes, results, strict=True):
        if isinstance(fake, torch.Tensor) and isinstance(real, torch.Tensor):
            if _is_other(fake, real):
                return _in_words(fake), _in_words(real)
        elif isinstance(fake, torch.Tensor) or isinstance(real, torch.Tensor):
            return _kind(fake), _kind(real)
    return None


def _is_other(fake: torch.Tensor, real: torch.Tensor) -> bool:
    if (fake.dtype, fake.device, fake.ndim) != (real.dtype, real.device, real.ndim):
        return True
    sizes = list(zip(fake.shape, real.shape, strict=True))
    if any(_is_known(said) and said != came for said, came in sizes):
        return True
    if real.layout != torch.strided or not all(_is_known(said) for said, _ in sizes):
        return False
    strides = zip(real.shape, fake.stride(), real.stride(), strict=True)
    return real.numel() > 0 and any(size > 1 and said != came for size, said, came in strides)


def _is_known(size: Any) -> bool:
    return isinstance(size, int)


def _kind(value: Any) -> str:
    return "a tensor" if isinstance(value, torch.Tensor) else type(value).__name__


def _in_words(tensor: torch.Tensor) -> str:
    strides = f" with strides {list(tensor.stride())}" if tensor.layout == torch.strided else ""
    dtype = str(tensor.dtype).removeprefix("torch.")
    return f"{dtype} {list(tensor.shape)}{strides} on {tensor.device}"
