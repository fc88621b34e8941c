"""The ways in which a network is compiled: what each sets, and a call of it."""

from __future__ import annotations

import copy
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.bench.layouts.graph_fusion import traced
from dynamo_lab.capture.core.compat import constants_frozen
from dynamo_lab.capture.layouts.packing import nothing_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from dynamo_lab.model.layouts.trial import WayName

OPTIONS: dict[WayName, dict[str, Any]] = {
    "compiled": {"layout_optimization": True},
    "layout kept": {"layout_optimization": False},
    "channels last": {"layout_optimization": True},
    "concat as loop": {"force_pointwise_cat": True},
    "one thread": {"cpp.threads": 1},
    "frozen": {"freezing": True},
    "frozen, unpacked": {"freezing": True, "cpp.weight_prepack": False},
}
"""Of `torch.compile`. What is compiled under others is never taken for it, so each has its own."""

_FROZEN: tuple[WayName, ...] = ("frozen", "frozen, unpacked")


class Way:
    """A network in one way: `call` runs it, and compiles it the first time."""

    def __init__(self, name: WayName, model: torch.nn.Module, example: tuple[Any, ...]) -> None:
        self.name: WayName = name
        self.threads = 1 if name == "one thread" else torch.get_num_threads()
        self.call = self._made(model, example)

    @property
    def is_compiled(self) -> bool:
        """Whether `torch.compile` makes it, of which there is a recording."""
        return self.name in OPTIONS

    @contextmanager
    def compiling(self) -> Generator[None]:
        """What holds while it is compiled."""
        before = torch.get_num_threads()
        with ExitStack() as stack:
            if self.name in _FROZEN:
                stack.enter_context(constants_frozen())
            if self.name == "frozen, unpacked":
                stack.enter_context(nothing_packed())
            try:
                torch.set_num_threads(self.threads)
                yield
            finally:
                torch.set_num_threads(before)

    def _made(self, model: torch.nn.Module, example: tuple[Any, ...]) -> Callable[[], object]:
        if self.name == "oneDNN Graph":
            return traced(model, example)
        if self.name == "channels last":
            untyped: Any = copy.deepcopy(model)
            model = untyped.to(memory_format=torch.channels_last)
            example = tuple(map(_channels_last, example))
        elif self.name in _FROZEN:  # their constants are no copy's of the user's
            model = copy.deepcopy(model)
        compile_: Any = torch.compile  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        made: Any = model
        if self.is_compiled:
            made = compile_(model, options=dict(OPTIONS[self.name]))

        def call() -> object:
            with torch.no_grad():
                return made(*example)

        return call


def _channels_last(value: Any) -> Any:
    """An image, a tensor of four dimensions, in channels last; anything else as it is."""
    if isinstance(value, torch.Tensor) and value.dim() == 4:
        return value.to(memory_format=torch.channels_last)
    return value
