# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""A small network of inverted bottlenecks, and how it comes to know some digits."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import fuse_conv_bn_eval

from dynamo_lab.tiny.networks import Block, InvertedBottleneck


class Digits(nn.Module):
    """A convolution, inverted bottlenecks and a classifier, for images of 8 x 8."""

    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        blocks = [(8, Block(3, 3, 8)), (8, Block(3, 3, 16, 2)), (16, Block(3, 3, 16))]
        self.first = nn.Conv2d(1, 8, 3, 1, 1)
        self.blocks = nn.ModuleList(InvertedBottleneck(*block) for block in blocks)
        self.last = nn.Conv2d(16, 48, 1)
        self.head = nn.Linear(48, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu6(self.first(x))
        for block in self.blocks:
            x = block(x)
        return self.head(functional.relu6(self.last(x)).mean((2, 3)))


def learned(x: torch.Tensor, y: torch.Tensor, seed: int) -> Digits:
    """A network that knows these digits, with a new head.

    Batches are normalized while it learns; that is folded into the convolutions, as for a device.
    """
    torch.manual_seed(seed)
    model = Digits()
    places = [name for name, one in model.named_modules() if isinstance(one, nn.Conv2d)]
    for name in places:
        convolution = model.get_submodule(name)
        channels = cast("nn.Conv2d", convolution).out_channels
        model.set_submodule(name, nn.Sequential(convolution, nn.BatchNorm2d(channels)))
    adam = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(10):
        for part in torch.randperm(len(y)).split(32):
            adam.zero_grad()
            functional.cross_entropy(model(x[part]), y[part]).backward()
            adam.step()
    model.eval()
    for name in places:
        pair = cast("Any", model.get_submodule(name))
        model.set_submodule(name, fuse_conv_bn_eval(pair[0], pair[1]))
    model.head = nn.Linear(48, 5)
    return model
