"""A gradient for each sample: `vmap` of `grad`, in one graph.

Function transforms are captured too: the whole is one graph, in which **Graphs** collapses each
transform like a module.
"""

import torch
from torch.func import grad, vmap

import dynamo_lab as lab

VIEW = "graphs > diagram > fit"


def loss(weight, x, target):
    return ((torch.tanh(x @ weight) - target) ** 2).sum()


def gradients(weight, xs, targets):
    return vmap(grad(loss), in_dims=(None, 0, 0))(weight, xs, targets)


rec = lab.lower(gradients, torch.randn(16, 4), torch.randn(32, 16), torch.randn(32, 4))
lab.check(rec, breaks=0, graphs=1)
