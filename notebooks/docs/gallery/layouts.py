"""A network frozen for inference: what becomes of a norm, a ReLU and the weights.

`lab.layouts` compiles a network with and without each choice about where its values lie. This is
the frozen one. **Passes** steps through what PyTorch did: the norm is folded into the weights,
which are packed for oneDNN, and the ReLU and the sum go into the convolution's kernel.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "passes"


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(16, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 16, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.second(torch.relu(self.norm(self.first(x)))) + x)


found = lab.layouts(
    Block().eval(), torch.randn(1, 16, 32, 32), ways=["compiled", "frozen"], rounds=0
)
print(found)
rec = found.recordings["frozen"]
