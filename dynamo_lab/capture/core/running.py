"""Run a program under `torch.compile` as its user requested."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import torch

Call = tuple[Sequence[Any], Mapping[str, Any]]
"""The arguments of a call, by position and by name."""


def run(
    fn: Callable[..., Any],
    calls: Sequence[Call],
    *,
    grad: bool | None = None,
    **compile_options: Any,
) -> Any:
    """Compile `fn`, make these calls one after another, and return what the last returned.

    With `grad=True` a backward pass follows each, from what it returned.
    """
    options = compile_options.get("options")
    if options:  # of which it takes out what is not for the backend
        compile_options["options"] = dict(options)
    result, compiled = None, torch.compile(fn, **compile_options)
    for args, kwargs in calls:
        result = call_once(compiled, args, kwargs, grad=grad)
    return result


def call_once(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], *, grad: bool | None
) -> Any:
    """Call `fn`, and with `grad=True` run a backward pass from what it returns."""
    with torch.no_grad() if grad is False else nullcontext():
        result = fn(*args, **kwargs)
    if grad:
        differentiable = [t for t in tensors_in(result) if t.requires_grad]
        if differentiable:
            torch.stack([t.float().sum() for t in differentiable]).sum().backward()
    return result


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in nested tuples, lists and mappings (model outputs are mappings)."""
    match value:
        case torch.Tensor():
            yield value
        case Mapping():
            for item in value.values():
                yield from tensors_in(item)
        case tuple() | list():
            for item in value:
                yield from tensors_in(item)
        case _:
            pass
