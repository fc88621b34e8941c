"""Repeated blocks: twelve layers as one, and the one that differs.

A loop over layers becomes twelve times the same nodes. **Graphs** shows the first and what stands
for the others; the eighth layer has an activation of its own, so its block stands by itself. The
row above a fold opens it.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "graphs"


class Layer(nn.Module):
    def __init__(self, width, slope=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.slope = slope

    def forward(self, x):
        h = self.up(self.norm(x))
        h = nn.functional.leaky_relu(h, self.slope) if self.slope else torch.relu(h)
        return x + self.down(h)


model = nn.Sequential(*(Layer(32, slope=0.1 if layer == 7 else 0.0) for layer in range(12)))
with torch.no_grad():
    rec = lab.explore(model, torch.randn(8, 32), backend="aot_eager")
lab.check(rec, breaks=0, graphs=1)
