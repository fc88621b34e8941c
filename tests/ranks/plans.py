"""Programs that are planned; nothing of them runs."""

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import _functional_collectives as collectives
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module


def uneven() -> None:
    """Five rows over four ranks, twice: two, two, one and none."""
    mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("replicate", "shard"))
    model = nn.Linear(6, 5, bias=False)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    torch.compile(model)(torch.ones(3, 6)).sum().backward()
    optimizer.step()


def blocks_compiled_apart() -> None:
    """FSDP gathers each of two modules as numbers of 16 bits; each is compiled by itself."""
    model = nn.Sequential(Halves(), Halves())
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
    for one in model:
        fully_shard(one, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    for one in model:
        one.compile()
    model(torch.ones(4, 8)).float().sum().backward()


def sharded_for_a_forward_alone() -> None:
    """FSDP gathers a compiled module's parameters, and no backward comes."""
    mesh = init_device_mesh("cpu", (4,))
    model = nn.Linear(8, 8)
    fully_shard(model, mesh=mesh)
    with torch.no_grad():
        torch.compile(model)(torch.ones(4, 8))


class Halves(nn.Module):
    """A weight of 8 x 8."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sin(x) @ self.weight


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


def under_ddp() -> None:
    """Two steps under DDP, with buckets of 1 MB; the second step has other buckets."""
    model = nn.Sequential(nn.Linear(512, 512), nn.Linear(512, 512), nn.Linear(512, 8))
    wrapped = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=1)  # line: wrapped
    for _ in range(2):
        wrapped(torch.ones(4, 512)).sum().backward()


def with_unused_parameters() -> None:
    """DDP looks for parameters that no rank used, and a hook sends halves of floats."""
    model = nn.Linear(16, 16)
    wrapped = nn.parallel.DistributedDataParallel(model, find_unused_parameters=True)
    wrapped.register_comm_hook(None, default_hooks.fp16_compress_hook)
    for _ in range(2):
        wrapped(torch.ones(4, 16)).sum().backward()


class Layers(nn.Module):
    """Its `forward` is not PyTorch's own, so Dynamo compiles it where DDP's forward calls it."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(512, 512), nn.Linear(512, 512)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x))


def compiled_under_ddp() -> None:
    """DDP's optimizer cuts the graph."""
    wrapped = nn.parallel.DistributedDataParallel(Layers(), bucket_cap_mb=1)
    torch.compile(wrapped)(torch.ones(4, 512)).sum().backward()


def ddp_around_compiled_shards() -> None:
    """DDP makes DTensors of its parameters in each forward, which Dynamo then gets as inputs."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    model = parallelize_module(nn.Linear(16, 32, bias=False), mesh["tp"], ColwiseParallel())
    wrapped = nn.parallel.DistributedDataParallel(torch.compile(model), device_mesh=mesh["dp"])
    for _ in range(2):
        wrapped(torch.ones(4, 16)).sum().backward()


def reads_a_number() -> None:
    """A plan has no numbers to read."""
    print(torch.ones(3).sum().item())  # line: number


def calls_of_others() -> None:
    """Every rank calls, on a group of two, and those in it also once behind a condition."""
    group: Any = dist.new_group([0, 2], backend="gloo")
    for _ in range(3):
        dist.all_reduce(torch.ones(4), group=group)  # line: outside
    if dist.get_rank(group) >= 0:
        dist.broadcast(torch.ones(4), 0, group=group)


def functional_calls_of_others() -> None:
    """Of two functional collectives on a group of two; PyTorch raises at the first."""
    group: Any = dist.new_group([0, 2])
    collectives.all_gather_tensor(torch.ones(4), 0, group)  # line: functional


def traced_functional_outside() -> None:
    """Dynamo, which must not break, comes to what raises."""
    group: Any = dist.new_group([0, 2])

    def step(x: torch.Tensor) -> torch.Tensor:
        return collectives.all_reduce(x + 1, "sum", group)  # line: traced functional

    torch.compile(step, backend="eager", fullgraph=True)(torch.ones(4))


def members_alone_call() -> None:
    """The same, but a rank calls on groups that it is in alone."""
    group: Any = dist.new_group([0, 2])
    if dist.get_rank() in (0, 2):
        dist.all_reduce(torch.ones(4), group=group)


def traced_outside() -> None:
    """Dynamo comes to the function that warns."""
    group: Any = dist.new_group([0])

    def step(x: torch.Tensor) -> torch.Tensor:
        dist.broadcast(x, 0, group=group)
        return x + 1

    torch.compile(step, backend="eager")(torch.ones(4))
