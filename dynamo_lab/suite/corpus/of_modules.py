"""PyTorch's own modules with the arguments of its own tests (ModuleInfo)."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = "torch.testing._internal.common_modules"
"""The table of PyTorch's tests, as that of operators."""

_EACH = 3
"""At most so many of a module's cases."""


def entries() -> Iterator[Entry]:
    """An entry for each of the first cases of each module."""
    for info in import_module(TABLE).module_db:
        for at, _ in enumerate(_cases(info)):
            yield Entry(f"{info.name}.{at}", partial(_program, info, at))


def _cases(info: Any) -> Iterator[Any]:
    made = info.module_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=False, training=False
    )
    called = (one for one in made if one.forward_input is not None)
    yield from islice(called, _EACH)


def _program(info: Any, at: int) -> Program:
    case = next(islice(_cases(info), at, None))
    made, given = case.constructor_input, case.forward_input
    module = info.module_cls(*made.args, **made.kwargs).eval()
    return Program(module, tuple(given.args), dict(given.kwargs))
