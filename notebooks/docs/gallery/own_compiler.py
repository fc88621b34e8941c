"""A compiler to read: the stages of one operator.

The backend `lab` makes one kernel of this softmax of GELU. **Compiler** shows of each operator the
rule that lowered it, its loop, the kernel that it shares, and the text in C, Triton and Metal.
"""

import torch

import dynamo_lab as lab

VIEW = "compiler"


def scores(x):
    return torch.softmax(torch.nn.functional.gelu(x), dim=-1)


rec = lab.explore(scores, torch.randn(64, 256), backend="lab")
lab.check(rec, breaks=0, graphs=1, max_kernels=1)
