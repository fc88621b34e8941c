"""Is it faster? Asked honestly.

Checked first, then timed in turns with eager. **Bench** says it in words, shows every round as
a dot, and compares each kernel with the operators that it replaced and with the limits of
this machine.
"""

import torch

import dynamo_lab as lab

VIEW = "bench"


def gated(x, y):
    return torch.relu(x) * (y + 1) - (x * y).clamp(-1, 1) / 2


rec = lab.bench(gated, *torch.randn(2, 1024, 1024), seconds=2).recording
lab.check(rec, breaks=0, graphs=1)
