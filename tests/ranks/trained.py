"""A training under DDP with more than one bucket, and steps enough to be timed."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    """Two buckets of 1 MB, and a small one."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(512, 512)
        self.b = nn.Linear(512, 512)
        self.c = nn.Linear(512, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.c(self.b(self.a(x).relu()).relu())


def train() -> None:
    """Ten steps."""
    torch.manual_seed(0)
    step = torch.compile(DistributedDataParallel(Net(), bucket_cap_mb=1), backend="eager")
    for _ in range(10):
        step(torch.randn(8, 512)).sum().backward()
