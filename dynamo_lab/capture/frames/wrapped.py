"""What a decorator's wrapper calls: the function of the user that it stands for."""

import inspect
from collections.abc import Sequence
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from torch import nn

_HELD = ("fn", "func", "f", "function", "wrapped")
"""Names under which wrappers keep what they call."""


class Wrapped(NamedTuple):
    """A function by its name, and the names of its positional parameters."""

    name: str
    parameters: tuple[str, ...]


def wrapped_by(code: CodeType, closure: Sequence[CellType] | None) -> Wrapped | None:
    """The function that this wrapper calls with its own arguments; None where it is no wrapper.

    A wrapper takes `*args` alone: of others, the parameters have names of their own.
    """
    if code.co_argcount or not code.co_flags & inspect.CO_VARARGS:
        return None
    cells = dict(zip(code.co_freevars, closure or (), strict=False))
    held = next((_content(cells[name]) for name in _HELD if name in cells), None)
    module = getattr(held, "__self__", held)
    if isinstance(module, nn.Module):  # its call is PyTorch's, its `forward` is what is meant
        return Wrapped(type(module).__qualname__, _parameters(type(module).forward, 1))
    function = _function(held)
    if function is None:
        return None
    return Wrapped(function.__qualname__, _parameters(function, isinstance(held, MethodType)))


def _parameters(function: Any, skipped: int) -> tuple[str, ...]:
    innermost = _function(function)
    if innermost is None:
        return ()
    return innermost.__code__.co_varnames[skipped : innermost.__code__.co_argcount]


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return None


def _function(held: Any) -> FunctionType | None:
    """The innermost function, below what `functools.wraps` put around it."""
    for _ in range(10):
        held = getattr(held, "__func__", held)
        inner = inspect.getattr_static(held, "__wrapped__", None)
        if inner is None:
            break
        held = inner
    return held if isinstance(held, FunctionType) else None
