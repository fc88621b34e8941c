"""Programs that are planned; nothing of them runs."""

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import _functional_collectives as collectives
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def uneven() -> None:
    """Five rows over four ranks, twice: two, two, one and none."""
    mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("replicate", "shard"))
    model = nn.Linear(6, 5, bias=False)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    torch.compile(model)(torch.ones(3, 6)).sum().backward()
    optimizer.step()


def first_is_other() -> None:
    """Rank 0 reduces twice what the others reduce once."""
    everyone: Any = dist.group.WORLD
    x = torch.ones(8)
    if dist.get_rank() == 0:
        x = x.sin()

    def reduced(x: torch.Tensor) -> torch.Tensor:
        y = collectives.all_reduce(x + 1, "sum", everyone)
        return y * 2 if dist.get_rank() == 0 else y

    torch.compile(reduced)(x)


def reads_a_number() -> None:
    """A plan has no numbers to read."""
    print(torch.ones(3).sum().item())  # line: number
