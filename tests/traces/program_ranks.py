"""Two processes of one job: the second breaks where the first does not, and sees other sizes."""

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as collectives
from torch.nn.parallel import DistributedDataParallel


def averaged(x):
    everyone: Any = dist.group.WORLD
    total = collectives.all_reduce(x.sin(), "sum", everyone)
    return collectives.all_gather_tensor(total.cos(), 0, everyone) * 2


def odd(x, rank):
    y = x * 2
    if rank == 1:
        torch._dynamo.graph_break()  # noqa: TID251
        y = y + x.sum()
    return y.relu()


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    torch.compile(averaged)(torch.randn(8))
    torch.compile(odd)(torch.randn(8), rank)
    layers = torch.nn.Sequential(
        torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64)
    )
    # buckets so small that PyTorch splits the graph, to send one while it computes the next
    model = DistributedDataParallel(layers, bucket_cap_mb=0.02)
    step = torch.compile(model)
    for size in (4, 4 + 4 * rank):
        step(torch.randn(size, 64)).sum().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
