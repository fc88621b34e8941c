"""oneDNN Graph: a traced and frozen network, and the operators that it joined.

In PyTorch it is of TorchScript alone (`torch.jit.enable_onednn_fusion`); Inductor's own patterns
for oneDNN do not use it.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

_GROUP = "prim::oneDNNFusionGroup"
_CALLS = 3
"""After so many the graph executor has measured shapes and has fused."""


def traced(model: torch.nn.Module, example: tuple[Any, ...]) -> Callable[[], object]:
    """A call of the network as a frozen graph, fused by oneDNN Graph.

    Raises what TorchScript raises where the network cannot be traced or frozen.
    """
    script: Any = torch.jit
    with _fusing(), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that TorchScript is old
        frozen = script.freeze(script.trace(model, example))
        for _ in range(_CALLS):
            frozen(*example)

    def call() -> object:
        with torch.no_grad():
            return frozen(*example)

    return call


def joined(call: Callable[[], object]) -> tuple[tuple[str, ...], ...]:
    """The operators of each group in what a call ran."""
    script: Any = torch.jit
    call()
    return tuple(_groups(script.last_executed_optimized_graph()))


@contextmanager
def _fusing() -> Generator[None]:
    script: Any = torch.jit
    before = script.onednn_fusion_enabled()
    try:
        script.enable_onednn_fusion(True)
        yield
    finally:
        script.enable_onednn_fusion(before)


def _groups(within: Any) -> Iterator[tuple[str, ...]]:
    for node in within.nodes():
        if node.kind() == _GROUP:
            yield tuple(_operators(node.g("Subgraph")))
        for block in node.blocks():
            yield from _groups(block)


def _operators(graph: Any) -> Iterator[str]:
    kinds = (node.kind() for node in graph.nodes())
    yield from (kind.removeprefix("aten::").strip("_") for kind in kinds if kind[:4] == "aten")
