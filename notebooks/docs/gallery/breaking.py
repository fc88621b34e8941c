"""A model that breaks twice, and why.

The `if` needs a number, and a graph contains none; `print` has to happen now. Dynamo compiles what
it has, lets Python run the line, and resumes: three graphs instead of one. **Breaks** says what
to write instead, and **Steps** shows each instruction.
"""

import torch

import dynamo_lab as lab

VIEW = "breaks"


def clipped(x, limit):
    y = torch.relu(x) * 2
    if y.mean() > limit:
        y = y / 2
    print("mean", y.mean())
    return torch.softmax(y, dim=-1)


rec = lab.explore(clipped, torch.randn(64, 64), 0.5, detail="steps")
lab.check(rec, breaks=2)
