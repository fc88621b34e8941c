"""What a decorator's wrapper calls: the function of the user that it stands for."""

import inspect
from collections.abc import Iterator, Sequence
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from torch import nn

_HELD = ("fn", "func", "f", "function", "wrapped")
"""Names under which wrappers keep what they call."""

_CALLS = ("forward", "__call__", "_call_impl", "_wrapped_call_impl")
"""The methods of a module by which it is called, as `nn.Module` has them."""


class Wrapped(NamedTuple):
    """A function by its name, and the names of its positional parameters.

    Of a method, `receiver` is Dynamo's name of its object and the method's own: "L['fn'].__self__",
    "self". `details` are how a module of PyTorch's was made, as it prints itself.
    """

    name: str
    parameters: tuple[str, ...]
    receiver: tuple[str, str] = ("", "")
    details: str = ""


def wrapped_by(code: CodeType, closure: Sequence[CellType] | None) -> Wrapped | None:
    """The function that this wrapper calls with its own arguments; None where it is no wrapper.

    A wrapper takes `*args` alone: of others, the parameters have names of their own.
    """
    cell, held = _held_by(code, closure)
    module = _module_called(held)
    if module is not None:  # its call is PyTorch's, its `forward` is what is meant
        of = type(module)
        root = f"L['{cell}']" if module is held else f"L['{cell}'].__self__"
        of_module = root, _first(of.forward)
        return Wrapped(of.__qualname__, _parameters(of.forward, 1), of_module, _details(module))
    function = _function(held)
    if function is None:
        return None
    is_bound = any(isinstance(one, MethodType) for one in _layers(held))
    receiver = (f"L['{cell}'].__self__", _first(function)) if is_bound else ("", "")
    return Wrapped(function.__qualname__, _parameters(function, is_bound), receiver)


def called_by(code: CodeType, closure: Sequence[CellType] | None) -> Any:
    """What tells one wrapper from another with the same code: a module, or a function."""
    _, held = _held_by(code, closure)
    module = _module_called(held)
    return _function(held) if module is None else module


def _held_by(code: CodeType, closure: Sequence[CellType] | None) -> tuple[str, Any]:
    """What a wrapper calls and the name that it has there; none where the code is no wrapper's."""
    if code.co_argcount or not code.co_flags & inspect.CO_VARARGS:
        return "", None
    cells = dict(zip(code.co_freevars, closure or (), strict=False))
    return next(((name, _content(cells[name])) for name in _HELD if name in cells), ("", None))


def _module_called(held: Any) -> nn.Module | None:
    """The module whose call this is: the module itself, or a method by which it is called."""
    if isinstance(held, MethodType) and getattr(held.__func__, "__name__", "") not in _CALLS:
        return None  # a method of any callable may have no name
    module = getattr(held, "__self__", held)
    return module if isinstance(module, nn.Module) else None


def _details(module: nn.Module) -> str:
    """'in_features=4, out_features=8, bias=True'; only PyTorch's own code is asked for it."""
    told = type(module).extra_repr
    if not told.__module__.startswith("torch."):
        return ""
    try:
        return " ".join(told(module).split())
    except Exception:  # such as of a module without what its class usually has
        return ""


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


def _first(function: Any) -> str:
    """What a method calls its object: "self", for the most part."""
    return next(iter(_parameters(function, 0)), "")


def _function(held: Any) -> FunctionType | None:
    """The innermost function, below what `functools.wraps` put around it."""
    *_, innermost = _layers(held)
    held = getattr(innermost, "__func__", innermost)
    return held if isinstance(held, FunctionType) else None


def _layers(held: Any) -> Iterator[Any]:
    """What is called, and what each in turn says that it wraps."""
    yield held
    for _ in range(10):
        inner = inspect.getattr_static(getattr(held, "__func__", held), "__wrapped__", None)
        if inner is None:
            return
        yield inner
        held = inner
