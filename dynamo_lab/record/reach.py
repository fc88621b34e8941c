"""The objects that a program can reach: through closures, globals, containers and attributes."""

from __future__ import annotations

import contextlib
import dis
import sys
from collections import deque
from functools import partial
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.record.cells import MODULE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import CodeType

    import torch

_WALKED = 20_000  # objects searched for tensors; tensors do not count

_PLAIN = (ModuleType, str, bytes, int, float, complex, type(None))
"""What has no parts."""


def reachable(roots: Iterable[Any]) -> Iterator[Any]:
    """Objects reachable from these: by closures, named globals, containers and attributes."""
    import torch

    seen: set[int] = set()
    walked = 0
    pending = list(roots)
    kept: list[Any] = []  # what is made while walking lives as long as its id counts
    while pending and walked < _WALKED:
        thing = pending.pop()
        if id(thing) in seen or isinstance(thing, _PLAIN):
            continue
        seen.add(id(thing))
        kept.append(thing)
        walked += not isinstance(thing, torch.Tensor)
        yield thing
        pending.extend(_parts(thing))


def leaves(roots: Iterable[Any]) -> list[torch.Tensor]:
    """The reachable tensors that accumulate gradients, each once."""
    import torch

    found = (t for t in reachable(roots) if isinstance(t, torch.Tensor))
    return [t for t in found if t.is_leaf and t.requires_grad]


def _parts(thing: Any) -> list[Any]:
    import torch

    match thing:
        case torch.Tensor():
            inside = getattr(thing, "__tensor_flatten__", None)
            return [getattr(thing, name) for name in inside()[0]] if inside else []
        case torch.nn.Module():  # all its tensors are next: its objects may be too many to walk
            return [vars(thing), *_own_classes(thing), *_tensors_of(thing)]
        case type():
            return list(attributes_of(cast("type[Any]", thing)).values())
        case dict():
            return list(cast("dict[Any, Any]", thing).values())
        case list() | tuple() | set() | frozenset() | deque():
            return list(cast("list[Any]", thing))
        case MethodType() | BuiltinMethodType():
            return [thing.__self__, getattr(thing, "__func__", None)]
        case partial():
            call = cast("Any", thing)
            return [call.func, call.args, call.keywords]
        case FunctionType():
            defaults = [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
            return [*_named_globals(thing), *(value for _, value in cells_of(thing)), *defaults]
        case _:
            own = getattr(thing, "__dict__", None)
            return [own, *slots_of(thing).values(), *_own_classes(thing)]


def _tensors_of(module: torch.nn.Module) -> list[torch.Tensor]:
    try:
        return [*module.parameters(), *module.buffers()]
    except Exception:  # one that is not initialized yet, or overrides these methods
        return []


def _own_classes(thing: Any) -> list[type]:
    """The classes of an object that are the user's own: their methods may name globals."""
    return [base for base in type(thing).__mro__ if not _is_installed(base.__module__)]


def attributes_of(kind: type) -> dict[str, Any]:
    """What a class defines and keeps, if it is of the user's own: nothing of what Python adds."""
    if _is_installed(kind.__module__):
        return {}
    return {
        name: value
        for name, value in vars(kind).items()
        if isinstance(value, FunctionType) or not (name.startswith("__") and name.endswith("__"))
    }


def _is_library(name: str) -> bool:
    """Whether a module is PyTorch's or Python's: what its functions keep is not the program's."""
    return name.partition(".")[0] in ("torch", *sys.builtin_module_names) or (
        name.partition(".")[0] in sys.stdlib_module_names
    )


def _is_installed(name: str) -> bool:
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return _is_library(name) or "site-packages" in file


def _named_globals(function: FunctionType) -> Iterator[Any]:
    """The globals that a function names, and what it may take from the user's modules."""
    known = function.__globals__
    if _is_library(str(known.get("__name__", ""))):
        return
    names = names_in(function.__code__)
    for value in [known.get(name) for name in names]:
        yield value
        if isinstance(value, ModuleType) and not _is_installed(value.__name__):
            yield from (vars(value).get(name) for name in names)


def names_in(code: CodeType) -> set[str]:
    """The names of globals that a code object and those in it may read."""
    return {name for one in _codes(code) for name in one.co_names}


def globals_written_by(function: FunctionType) -> set[str]:
    """The names of globals that a function, or one inside it, assigns or deletes."""
    written = {"STORE_GLOBAL", "DELETE_GLOBAL"}
    if function.__code__.co_name == MODULE:  # a cell's own names are the notebook's
        written |= {"STORE_NAME", "DELETE_NAME"}
    return {
        step.argval
        for code in _codes(function.__code__)
        for step in dis.get_instructions(code)
        if step.opname in written
    }


def stored_by_cell(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The variables of the notebook that a cell's function binds: what it computes is left there.

    The globals of any other function are no results: another variant of it need not write them.
    """
    if not isinstance(fn, FunctionType) or fn.__code__.co_name != MODULE:
        return ()
    return tuple(sorted(globals_written_by(fn)))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            yield from _codes(constant)


def cells_of(function: FunctionType) -> list[tuple[Any, Any]]:
    """The variables of a function's closure, each with its value if it has one yet."""
    found: list[tuple[Any, Any]] = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):
            found.append((cell, cell.cell_contents))
    return found


def slots_of(thing: Any) -> dict[str, Any]:
    """The attributes of an object that lie in slots, by name."""
    names: list[str] = []
    for base in type(thing).__mro__:
        slots = vars(base).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else list(slots)
    kept = (name for name in names if name not in ("__dict__", "__weakref__"))
    return {name: getattr(thing, name) for name in kept if hasattr(thing, name)}
