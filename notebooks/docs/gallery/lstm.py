"""A recurrent cell: the loop is unrolled.

Dynamo runs Python's `for` at compile time, so eight steps become eight times the operators, in
one graph. It is quick to run and slow to compile: **Graphs** shows the repetition, and each row
leads to the same lines.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "graphs"


def unrolled(x, h, c, w_x, w_h, bias):
    for step in x.unbind(1):
        i, f, g, o = (step @ w_x + h @ w_h + bias).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return h


width = 64
weights = nn.LSTM(32, width)
rec = lab.lower(
    unrolled,
    torch.randn(4, 8, 32),
    torch.zeros(4, width),
    torch.zeros(4, width),
    weights.weight_ih_l0.detach().T,
    weights.weight_hh_l0.detach().T,
    weights.bias_ih_l0.detach(),
)
lab.check(rec, breaks=0, graphs=1)
