"""Whether a file's present text is what ran: files are edited after they were imported."""

import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

_MOST = 2_000
"""The most functions of a module to compare."""

_RESUMES = "torch_dynamo_resume_in"
"""What the names of resume functions begin with: Dynamo leaves them among a module's globals."""


def is_changed(path: str, lines: list[str], ran: Iterable[CodeType] = ()) -> bool:
    """Whether functions that came from this file are not in its present text.

    False also where that cannot be known, as where an import hook rewrites modules.
    """
    module = _module_of(path)
    present = _present(path, lines, module)
    if present is None:
        return False
    codes = [*ran, *_codes_of(module, path)]
    return any(code not in present for code in codes[:_MOST])


def _module_of(path: str) -> ModuleType | None:
    modules = list(sys.modules.values())
    return next((m for m in modules if vars(m).get("__file__") == path), None)


def _present(path: str, lines: list[str], module: ModuleType | None) -> set[CodeType] | None:
    """The code objects of the present text, compiled as the module's loader does it."""
    spec = getattr(module, "__spec__", None)
    loader: Any = getattr(spec, "loader", None)
    if not lines or not Path(path).is_file() or (loader and not _compiles(loader)):
        return None
    text = "\n".join(lines) + "\n"
    try:
        if loader:
            return set(_inside(loader.source_to_code(text.encode(), path)))
        return set(_inside(compile(text, path, "exec", dont_inherit=True)))
    except Exception:  # half edited, perhaps: then it is not what ran
        return set()


def _compiles(loader: Any) -> bool:
    return isinstance(loader, SourceFileLoader)


def _inside(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _inside(constant)


def _codes_of(module: ModuleType | None, path: str) -> Iterator[CodeType]:
    """The code of a module's functions and methods, those that are defined in this file."""
    held = list(vars(module).values()) if module is not None else []
    for value in held:
        members = list(vars(value).values()) if isinstance(value, type) else [value]
        for member in members:
            for function in _layers(member):
                code = function.__code__
                if code.co_filename == path and not code.co_name.startswith(_RESUMES):
                    yield code


def _layers(member: Any) -> Iterator[FunctionType]:
    """A function with those that it wraps, as decorators leave them; nothing of the user runs."""
    for _ in range(10):
        if isinstance(member, staticmethod | classmethod | MethodType):
            member = member.__func__
        if isinstance(member, FunctionType):
            yield member
        try:
            member = object.__getattribute__(member, "__dict__").get("__wrapped__")
        except AttributeError:
            return
