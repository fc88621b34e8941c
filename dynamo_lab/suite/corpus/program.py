"""A program of the corpus: something to call, and what it is called with."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    import torch


class Program(NamedTuple):
    """A function or a module, and its arguments."""

    fn: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}

    def run(self, fn: Callable[..., Any]) -> Any:
        """Call something in its place, with arguments of its own."""
        args, kwargs = copy.deepcopy((self.args, self.kwargs))
        return fn(*args, **kwargs)

    def module(self) -> torch.nn.Module:
        """It as a module, which is what `torch.export` takes."""
        import torch

        if isinstance(self.fn, torch.nn.Module):
            return self.fn
        module = torch.nn.Module()
        type_ = type("Function", (torch.nn.Module,), {"forward": staticmethod(self.fn)})
        module.__class__ = type_
        return module


class Entry(Struct, frozen=True):
    """A name of the corpus, and how its program is built."""

    name: str
    build: Callable[[], Program]
