# pyright: reportUnknownMemberType=false, reportUnknownParameterType=false
# torch annotates its functions only in part.
"""ResNet-50 (He et al., 2015) and losses, as programs of the reader's."""

from typing import Any

from torch import Tensor, nn

_STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Width, blocks and stride of the four stages (table 1)."""

_WIDER = 4
"""A block's output has so many times the channels of its 3x3 convolution."""


class Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions, and a shortcut around them."""

    def __init__(self, inside: int, width: int, stride: int) -> None:
        super().__init__()
        outside = width * _WIDER
        self.conv1 = nn.Conv2d(inside, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outside, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU()
        self.shortcut = nn.Identity() if inside == outside else _projection(inside, outside, stride)

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + self.shortcut(x))


def _projection(inside: int, outside: int, stride: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))


class ResNet50(nn.Module):
    """The network, its blocks in `stages.0` to `stages.3`."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.MaxPool2d(3, 2, 1),
        )
        self.stages = nn.Sequential()
        inside = 64
        for width, blocks, stride in _STAGES:
            stage = nn.Sequential()
            for number in range(blocks):
                stage.append(Bottleneck(inside, width, stride if number == 0 else 1))
                inside = width * _WIDER
            self.stages.append(stage)
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, 1000))

    def forward(self, x: Tensor) -> Tensor:
        """The scores of 1,000 classes."""
        return self.head(self.stages(self.stem(x)))


def loss(model: nn.Module, images: Tensor, classes: Tensor) -> Tensor:
    """What a step of training lowers."""
    return nn.functional.cross_entropy(model(images), classes)


def spread_of_scores(model: Any, ids: Tensor) -> Tensor:
    """A loss for a language model that keeps its graph whole, as its own loss would not."""
    return model(ids).logits.square().mean()
