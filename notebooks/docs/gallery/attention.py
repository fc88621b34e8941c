"""Hand-written attention, recognized.

Written by hand, it is two products and a softmax. Inductor has patterns for it and puts the
fused operator in its place, so it runs as if you had called it: **Passes** shows the rewrite
as a diff, with the pattern that matched.
"""

import torch

import dynamo_lab as lab

VIEW = "passes"


def by_hand(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-1)
    return weights @ v


rec = lab.lower(by_hand, *torch.randn(3, 2, 8, 128, 64))
assert any(one.matches for one in rec.passes)
