"""Memory for time: what is saved for the backward.

A feed-forward part saves what its gradient needs. **Autograd** lists it by line, with the
reason for each value, and what is cheap enough to be recomputed.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "autograd"

widen, narrow, norm = nn.Linear(128, 512), nn.Linear(512, 128), nn.LayerNorm(128)


def loss(x):
    hidden = nn.functional.gelu(widen(x))
    y = norm(x + narrow(hidden))
    return y.square().mean()


rec = lab.lower(loss, torch.randn(64, 128), grad=True)
lab.check(rec, breaks=0, graphs=1)
