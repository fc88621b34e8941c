"""A function compiled apart: Dynamo takes nothing for it that was compiled for another way."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from dynamo_lab.capture.core import hooks

OF_DYNAMO = ("guard_filter_fn",)
"""Options of `torch.compile` that are not the backend's."""


class _Apart:
    """A backend that equals no other one, so that Dynamo keeps what it compiles to itself."""

    def __init__(self, backend: Callable[..., Any]) -> None:
        self._backend = backend

    def __call__(self, graph: Any, inputs: Any) -> Any:
        return self._backend(graph, inputs)


def compiled_apart(
    fn: Callable[..., Any],
    backend: str | Callable[..., Any],
    *,
    mode: str | None,
    dynamic: bool | None,
    fullgraph: bool,
    options: Mapping[str, Any],
) -> Callable[..., Any]:
    """The function under `torch.compile`, with what it compiles kept apart."""
    options = dict(options)
    of_dynamo = {name: options.pop(name) for name in OF_DYNAMO if name in options}
    if backend == "inductor":
        made = hooks.INDUCTOR_BACKEND.get()(mode, options or None, dynamic)
    else:
        made = hooks.LOOKUP_BACKEND.get()(backend)
    compiled: Any = torch.compile(  # pyright: ignore[reportUnknownMemberType]
        fn, backend=_Apart(made), dynamic=dynamic, fullgraph=fullgraph, options=of_dynamo or None
    )
    return compiled
