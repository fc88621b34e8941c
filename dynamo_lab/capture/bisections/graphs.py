"""A backend that compiles each graph at a stage of its own, and keeps what the graph was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from dynamo_lab.capture.bisections import hooks

_KEPT_BYTES = 256 << 20


@dataclass
class Held:
    """A captured graph, and the arguments of its first call as they were before it.

    Of a graph whose compilation failed, they are those that it was to be compiled for.
    """

    module: fx.GraphModule
    inputs: list[Any] | None = None
    """None where they take too much memory, or the graph was not called."""


@dataclass
class StagedBackend:
    """Compiles graph i at `stage(i)`: "eager" is the graph as Dynamo captured it."""

    stage: Callable[[int], str]
    keeps: bool = False
    graphs: list[Held] = field(default_factory=list[Held])

    def __call__(self, module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        """How Dynamo has a graph compiled."""
        number = len(self.graphs)
        held = Held(_copied(module))
        self.graphs.append(held)
        run = self._compiled(held, self.stage(number), module, inputs)
        return _keeping(held, run) if self.keeps else run

    def _compiled(
        self, held: Held, stage: str, module: fx.GraphModule, inputs: Sequence[Any]
    ) -> Callable[..., Any]:
        if stage == "eager":
            return module.forward
        try:
            return hooks.LOOKUP.get()(stage)(module, inputs)
        except Exception:
            if self.keeps and _bytes(inputs) <= _KEPT_BYTES:
                held.inputs = [_kept(_real(value)) for value in inputs]
            raise


def _copied(module: fx.GraphModule) -> fx.GraphModule:
    """The graph as it is now, on the same parameters: backends rewrite what they are given."""
    graph = fx.Graph()
    output = graph.graph_copy(module.graph, {})
    graph.output(output)
    return fx.GraphModule(module, graph)


def _keeping(held: Held, run: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any) -> Any:
        if held.inputs is None and _bytes(args) <= _KEPT_BYTES:
            held.inputs = [_kept(arg) for arg in args]
        return run(*args)

    return called


def _real(value: Any) -> Any:
    """What a graph is to be compiled for, as it is called: a symbolic number has one of the run."""
    return value.node.hint if isinstance(value, torch.SymInt | torch.SymFloat) else value


def _bytes(args: Sequence[Any]) -> int:
    return sum(a.numel() * a.element_size() for a in args if isinstance(a, torch.Tensor))


def _kept(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)
