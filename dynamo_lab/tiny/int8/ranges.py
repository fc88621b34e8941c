"""The ranges of values in a float step, from samples: the forward is run on each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.fx.node import map_arg

from dynamo_lab.errors import OptionError
from dynamo_lab.tiny.indices import check_indices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynamo_lab.tiny.graph import StepGraph

Ranges = dict[str, tuple[float, float]]


@torch.no_grad()
def ranges(
    step: StepGraph, values: Mapping[str, torch.Tensor], samples: Sequence[Sequence[torch.Tensor]]
) -> Ranges:
    """By node of the forward, and of the inputs, its least and its largest value.

    Raises:
        OptionError: there is no sample, or one is not like the example or has a class that there
            is not.
    """
    if not samples:
        raise OptionError("`calibrate` has no sample: give a few like the example, (x, y).")
    named = {**step.parameters, **step.buffers}
    given: dict[str, Any] = {node: values[name].detach() for node, name in named.items()}
    found: Ranges = {}
    for sample in samples:
        known = {**given, **step.constants, **_inputs(step, sample)}
        for node in step.graph.nodes:
            if node.op == "call_function" and node.name in step.forward:
                args = map_arg(node.args, lambda read, known=known: known[read.name])
                kwargs = map_arg(node.kwargs, lambda read, known=known: known[read.name])
                known[node.name] = node.target(*args, **kwargs)
            _widen(found, node.name, known.get(node.name))
    return found


def _inputs(step: StepGraph, sample: Sequence[torch.Tensor]) -> dict[str, torch.Tensor]:
    asked = [step.nodes[name].meta["val"] for name in step.inputs]
    if [(one.shape, one.dtype) for one in sample] != [(one.shape, one.dtype) for one in asked]:
        raise OptionError("A sample of `calibrate` has other shapes or types than the example.")
    check_indices(step, sample)
    return dict(zip(step.inputs, sample, strict=True))


def _widen(found: Ranges, name: str, value: Any) -> None:
    if isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel():
        low, high = found.get(name, (float("inf"), float("-inf")))
        found[name] = min(low, value.min().item()), max(high, value.max().item())
