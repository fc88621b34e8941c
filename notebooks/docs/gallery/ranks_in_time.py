"""A training step on two ranks: which of them waits for whom, and what hides the communication.

The program runs as two processes of one job, with gloo, on this machine. DDP cuts the compiled
graph into parts, so that the gradients of one are reduced while the next is computed. The lanes
show both ranks in time: point at a collective, and it is lit on the other rank too.
"""

import os

import torch
import torch.distributed as dist
from torch import nn

import dynamo_lab as lab

VIEW = "ranks"


class Network(nn.Module):
    """Four blocks, each a bucket of gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.ModuleList(nn.Linear(256, 1024) for _ in range(4))
        self.narrow = nn.ModuleList(nn.Linear(1024, 256) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for wide, narrow in zip(self.wide, self.narrow, strict=True):
            x = x + narrow(nn.functional.gelu(wide(x)))
        return x


def train() -> None:
    """Three steps; each rank has its own data."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(Network(), bucket_cap_mb=2)
    step = torch.compile(model, backend="aot_eager")
    for _ in range(3):
        step(torch.randn(64, 256)).square().mean().backward()


if "RANK" in os.environ:  # this file is the program, too
    train()
else:
    rec = lab.ranks(__file__, 2, timeout=300, profile=True)
