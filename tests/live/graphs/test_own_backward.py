"""What a function of the user's computes with gradients is of the backward."""

from typing import Any

import torch
from torch import Tensor

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.live.lines import line_of


class Exponential(torch.autograd.Function):
    """Keeps its result, of which the gradient is made."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """The function."""
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Its gradient."""
        (y,) = ctx.saved_tensors
        return gradients[0] * y  # the gradient


def program(x: Tensor, w: Tensor) -> Any:
    y: Any = Exponential.apply(x @ w)
    return y.sum()


def test_it_is_of_the_backward() -> None:
    x, w = (torch.randn(16, 16, requires_grad=True) for _ in range(2))
    recording = lab.lower(program, x, w, grad=True)
    [part] = build(recording).partitions
    joint = next(graph for graph in recording.graphs if graph.stage == "joint")
    own = [node for node in joint.nodes if node.target == "aten.mul.Tensor"]
    assert own
    before = {at for pair in part.pairs for at in pair.forward}
    after = {at for pair in part.pairs for at in pair.backward}
    assert before.isdisjoint(node.index for node in own)
    assert after.issuperset(node.index for node in own)
    line = line_of(Exponential.backward, "# the gradient")
    [pair] = [pair for pair in part.pairs if own[0].index in pair.backward]
    assert pair.where.endswith(str(line))
    assert part.unpartitioned_bytes == 16 * 16 * 4  # its result: the rest are inputs
