"""Wrappers that a backend here wrote and loaded: modules of no file, each with its text.

Inductor's are found in its own cache. These are kept only as long as the program that runs them.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from dynamo_lab.capture.kernels import hooks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import torch

_texts: WeakKeyDictionary[ModuleType, str] = WeakKeyDictionary()


def load(text: str, names: Mapping[str, Any]) -> ModuleType:
    """The module of this text, which may use these names; its calls can be intercepted."""
    module = ModuleType("dynamo_lab_wrapper")
    scope = vars(module)
    scope.update(names)
    exec(compile(text, "<dynamo_lab wrapper>", "exec"), scope)
    _texts[module] = text
    return module


def loaded() -> Iterator[tuple[ModuleType, str]]:
    """The modules that are in use, each with its text."""
    yield from list(_texts.items())


def empty_cpu() -> Callable[..., torch.Tensor]:
    """What allocates memory on the CPU, of a size, strides and a type: as Inductor's wrappers do.

    It calls no dispatcher, so no mode sees it; `torch.empty_strided` takes twice as long.
    """
    return hooks.EMPTY_CPU.get()
