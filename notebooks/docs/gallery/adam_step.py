"""A step of Adam: many small tensors, few kernels.

Compiled for a GPU, the updates of all parameters are put side by side into two kernels, where eager
PyTorch runs a dozen operators on each. It is lowered for an H100, present or not. **Kernels**
has the code. The break is one that PyTorch's optimizers request themselves.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "kernels"

model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64), nn.LayerNorm(64))
for parameter in model.parameters():
    parameter.grad = torch.randn_like(parameter)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=True, capturable=False)
optimizer.step()  # its state is there now, and is not created again in the compiled code


def step():
    optimizer.step()


rec = lab.lower(step, target="cuda:sm_90")
