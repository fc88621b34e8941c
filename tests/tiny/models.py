"""Small models of several kinds, and eager's step that a plan is held against."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional

from dynamo_lab.tiny.selection import channel_dim

if TYPE_CHECKING:
    from dynamo_lab.tiny.plan import Plan


class Convolutions(nn.Module):
    """A residual block with a depthwise convolution, both kinds of ReLU, and a linear head."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, 2, 1)
        self.depthwise = nn.Conv2d(8, 8, 3, 1, 1, groups=8)
        self.point = nn.Conv2d(8, 8, 1)
        self.head = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu6(self.first(x))
        inner = functional.relu(self.depthwise(x))
        return self.head((self.point(inner) + x).mean((2, 3)))


def convolutions() -> tuple[nn.Module, tuple[torch.Tensor, torch.Tensor]]:
    """The model and a sample, the same each time."""
    torch.manual_seed(0)
    return Convolutions(), (torch.randn(2, 3, 8, 8), torch.tensor([1, 3]))


def stepped_eagerly(
    model: nn.Module, plan: Plan, sample: tuple[torch.Tensor, torch.Tensor], steps: int = 1
) -> tuple[nn.Module, list[float]]:
    """A copy of the model after steps of `torch.optim.SGD` with the plan's mask, and the losses."""
    made = copy.deepcopy(model)
    options = plan.optimizer
    chosen = [p for name, p in made.named_parameters() if name in plan.selected]
    sgd = torch.optim.SGD(
        chosen, options.lr, momentum=options.momentum, weight_decay=options.weight_decay
    )
    losses: list[float] = []
    for _ in range(steps):
        made.zero_grad()
        loss = functional.cross_entropy(made(sample[0]), sample[1])
        loss.backward()
        _mask(made, plan)
        sgd.step()
        losses.append(loss.item())
    return made, losses


def _mask(model: nn.Module, plan: Plan) -> None:
    """Gradients of the channels that are not chosen are zero."""
    for name, parameter in model.named_parameters():
        channels = plan.selected.get(name)
        if channels is not None and parameter.grad is not None:
            kept = torch.zeros_like(parameter)
            kept.index_fill_(channel_dim(parameter), torch.tensor(channels), 1)
            parameter.grad *= kept


def difference(one: nn.Module, other: nn.Module) -> float:
    """The largest difference of any parameter."""
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max((a - b).abs().max().item() for a, b in pairs)


def samples(count: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    draw = torch.Generator().manual_seed(2)
    found: list[tuple[torch.Tensor, torch.Tensor]] = []
    for _ in range(count):
        y = torch.randint(4, (2,), generator=draw)
        x = torch.randn(2, 3, 8, 8, generator=draw) + y.view(-1, 1, 1, 1)
        found.append((x, y))
    return found
