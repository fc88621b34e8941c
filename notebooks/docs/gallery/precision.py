"""Autocast, seen from below: where values become bfloat16, and where they do not.

`lab.precision` runs a model in each precision and compares its parts with float64. This is the
compilation under autocast: **Kernels** has the products in bfloat16, and the conversions fused into
what stands beside them.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "kernels"

model = nn.Sequential(nn.Linear(64, 64), nn.LayerNorm(64), nn.Linear(64, 64), nn.Softmax(-1)).eval()
found = lab.precision(model, torch.randn(16, 64), rounds=0)
print(found)
rec = found.recordings["autocast bf16"]
