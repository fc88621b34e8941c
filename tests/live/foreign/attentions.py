"""Attention written by hand, in the ways that people write it."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.live.programs import Program


def _qkv(dtype: torch.dtype = torch.float32, *sizes: int) -> tuple[Tensor, ...]:
    return tuple(torch.randn(sizes or (2, 4, 32, 64)).to(dtype) for _ in range(3))


def divided(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q @ k.transpose(-2, -1) / 8, -1) @ v


def scaled(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax((q @ k.transpose(-2, -1)) * q.shape[-1] ** -0.5, -1) @ v


def masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    length = q.shape[-2]
    mask = torch.ones(length, length, dtype=torch.bool, device=q.device).tril()
    scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v


def added(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    return torch.softmax(q @ k.transpose(-2, -1) / 8 + bias, -1) @ v


def dropped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return functional.dropout(torch.softmax(q @ k.transpose(-2, -1) / 8, -1), 0.1) @ v


def permuted(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    first, second, third = (t.permute(0, 2, 1, 3) for t in (q, k, v))
    return (first @ second.transpose(-2, -1)).div(8.0).softmax(-1) @ third


def summed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / 8
    return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)


def linear_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    first, second = functional.elu(q) + 1, functional.elu(k) + 1
    return first @ (second.transpose(-2, -1) @ v) / (first @ second.sum(-2).unsqueeze(-1))


class Rotary(nn.Module):
    """Attention with rotary positions and a key-value head for two query heads."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.kv = nn.Linear(64, 64), nn.Linear(64, 64)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q = self.q(x).view(batch, length, 4, 16).transpose(1, 2)
        k, v = self.kv(x).view(batch, length, 2, 32).transpose(1, 2).chunk(2, -1)
        angles = torch.outer(
            torch.arange(length, device=x.device).float(), torch.ones(8, device=x.device)
        )
        cos, sin = angles.cos(), angles.sin()
        turned = [
            torch.cat((a * cos - b * sin, a * sin + b * cos), -1)
            for a, b in (t.chunk(2, -1) for t in (q, k))
        ]
        k, v = turned[1].repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        return functional.scaled_dot_product_attention(turned[0], k, v, is_causal=True)


def _of(fn: Any, dtype: torch.dtype = torch.float32, **options: Any) -> Program:
    return lambda: (fn, _qkv(dtype), {"grad": False, **options})


def _trained(fn: Any, dtype: torch.dtype = torch.float32) -> Program:
    def build() -> Any:
        return fn, tuple(t.requires_grad_() for t in _qkv(dtype)), {"grad": True}

    return build


PROGRAMS: dict[str, Program] = {
    "attention_divided": _of(divided),
    "attention_divided_half": _of(divided, torch.float16),
    "attention_scaled": _of(scaled),
    "attention_scaled_bfloat16": _of(scaled, torch.bfloat16),
    "attention_masked": _of(masked),
    "attention_masked_half": _of(masked, torch.float16),
    "attention_added": lambda: (added, (*_qkv(), torch.randn(1, 1, 32, 32)), {"grad": False}),
    "attention_dropped": _of(dropped),
    "attention_dropped_half": _of(dropped, torch.float16),
    "attention_permuted": _of(permuted, torch.float16),
    "attention_summed": _of(summed),
    "attention_linear": _of(linear_attention),
    "attention_trained": _trained(divided),
    "attention_trained_half": _trained(scaled, torch.float16),
    "attention_dynamic": _of(divided, torch.float16, dynamic=True),
    "attention_rotary": lambda: (Rotary(), (torch.randn(2, 16, 64),), {"grad": False}),
    "attention_multihead": lambda: (
        nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True).train(),
        (torch.randn(2, 16, 64),),
        {"grad": True},
    ),
}
