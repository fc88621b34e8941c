"""A block of a GPT-2: modules you can open.

Attention, a feed-forward part, two normalisations. The diagram of **Graphs** collapses by
module; a click opens one. Nothing is built here: `lower` stops at the code.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "graphs > diagram > Close all > fit"


class Block(nn.Module):
    def __init__(self, width=256, heads=4):
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.before_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        )

    def attend(self, x):
        q, k, v = (
            t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1)
        )
        found = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.project(found.transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attend(self.before_attention(x))
        return x + self.mlp(self.before_mlp(x))


rec = lab.lower(Block().eval(), torch.randn(2, 64, 256))
lab.check(rec, breaks=0, graphs=1)
