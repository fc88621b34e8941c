"""A model in int8: which parts are, and what their kernels do.

`lab.quantize` makes a copy of a model by each of torchao's schemes and compares it with the float
model. This is the one with int8 weights and activations: **Passes** steps to where what was made
integers, multiplied and made integers again becomes one operator of oneDNN.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "passes"

model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.LayerNorm(64)).eval()
found = lab.quantize(model, torch.randn(16, 64), schemes=["int8"], rounds=0)
print(found)
rec = found.recordings["int8"]
