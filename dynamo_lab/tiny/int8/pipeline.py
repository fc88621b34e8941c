"""The passes from a pruned float32 step to an ordered one in int8."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from dynamo_lab.errors import OptionError
from dynamo_lab.tiny.int8.fuse import fuse
from dynamo_lab.tiny.int8.quantize import Quantized, quantize
from dynamo_lab.tiny.int8.ranges import ranges
from dynamo_lab.tiny.order import MOST_STATES, Order, best_order
from dynamo_lab.tiny.passes.order import ordered
from dynamo_lab.tiny.passes.pipeline import Applied, applied, since
from dynamo_lab.tiny.work import work_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch

    from dynamo_lab.tiny.graph import StepGraph
    from dynamo_lab.tiny.optimizer import Optimizer
    from dynamo_lab.tiny.selection import Selection


@dataclass(frozen=True)
class Int8:
    """How a step becomes one in int8.

    Attributes:
        samples: Like the example, to find the ranges of values from.
        scaled: The parameters whose updates are scaled by quantization-aware scaling.
        headroom: How many times its largest weight a trained weight can become.
    """

    samples: Sequence[Sequence[torch.Tensor]]
    scaled: frozenset[str]
    headroom: float = 2.0


def trained8(
    step: StepGraph,
    selected: Selection,
    values: Mapping[str, torch.Tensor],
    optimizer: Optimizer,
    how: Int8,
    most_states: int = MOST_STATES,
) -> tuple[list[Applied], Order, Quantized]:
    """The passes after pruning, the order that was found, and the int8 step in it.

    Raises:
        OptionError: the optimizer has a state, or a decay.
        TinyError: some operators have no int8 form.
    """
    if optimizer.momentum or optimizer.weight_decay:
        raise OptionError(
            "A step in int8 is plain SGD: a momentum would need more bytes than the weights. Leave "
            'momentum and weight_decay out, or take dtype="float32".'
        )
    if how.headroom < 1:
        raise OptionError(f"headroom={how.headroom!r} is below 1: the weights would not fit.")
    start = perf_counter()
    found = ranges(step, values, how.samples)
    integer = quantize(
        step,
        selected,
        values,
        found,
        rate=optimizer.lr,
        headroom=how.headroom,
        scaled=how.scaled,
    )
    quantized = since(start, "quantize", step, integer.step)
    (fused,) = applied(integer.step, [("fuse", fuse)])
    start = perf_counter()
    work = work_of(fused.after)
    order = best_order(work, most_states)
    last = ordered(fused.after, work, order.operations)
    passes = [quantized, fused, since(start, "order", fused.after, last)]
    return passes, order, replace(integer, step=last)
