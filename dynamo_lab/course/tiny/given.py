"""What the lesson is given: its network, its images, and a small backward to put in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch

CLASSES = 4
SIZE = 32


def network(seed: int = 0) -> Any:
    """A network of inverted bottlenecks for images of 32 x 32, with random weights.

    They are drawn as He et al. (ICCV 2015) do, since nothing normalizes what is between layers.
    """
    import torch
    from torch import nn

    from dynamo_lab.tiny.networks import Block, MobileNetwork

    torch.manual_seed(seed)
    blocks = [Block(3, 3, 16), Block(3, 3, 24, 2), Block(3, 3, 24), Block(3, 3, 40, 2)]
    made = MobileNetwork(16, blocks, 96, CLASSES)
    for module in made.modules():
        if isinstance(module, nn.Conv2d) and module.bias is not None:
            nn.init.kaiming_normal_(module.weight)
            nn.init.zeros_(module.bias)
    return made


def images(count: int, seed: int = 0, turn: float = 0.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Images (count, 3, 32, 32) of stripes with noise, and which of four directions they have.

    `turn` turns all of them, in radians: other stripes to learn.
    """
    import math

    import torch

    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    angle = labels * math.pi / CLASSES + turn
    y, x = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    along = x * angle.cos()[:, None, None] + y * angle.sin()[:, None, None]
    phase = torch.rand(count, 1, 1, generator=generator) * 2 * math.pi
    stripes = (along * 0.8 + phase).sin()[:, None].expand(-1, 3, -1, -1)
    return stripes + 0.5 * torch.randn(count, 3, SIZE, SIZE, generator=generator), labels


SMALL_STEP: Mapping[str, tuple[tuple[str, ...], int]] = {
    "grad3": ((), 4),
    "wgrad3": (("grad3",), 6),
    "grad2": (("grad3",), 4),
    "wgrad2": (("grad2",), 8),
    "grad1": (("grad2",), 2),
    "wgrad1": (("grad1",), 3),
    "update3": (("wgrad3",), 0),
    "update2": (("wgrad2",), 0),
    "update1": (("wgrad1",), 0),
}
"""The backward of three layers: what each operation reads, and the kB of what it makes."""


def peak(order: Sequence[str]) -> int:
    """The most kB in memory at once, in an order: a value goes after the last that reads it."""
    waiting, alive, most = list(order), dict[str, int](), 0
    while waiting:
        now = waiting.pop(0)
        alive[now] = SMALL_STEP[now][1]
        most = max(most, sum(alive.values()))
        alive = {k: v for k, v in alive.items() if any(k in SMALL_STEP[one][0] for one in waiting)}
    return most
