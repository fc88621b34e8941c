"""Networks for little memory, written from their papers' tables, with random weights.

They have no BatchNorm: on a microcontroller it is folded into the convolution before it, whose
bias then stands for it. Each takes images of 128 x 128 unless another size is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Block:
    """An inverted bottleneck: its expansion, filter, output channels and stride."""

    expand: int
    kernel: int
    channels: int
    stride: int = 1


class InvertedBottleneck(nn.Module):
    """Pointwise up, depthwise, pointwise down without an activation; around it the input, if alike.

    Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR 2018, table 1.
    """

    def __init__(self, inputs: int, block: Block) -> None:
        super().__init__()
        hidden = inputs * block.expand
        self.up = nn.Conv2d(inputs, hidden, 1) if block.expand > 1 else None
        self.depthwise = nn.Conv2d(
            hidden, hidden, block.kernel, block.stride, block.kernel // 2, groups=hidden
        )
        self.down = nn.Conv2d(hidden, block.channels, 1)
        self.is_residual = block.stride == 1 and inputs == block.channels

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images (n, inputs, h, w) to (n, channels, h / stride, w / stride)."""
        inner = x if self.up is None else functional.relu6(self.up(x))
        inner = self.down(functional.relu6(self.depthwise(inner)))
        return x + inner if self.is_residual else inner


class MobileNetwork(nn.Module):
    """A first convolution, inverted bottlenecks, a last pointwise one, and a classifier."""

    def __init__(self, first: int, blocks: Sequence[Block], last: int, classes: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, first, 3, 2, 1)
        inputs = [first, *(block.channels for block in blocks)]
        self.blocks = nn.ModuleList(
            InvertedBottleneck(given, block) for given, block in zip(inputs, blocks, strict=False)
        )
        self.last = nn.Conv2d(inputs[-1], last, 1) if last else None
        self.head = nn.Linear(last or inputs[-1], classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images (n, 3, h, w) to scores (n, classes)."""
        x = functional.relu6(self.first(x))
        for block in self.blocks:
            x = block(x)
        if self.last is not None:
            x = functional.relu6(self.last(x))
        return self.head(x.mean((2, 3)))


def wide(channels: float, width: float) -> int:
    """Channels times a width, to a multiple of 8 that is no more than a tenth below."""
    scaled = channels * width
    rounded = max(8, int(scaled + 4) // 8 * 8)
    return rounded if rounded >= 0.9 * scaled else rounded + 8


def mobilenet_v2(width: float = 0.35, classes: int = 10) -> MobileNetwork:
    """MobileNetV2 (Sandler et al., CVPR 2018, table 2), all layers `width` times as wide."""
    table = [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]
    blocks = [
        Block(expand, 3, wide(channels, width), stride if k == 0 else 1)
        for expand, channels, count, stride in table
        for k in range(count)
    ]
    return MobileNetwork(wide(32, width), blocks, wide(1280, width), classes)


def proxyless_nas(width: float = 0.3, classes: int = 10) -> MobileNetwork:
    """ProxylessNAS for a phone (Cai et al., ICLR 2019, figure 4), `width` times as wide."""
    stages = [
        (16, 1, [(1, 3)]),
        (32, 2, [(3, 5), (3, 3)]),
        (40, 2, [(3, 7), (3, 3), (3, 5), (3, 5)]),
        (80, 2, [(6, 7), (3, 5), (3, 5), (3, 5)]),
        (96, 1, [(6, 5), (3, 5), (3, 5), (3, 5)]),
        (192, 2, [(6, 7), (6, 7), (3, 7), (3, 7)]),
        (320, 1, [(6, 7)]),
    ]
    return MobileNetwork(wide(32, width), _staged(stages, width), wide(1280, width), classes)


def mcunet_like(classes: int = 10) -> MobileNetwork:
    """A network of the kind and the size of MCUNet-5fps (Lin et al., NeurIPS 2020), not that one.

    The published one was found by a search and is not in a table of the paper: this one has about
    its parameters (0.48 million with 1000 classes) and its mixed filters.
    """
    stages = [
        (8, 1, [(1, 3)]),
        (16, 2, [(3, 7), (5, 3), (5, 5)]),
        (24, 2, [(5, 5), (4, 5), (5, 3)]),
        (40, 2, [(5, 7), (5, 5), (4, 3)]),
        (48, 1, [(5, 5), (4, 3), (4, 5)]),
        (96, 2, [(5, 7), (4, 3), (4, 3)]),
        (160, 1, [(5, 3)]),
    ]
    return MobileNetwork(16, _staged(stages, 1), 0, classes)


def _staged(
    stages: Sequence[tuple[int, int, Sequence[tuple[int, int]]]], width: float
) -> list[Block]:
    """Blocks of stages: channels, the stride of the first, and each one's expansion and filter."""
    return [
        Block(expand, kernel, wide(channels, width), stride if k == 0 else 1)
        for channels, stride, kinds in stages
        for k, (expand, kernel) in enumerate(kinds)
    ]


class TransformerBlock(nn.Module):
    """Attention and a perceptron, each on normalized inputs and added to them."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(width)
        self.mixed = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.between = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Sequences (n, length, width) to the same."""
        n, length, width = x.shape
        mixed = self.mixed(self.before(x)).view(n, length, 3, self.heads, width // self.heads)
        queries, keys, values = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        scores = queries @ keys.transpose(-2, -1) * (width // self.heads) ** -0.5
        seen = (scores.softmax(-1) @ values).transpose(1, 2).reshape(n, length, width)
        x = x + self.out(seen)
        return x + self.down(functional.relu(self.up(self.between(x))))


class Transformer(nn.Module):
    """Tokens with places, transformer blocks, and a classifier of their mean."""

    def __init__(
        self, inputs: int = 8, length: int = 16, width: int = 32, depth: int = 2, classes: int = 10
    ) -> None:
        super().__init__()
        self.embed = nn.Linear(inputs, width)
        self.place = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.ModuleList(TransformerBlock(width, 4) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Sequences (n, length, inputs) to scores (n, classes)."""
        x = self.embed(x) + self.place
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(1))
