"""What an eager call does that a compiled one may do otherwise, and be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.capture.core.hooks import DISPATCH_MODE
from dynamo_lab.capture.core.undo import Undo, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_QUESTIONS = ("is_compiling", "is_dynamo_compiling")


def undefined_conversions(work: Callable[[], object]) -> tuple[str, ...]:
    """The integer types that a call casts floating-point numbers to which these cannot hold.

    Such a cast is undefined, https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html,
    and gives something else with and without vector instructions.
    """
    found: dict[str, None] = {}

    class Seen(DISPATCH_MODE.get()):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            source = _cast(func, args)
            if source is not None and not _holds(result.dtype, source):
                found[str(result.dtype).removeprefix("torch.")] = None
            return result

    with Seen():
        work()
    return tuple(found)


def _cast(func: Any, args: Any) -> torch.Tensor | None:
    """What a call casts, if it is a cast."""
    aten = torch.ops.aten
    at = {aten._to_copy.default: 0, aten.copy_.default: 1}.get(func)
    source = args[at] if at is not None else None
    return source if isinstance(source, torch.Tensor) else None


def _holds(dtype: torch.dtype, source: torch.Tensor) -> bool:
    """Whether a type has all values of a tensor, but for what it rounds."""
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return True
    if not source.is_floating_point() or source.numel() == 0:
        return True
    limits, wide = torch.iinfo(dtype), source.detach().to(torch.float64).trunc()
    return bool((wide.isfinite() & (wide >= limits.min) & (wide <= limits.max)).all())


@whole
def as_if_compiled() -> Iterator[None]:
    """Meanwhile the program is told that it is being compiled, wherever it asks."""
    undo = Undo()
    try:
        for question in _QUESTIONS:
            undo.replace(torch.compiler, question, _yes)
        yield
    finally:
        undo.run()


def _yes() -> bool:
    return True
