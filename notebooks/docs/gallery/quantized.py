"""A model in int8: which parts are, and what their kernels do.

`lab.quantize` makes a copy of a model by each of torchao's schemes and compares it with the float
model. This is the one with int8 weights and activations: **Passes** steps to where what was made
integers, multiplied and made integers again becomes one operator of oneDNN.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "passes"


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(64, 128)
        self.down = nn.Linear(128, 64)
        self.norm = nn.LayerNorm(64)

    def forward(self, x):
        hidden = torch.relu(self.up(x))
        return self.norm(x + self.down(hidden))


found = lab.quantize(Block().eval(), torch.randn(16, 64), schemes=["int8"], rounds=0)
print(found)
rec = found.recordings["int8"]
