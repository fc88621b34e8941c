"""Softmax of GELU: one pass over memory.

Eager PyTorch runs two kernels and writes the values in between to memory. Inductor decomposes
softmax into a maximum, an exponential and a sum, and makes one kernel of everything:
**Fusion** shows round by round how.
"""

import torch

import dynamo_lab as lab

VIEW = "fusion"


def scores(x, bias):
    return torch.softmax(torch.nn.functional.gelu(x + bias), dim=-1)


rec = lab.explore(scores, torch.randn(512, 1024), torch.randn(1024))
lab.check(rec, breaks=0, graphs=1, max_kernels=1)
