"""A call of each operator of PyTorch, from its own table of operators (OpInfo).

The call is written as text, as a person would write it, so that TorchScript can read it too. An
operator whose first samples have arguments that cannot be written so is left out.
"""

from __future__ import annotations

import linecache
import typing
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = "torch.testing._internal.common_methods_invocations"
"""The table of PyTorch's tests: by name, because only this command needs it, and it takes long."""

_SAMPLES = 8
"""How many samples of an operator are looked at for one that can be written."""


def entries() -> Iterator[Entry]:
    """An entry for each operator and variant."""
    for op in import_module(TABLE).op_db:
        call = _callee(op.name)
        if call:
            name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
            yield Entry(name, partial(_program, op, call))


def _callee(name: str) -> str:
    """How the operator is called, with {} for the arguments; empty where people cannot."""
    at: Any = torch
    for part in name.split("."):
        at = getattr(at, part, None)
    if callable(at) and "_refs" not in name:
        return f"torch.{name}({{}})"
    is_method = "." not in name and not name.startswith("_") and hasattr(torch.Tensor, name)
    return f"x0.{name}({{}})" if is_method else ""


def _program(op: Any, call: str) -> Program:
    for sample in _samples(op):
        tensors: list[Any] = []
        args = [_written(one, tensors) for one in (sample.input, *sample.args)]
        named = {key: _written(one, tensors) for key, one in sample.kwargs.items()}
        if None in args or None in named.values():
            continue
        given = args[1:] if call.startswith("x0.") else args
        listed = [*given, *(f"{key}={text}" for key, text in named.items())]
        return Program(_function(op.name, call.format(", ".join(listed)), tensors), tuple(tensors))
    raise ValueError(f"no sample of {op.name} can be written as a call")


def _samples(op: Any) -> Iterator[Any]:
    dtype = torch.float32 if torch.float32 in op.dtypes else next(iter(op.dtypes))
    for _, sample in zip(range(_SAMPLES), op.sample_inputs("cpu", dtype), strict=False):
        yield sample


def _written(value: Any, tensors: list[Any]) -> str | None:
    """A value as text; a tensor is a parameter, and so is a list of them."""
    is_list = isinstance(value, list | tuple)
    if isinstance(value, torch.Tensor) or (
        is_list and value and all(isinstance(one, torch.Tensor) for one in value)
    ):
        tensors.append(list(value) if is_list else value)
        return f"x{len(tensors) - 1}"
    if is_list:
        parts = [_written(one, tensors) for one in value]
        return None if None in parts else f"[{', '.join(filter(None, parts))}]"
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return f'float("{value}")'
    if value is None or type(value) in (bool, int, float, str, torch.dtype, torch.layout):
        return repr(value)
    return None


def _function(name: str, call: str, tensors: list[Any]) -> Any:
    """The function, with its text where Python and TorchScript look for it."""
    kinds = ("List[torch.Tensor]" if isinstance(one, list) else "torch.Tensor" for one in tensors)
    parameters = ", ".join(f"x{at}: {kind}" for at, kind in enumerate(kinds))
    text = f"def program({parameters}):\n    return {call}\n"
    path = f"<operator {name}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names: dict[str, Any] = {"torch": torch, "List": typing.List, "__name__": "operators"}  # noqa: UP006
    exec(compile(text, path, "exec"), names)
    return names["program"]
