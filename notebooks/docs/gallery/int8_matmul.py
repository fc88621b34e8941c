"""A product with 8-bit weights: the numbers are widened on the way.

The weights are stored as bytes and a scale for each row. Whether they are multiplied as they
are or widened first is decided while lowering: **Decompositions** and **Kernels** show what it
came to.
"""

import torch

import dynamo_lab as lab

VIEW = "kernels"


def quantised_linear(x, weight, scale):
    return torch.relu((x @ weight.to(x.dtype).T) * scale)


weight = torch.randint(-128, 127, (256, 128), dtype=torch.int8)
rec = lab.lower(quantised_linear, torch.randn(32, 128), weight, torch.rand(256))
lab.check(rec, breaks=0, graphs=1)
