"""Autocast, seen from below: where values become bfloat16, and where they do not.

`lab.precision` runs a model in each precision and compares its parts with float64. This is the
compilation under autocast: **Kernels** has the products in bfloat16, and the conversions fused into
what stands beside them.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "kernels"


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(64, 64)
        self.norm = nn.LayerNorm(64)
        self.down = nn.Linear(64, 8)

    def forward(self, x):
        hidden = self.norm(self.up(x))
        return torch.softmax(self.down(hidden), -1)


found = lab.precision(Router().eval(), torch.randn(16, 64), rounds=0)
print(found)
rec = found.recordings["autocast bf16"]
