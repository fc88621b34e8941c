"""A function that is recompiled, and what to write so that it is not.

Another size, then another number: each fails a guard. After the first change, Dynamo makes the
size dynamic. **Guards** says what changed and what to write, **Shapes** which sizes are dynamic.
**Messages** has PyTorch's own words for it, as `TORCH_LOGS=recompiles` prints them.
"""

import torch

import dynamo_lab as lab

VIEW = "guards"


def scaled(x, n):
    return torch.sin(x) * n


with lab.record(logs="recompiles") as recorder:
    compiled = torch.compile(scaled)
    compiled(torch.randn(8, 3), 3)
    compiled(torch.randn(16, 3), 3)
    compiled(torch.randn(16, 3), 4)

rec = recorder.recording
lab.check(rec, breaks=0, recompiles=2)
