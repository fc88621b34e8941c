"""Is it faster? Asked honestly.

Checked first, then timed in turns with eager. **Bench** says it in words, shows every round as
a dot, and holds each kernel against the operators that it replaced and against what this
machine can do.
"""

import torch

import dynamo_lab as lab

VIEW = "bench"


def gated(x, y):
    return torch.relu(x) * (y + 1) - (x * y).clamp(-1, 1) / 2


rec = lab.bench(gated, *torch.randn(2, 1024, 1024), seconds=2).recording
lab.check(rec, breaks=0, graphs=1)
