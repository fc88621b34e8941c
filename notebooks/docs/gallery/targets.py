"""The same line for three machines: C++, Triton, Metal.

None of them has to be present: nothing is built or run. The page can switch between them, and
**Kernels** puts them side by side, each statement in the colour of your line.
"""

import torch

import dynamo_lab as lab

VIEW = "kernels"


def normalised(x, weight):
    return x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6) * weight


rec = lab.lower(
    normalised,
    torch.randn(64, 512),
    torch.randn(512),
    target=["cpu:avx2", "cuda:sm_90", "mps"],
)
