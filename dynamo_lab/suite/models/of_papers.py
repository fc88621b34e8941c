"""ResNet-50, VGG16 and BERT as their papers have them, of torch.nn alone: no package is needed.

PyTorch's training on Macs was announced with these three, in batches of 64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from dynamo_lab.suite.models.model import Model, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.suite.results import Size

_CLASSES = 1000

_STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Width, blocks and stride of ResNet-50's four stages (He 2015, table 1)."""

_WIDER = 4
"""A block's output has so many times the channels of its 3x3 convolution."""


class _Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions, and a shortcut around them."""

    def __init__(self, inside: int, width: int, stride: int) -> None:
        super().__init__()
        outside = width * _WIDER
        self.path = nn.Sequential(
            nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, outside, 1, bias=False), nn.BatchNorm2d(outside),
        )  # fmt: skip
        self.short = nn.Sequential()
        if inside != outside:
            self.short.append(nn.Conv2d(inside, outside, 1, stride, bias=False))
            self.short.append(nn.BatchNorm2d(outside))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.path(x) + self.short(x))


class ResNet50(nn.Module):
    """ResNet-50 (He 2015), for images of any size."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
            nn.MaxPool2d(3, 2, 1),
        )  # fmt: skip
        self.blocks = nn.Sequential()
        inside = 64
        for width, blocks, stride in _STAGES:
            for number in range(blocks):
                self.blocks.append(_Bottleneck(inside, width, stride if number == 0 else 1))
                inside = width * _WIDER
        self.head = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, _CLASSES)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The scores of the classes."""
        return self.head(self.blocks(self.stem(x)))


_COLUMN_D = (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0)
"""Channels of VGG16's convolutions, 0 for a pool (Simonyan 2014, table 1, column D)."""


class VGG16(nn.Module):
    """VGG16 (Simonyan 2014), without the dropout of its head."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(*_vgg16())
        self.head = nn.Sequential(
            nn.AdaptiveAvgPool2d(7), nn.Flatten(), nn.Linear(512 * 7 * 7, 4096), nn.ReLU(),
            nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, _CLASSES),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The scores of the classes."""
        return self.head(self.features(x))


def _vgg16() -> Iterator[nn.Module]:
    inside = 3
    for width in _COLUMN_D:
        if width:
            yield nn.Conv2d(inside, width, 3, padding=1)
            yield nn.ReLU()
            inside = width
        else:
            yield nn.MaxPool2d(2)


_WORDS, _POSITIONS, _WIDTH = 30522, 512, 768
"""Of BERT-base (Devlin 2018)."""


class Bert(nn.Module):
    """BERT-base (Devlin 2018) with its head that names masked words, without dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(_WORDS, _WIDTH)
        self.positions = nn.Embedding(_POSITIONS, _WIDTH)
        self.kinds = nn.Embedding(2, _WIDTH)
        self.norm = nn.LayerNorm(_WIDTH, eps=1e-12)
        layer = nn.TransformerEncoderLayer(
            _WIDTH, 12, 4 * _WIDTH, 0.0, "gelu", 1e-12, batch_first=True
        )
        self.layers = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)
        self.head = nn.Sequential(
            nn.Linear(_WIDTH, _WIDTH), nn.GELU(), nn.LayerNorm(_WIDTH, eps=1e-12)
        )
        self.bias = nn.Parameter(torch.zeros(_WORDS))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The scores of all words at each position; their embeddings are the last matrix."""
        at = torch.arange(ids.shape[1], device=ids.device)
        known = self.words(ids) + self.positions(at) + self.kinds(torch.zeros_like(ids))
        found = self.head(self.layers(self.norm(known)))
        return nn.functional.linear(found, self.words.weight, self.bias)


def _images(module: nn.Module, size: Size) -> Program:
    batch, side = (1, 64) if size == "small" else (64, 224)
    return Program(module, {"x": torch.randn(batch, 3, side, side)})


def _bert(size: Size) -> Program:
    batch, steps = (1, 16) if size == "small" else (64, 128)
    return Program(Bert(), {"ids": torch.randint(_WORDS, (batch, steps))})


MODELS = (
    Model("resnet50_plain", "torch", lambda size: _images(ResNet50(), size)),
    Model("vgg16_plain", "torch", lambda size: _images(VGG16(), size)),
    Model("bert_plain", "torch", _bert),
)
