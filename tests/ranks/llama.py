"""A Llama block, for programs of several ranks."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Rotary attention and a gated feed-forward part (Touvron et al., 2023).

    `size` channels, of which each head has `head`, an even number; its heads may be on several
    ranks. Of `x`, of batch x tokens x `size`, it gives as much.
    """

    def __init__(self, size: int, head: int) -> None:
        super().__init__()
        self.head = head
        self.norms = nn.ModuleList([nn.RMSNorm(size), nn.RMSNorm(size)])
        self.q, self.k, self.v, self.o = (nn.Linear(size, size, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(size, 4 * size, bias=False) for _ in range(2))
        self.down = nn.Linear(4 * size, size, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norms[0](x)
        q, k, v = (self._heads(one(y)) for one in (self.q, self.k, self.v))  # line: attention
        attended = functional.scaled_dot_product_attention(
            _turned(q), _turned(k), v, is_causal=True
        )
        x = x + self.o(attended.transpose(1, 2).flatten(2))  # line: o
        y = self.norms[1](x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))  # line: down

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:2], -1, self.head).transpose(1, 2)


def _turned(x: torch.Tensor) -> torch.Tensor:
    """Rotary embeddings (Su et al., 2021) of batch x heads x tokens x channels."""
    half = x.shape[-1] // 2
    rates = 10_000.0 ** (-torch.arange(half, device=x.device) / half)
    angles = torch.arange(x.shape[-2], device=x.device)[:, None] * rates
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
