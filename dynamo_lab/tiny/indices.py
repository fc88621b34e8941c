"""Indices: the classes and rows of tables that a step reads by a number, and which there are.

A number beyond them would be read from, and written to, whatever lies there: PyTorch refuses it
during the step, C would not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.errors import OptionError
from dynamo_lab.tiny.graph import is_view
from dynamo_lab.tiny.int8.loss import cross_entropy8

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynamo_lab.tiny.graph import Node, StepGraph

aten = torch.ops.aten


@dataclass(frozen=True)
class Indices:
    """Numbers that a node reads by: 0 to `count` - 1, or `ignored`, which stands for no class.

    `part` is the place in the sample of what has them, None where they are computed, and `read`
    what is read: views and copies of it. `looked` has the same numbers before a step: that part, or
    a view of it; None where there is none.
    """

    node: Node
    read: Node
    looked: Node | None
    part: int | None
    count: int
    ignored: int | None

    def first_wrong(self, value: torch.Tensor) -> int | None:
        """The first number that there is no class or row of."""
        is_wrong = (value < 0) | (value >= self.count)
        if self.ignored is not None:
            is_wrong &= value != self.ignored
        return int(value[is_wrong][0].item()) if is_wrong.any() else None

    def said(self, found: int) -> str:
        """What is wrong with a number, as a sentence."""
        few = f"0 to {self.count - 1}"
        if self.ignored is None:
            return f"has index {found}, and the embedding has {self.count:,} rows: {few}."
        skipped = f"{few}, or {self.ignored} for a row that does not count"
        return f"has class {found}, and the scores are of {self.count:,} classes: {skipped}."


def indices_of(step: StepGraph) -> Iterator[Indices]:
    """Of all nodes that read by numbers of a sample, or by numbers that are computed."""
    for node in step.graph.nodes:
        if node.target in (aten.nll_loss_forward.default, aten.nll_loss2d_forward.default):
            scores = node.args[0].meta["val"].shape
            classes = scores[0] if len(scores) == 1 else scores[1]
            yield from _looked(step, node, node.args[1], classes, node.args[4])
        elif node.target is cross_entropy8:
            yield from _looked(
                step, node, node.args[1], node.args[0].meta["val"].shape[1], node.args[2]
            )
        elif node.target is aten.embedding.default:
            yield from _looked(step, node, node.args[1], node.args[0].meta["val"].shape[0], None)


def _looked(
    step: StepGraph, node: Node, read: Node, count: int, ignored: int | None
) -> Iterator[Indices]:
    looked, base, has_all = read, read, True
    while is_view(base) or base.target is aten.clone.default:
        source = base.args[0]
        if not is_view(base):
            looked = source if has_all else None  # a copy has no numbers before the step
        has_all &= source.meta["val"].numel() == base.meta["val"].numel()
        base = source
    if base.name in step.inputs:
        yield Indices(node, read, looked, step.inputs.index(base.name), count, ignored)
    elif base.op != "placeholder":  # a constant of the model is as it is
        yield Indices(node, read, None, None, count, ignored)


def check_indices(step: StepGraph, sample: Sequence[torch.Tensor]) -> None:
    """Refuse a sample that names a class or a row that there is not.

    Args:
        step: Its graph.
        sample: Its parts, from the first on; what is not given is not looked at. One of another
            shape than the step's is looked at where the step reads all of it.

    Raises:
        OptionError: with the number, and those that there are.
    """
    for one in indices_of(step):
        if one.part is None or one.part >= len(sample):
            continue
        value = _seen(step, one.read, sample[one.part])
        found = None if value is None else one.first_wrong(value)
        if found is not None:
            raise OptionError(f"Tensor {one.part} of the sample {one.said(found)}")


def _seen(step: StepGraph, node: Any, given: torch.Tensor) -> torch.Tensor | None:
    """A view, or a copy, of a part of the sample; None where that has another shape."""
    if node.op == "placeholder":
        return given
    value = _seen(step, node.args[0], given)
    if value is None or value.shape != node.args[0].meta["val"].shape:
        return None
    return node.target(value, *node.args[1:], **node.kwargs)
