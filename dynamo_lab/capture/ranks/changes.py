"""Settings of DDP that a job is tried with, in place of the program's own."""

from __future__ import annotations

import functools
import inspect
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.core.hooks import DYNAMO_SETTINGS
from dynamo_lab.capture.ranks import hooks

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

PYTHON_REDUCER = "python_reducer"
"""DDP's reducer in Python, whose collectives compiled autograd puts into the backward's graph."""


@contextmanager
def changed(changes: Mapping[str, Any]) -> Generator[None]:
    """In the block, modules are wrapped in DDP with these arguments, whatever the program says."""
    arguments = {name: value for name, value in changes.items() if name != PYTHON_REDUCER}
    with ExitStack() as stack:
        if changes.get(PYTHON_REDUCER):
            patch = DYNAMO_SETTINGS.get().patch
            stack.enter_context(patch(optimize_ddp="python_reducer", compiled_autograd=True))
        if arguments:
            stack.enter_context(_with_arguments(arguments))
        yield


@contextmanager
def _with_arguments(arguments: Mapping[str, Any]) -> Generator[None]:
    owner, name = hooks.DDP_MADE.place()
    made = getattr(owner, name)
    signature = inspect.signature(made)

    @functools.wraps(made)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.arguments.update(arguments)
        made(*bound.args, **bound.kwargs)

    setattr(owner, name, wrapped)
    try:
        yield
    finally:
        setattr(owner, name, made)
