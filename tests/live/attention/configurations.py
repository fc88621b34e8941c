"""Calls of attention drawn by lot: types, sizes, masks, strides, grouped heads, gradients."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


class Configuration(NamedTuple):
    """The arguments of one call."""

    tensors: tuple[Any, Any, Any, Any]
    options: dict[str, Any]

    @property
    def named(self) -> dict[str, Any]:
        """All arguments by name."""
        names = ("query", "key", "value", "attn_mask")
        return {**dict(zip(names, self.tensors, strict=True)), **self.options}


def configurations(count: int, device: str = "cpu", seed: int = 0) -> Iterator[Configuration]:
    """As many calls, the same ones each time; by far the most of them are plausible."""
    lot = random.Random(seed)
    for _ in range(count):
        yield _drawn(lot, device)


def _drawn(lot: random.Random, device: str) -> Configuration:
    dtype = lot.choice(_TYPES)
    batch, heads = lot.choice((1, 2)), lot.choice((1, 2, 4))
    few = lot.choice((heads, heads, heads, 1, 2))
    length = lot.choice((0, 1, 5, 16, 16, 16, 64))
    keys = lot.choice((length, length, length, 1, 8))
    head = lot.choice((1, 8, 8, 12, 64, 128, 192, 256, 300))
    of_value = lot.choice((head, head, head, head, 16))
    dims = lot.choice((4,) * 8 + (3,))

    def tensor(*shape: int) -> torch.Tensor:
        shape = shape[4 - dims :]
        made = torch.randn(shape, device=device, dtype=torch.float32)
        if not lot.randrange(7):
            made = made.transpose(-1, -2).contiguous().transpose(-1, -2)
        return made.to(dtype).requires_grad_(lot.random() < 0.2)

    query = tensor(batch, heads, length, head)
    key = tensor(lot.choice((batch,) * 4 + (1,)), few, keys, head)
    value = tensor(batch, lot.choice((few,) * 5 + (heads,)), keys, of_value)
    mask = _mask(lot, dtype, (batch, heads, length, keys), device) if lot.random() < 0.5 else None
    options: dict[str, Any] = {
        "dropout_p": lot.choice((0.0,) * 5 + (0.125, 0.1)),
        "is_causal": mask is None and lot.random() < 0.3,
        "scale": None,
        "enable_gqa": lot.random() < 0.3,
    }
    return Configuration((query, key, value, mask), options)


def _mask(
    lot: random.Random, dtype: torch.dtype, scores: tuple[int, int, int, int], device: str
) -> torch.Tensor:
    batch, heads, length, keys = scores
    shape = lot.choice(
        (
            (length, keys), (1, keys), (length, 1), scores, (batch, 1, length, keys),
            (1, 1, 1, keys), (heads, length, keys), (batch, heads, length, keys + 1),
        )
    )  # fmt: skip
    # of some masks the last dimension is one number that is read again and again
    stored, full = ((*shape[:-1], 1), shape) if lot.random() < 0.2 else (shape, shape)
    if lot.random() < 0.5:
        return torch.ones(stored, dtype=torch.bool, device=device).expand(full)
    made = torch.randn(stored, device=device).to(dtype)
    return made.requires_grad_(lot.random() < 0.2).expand(full)


def nested(count: int, device: str = "cpu", seed: int = 0) -> Iterator[Configuration]:
    """Calls whose tensors are nested: each batch's sequences have lengths of their own."""
    lot = random.Random(seed)
    for _ in range(count):
        heads, head = lot.choice((1, 2, 4)), lot.choice((8, 12, 64, 128))
        lengths = [lot.choice((1, 5, 16)) for _ in range(lot.choice((1, 2, 3)))]
        dtype = lot.choice(_TYPES)
        parts = [
            [torch.randn(heads, one, head, device=device).to(dtype) for one in lengths]
            for _ in range(3)
        ]
        query, key, value = map(torch.nested.nested_tensor, parts)
        options = {"dropout_p": 0.0, "is_causal": False, "scale": None, "enable_gqa": False}
        yield Configuration((query, key, value, None), options)
