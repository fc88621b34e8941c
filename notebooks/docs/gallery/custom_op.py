"""An operator of your own: captured, but never looked into.

With a fake implementation that gives its shape, it breaks no graph. Inductor calls it as it is
and fuses nothing into it: **Lowering** shows it as a fallback between two loops.
"""

import torch

import dynamo_lab as lab

VIEW = "lowering"


@torch.library.custom_op("gallery::sorted_rows", mutates_args=())
def sorted_rows(x: torch.Tensor) -> torch.Tensor:
    return x.sort(dim=-1).values.clone()


@sorted_rows.register_fake
def _(x):
    return torch.empty_like(x)


def program(x):
    return torch.exp(sorted_rows(x * 2)) + 1


rec = lab.lower(program, torch.randn(64, 64))
lab.check(rec, breaks=0, graphs=1)
