"""Remedies for a break, each applied to the running process for a while and undone."""

import builtins
import gc
import pkgutil
from collections.abc import Callable, Generator, Iterator
from types import CodeType, FunctionType
from typing import Any

import torch

from dynamo_lab.capture.core.hooks import (
    AOTAUTOGRAD_SETTINGS,
    DYNAMO_SETTINGS,
    INDUCTOR_SETTINGS,
)
from dynamo_lab.capture.core.undo import whole
from dynamo_lab.errors import FixError


@whole
def setting(
    option: str, add: str = "", value: Any = True, of: str = DYNAMO_SETTINGS.module
) -> Generator[None, None, None]:
    """An option of a module of settings set, or with the object of this name added to it."""
    config = _settings(of)
    if not hasattr(config, option):
        raise FixError(f"This release of PyTorch has no `{of}.{option}`.")
    chosen = {*getattr(config, option), _named(add)} if add else value
    with config.patch({option: chosen}):
        yield


def _settings(module: str) -> Any:
    """One of PyTorch's modules of settings."""
    known = (DYNAMO_SETTINGS, AOTAUTOGRAD_SETTINGS, INDUCTOR_SETTINGS)
    for one in known:
        if one.module == module:
            return one.get()
    raise FixError(f"`{module}` is not one of PyTorch's modules of settings: change it by hand.")


def _named(name: str) -> Any:
    found = getattr(builtins, name, None)
    if found is None:
        try:
            found = pkgutil.resolve_name(name)
        except (ImportError, AttributeError, ValueError):
            raise FixError(f"There is no `{name}` that could be set.") from None
    return found


def functions_of(holds: Callable[[CodeType], bool]) -> list[FunctionType]:
    """The live functions whose code, or the code of a function in it, is the requested one.

    Those that are it themselves come first.
    """
    alive = [thing for thing in gc.get_objects() if type(thing) is FunctionType]
    direct = [function for function in alive if holds(function.__code__)]
    return direct or [f for f in alive if any(map(holds, nested_code(f.__code__)))]


def nested_code(code: CodeType) -> Iterator[CodeType]:
    """The code of the functions defined in this code, at any depth."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from nested_code(constant)


@whole
def code_replaced(functions: list[FunctionType], code: CodeType) -> Generator[None, None, None]:
    """These functions with other code, wherever they are called from."""
    before = [function.__code__ for function in functions]
    if any(was.co_freevars != code.co_freevars for was in before):
        raise FixError(
            "The rewritten function no longer reads the same variables of the function around it: "
            "make the change by hand."
        )
    try:
        for function in functions:
            function.__code__ = code
        yield
    finally:
        for function, was in zip(functions, before, strict=True):
            function.__code__ = was


@whole
def torch_named(namespaces: list[dict[str, Any]]) -> Generator[None, None, None]:
    """`torch` in these namespaces, also where the user's module does not import it."""
    lacking = [namespace for namespace in namespaces if "torch" not in namespace]
    for namespace in lacking:
        namespace["torch"] = torch
    try:
        yield
    finally:
        for namespace in lacking:
            namespace.pop("torch", None)


def eager(function: FunctionType) -> Any:
    """The function marked with `torch.compiler.disable`."""
    return torch.compiler.disable(function)


@whole
def disabled(
    function: FunctionType, namespaces: list[dict[str, Any]], eager: Any
) -> Generator[None, None, None]:
    """Another function, which runs eagerly, in its place wherever its name is looked up."""
    *path, name = function.__qualname__.split(".")
    owners = [_owner(function, path)] if path else [*namespaces, function.__globals__]
    changed = [owner for owner in owners if _get(owner, name) is function]
    if not changed:
        raise FixError(
            f"`{function.__qualname__}` is not reached by its name, so it cannot be marked for a "
            "trial: write `@torch.compiler.disable` above it."
        )
    try:
        for owner in changed:
            _set(owner, name, eager)
        yield
    finally:
        for owner in changed:
            _set(owner, name, function)


def _owner(function: FunctionType, path: list[str]) -> Any:
    """The class that a method is defined in, or None."""
    found: Any = function.__globals__.get(path[0])
    for name in path[1:]:
        found = getattr(found, name, None)
    return found


def _get(owner: Any, name: str) -> Any:
    return owner.get(name) if isinstance(owner, dict) else getattr(owner, "__dict__", {}).get(name)


def _set(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, dict):
        owner[name] = value
    else:
        setattr(owner, name, value)
