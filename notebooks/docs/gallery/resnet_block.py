"""A block of a ResNet, in training: convolutions stay, everything around them is fused.

Convolutions are library calls. What is between them, batch normalisation, ReLU and the
sum with the shortcut, becomes few kernels. **Memory** shows what is live at the peak.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "memory"


class Block(nn.Module):
    def __init__(self, channels=32):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        out = torch.relu(self.norm1(self.first(x)))
        return torch.relu(self.norm2(self.second(out)) + x)


rec = lab.lower(Block(), torch.randn(4, 32, 28, 28), grad=True)
lab.check(rec, breaks=0, graphs=1)
