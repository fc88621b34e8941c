"""Is it faster? Asked honestly.

Checked first, then timed in turns with eager. **Bench** says it in words, shows every round as
a dot, and holds each kernel against the operators that it replaced and against what this
machine can do.
"""

import torch

import dynamo_lab as lab

VIEW = "bench"


def normalised(x):
    return torch.nn.functional.layer_norm(torch.nn.functional.gelu(x), (1024,)) * 2


rec = lab.bench(normalised, torch.randn(512, 1024), seconds=2).recording
lab.check(rec, breaks=0, graphs=1)
