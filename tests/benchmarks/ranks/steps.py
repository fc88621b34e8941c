# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""Training steps of Llama blocks on several ranks; `SETUP` in the environment says how.

Each rank writes how long its steps took, and when they were, beside the file that `RESULT` names.
"""

import json
import os
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

from tests.ranks.llama import Block

SETUP, RESULT = "DYNAMO_LAB_BENCH_SETUP", "DYNAMO_LAB_BENCH_RESULT"
SMALL, AMP = "DYNAMO_LAB_BENCH_SMALL", "DYNAMO_LAB_BENCH_AMP"
WARM, TIMED = 4, 8
OVERLAP: dict[str, Any] = {
    "reorder_for_compute_comm_overlap": True,
    "aten_distributed_optimizations.enable_overlap_scheduling": True,
    "aten_distributed_optimizations.collective_bucketing": True,
}
"""Inductor's passes that put collectives together, and move them away from what waits for them."""
ASYNC: dict[str, Any] = {"_micro_pipeline_tp": True}
"""Products and the collectives beside them become one operator; it needs NCCL."""


_IN, _OUT = ("q", "k", "v", "gate", "up"), ("o", "down")
"""A block's linear layers, whose columns and whose rows are cut, in one order on all ranks."""


def _device() -> str:
    return "cuda" if dist.get_backend() == "nccl" else "cpu"


def _model() -> tuple[nn.Module, torch.Tensor]:
    torch.manual_seed(0)
    size, head, layers, length = (64, 16, 2, 32) if os.environ.get(SMALL) else (2048, 128, 6, 1024)
    model = nn.Sequential(*(Block(size, head) for _ in range(layers))).to(_device())
    return model, torch.randn(4, length, size, device=_device())


def tensor_parallel(model: nn.Module, mesh: Any) -> None:
    """Cut each block over the ranks of a mesh of one dimension."""
    plan: Any = {**dict.fromkeys(_IN, ColwiseParallel()), **dict.fromkeys(_OUT, RowwiseParallel())}
    for block in model.children():
        parallelize_module(block, mesh, plan)


def sequence_parallel(model: nn.Module, mesh: Any) -> None:
    """The same, and each rank has a part of the sequence between the products."""
    gathered = {
        one: ColwiseParallel(input_layouts=Shard(1)) for one in ("q", "k", "v", "gate", "up")
    }
    scattered = {one: RowwiseParallel(output_layouts=Shard(1)) for one in ("o", "down")}
    norms = {f"norms.{at}": SequenceParallel() for at in (0, 1)}
    for block in model.children():
        parallelize_module(block, mesh, {**norms, **gathered, **scattered})


def step() -> None:
    """The setup's steps: some to warm up, then those that are timed."""
    how, _, variant = os.environ[SETUP].partition(" ")
    model, x = _model()
    if how == "sp":
        x = x.chunk(dist.get_world_size(), dim=1)[dist.get_rank()].contiguous()
    run = _made(how, variant, model)
    # one by one: a list takes no mix of DTensors and what tensor parallelism leaves as it was
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, foreach=False)
    spent: list[float] = []
    begun = 0.0
    for at in range(WARM + TIMED):
        _synchronize()
        begun = time.time() if at == WARM else begun
        started = time.perf_counter()
        with torch.autocast(_device(), torch.bfloat16, enabled=bool(os.environ.get(AMP))):
            loss = run(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        _synchronize()
        spent.append(1e3 * (time.perf_counter() - started))
    with open(f"{os.environ[RESULT]}.{dist.get_rank()}", "w", encoding="utf-8") as file:
        json.dump({"ms": spent[WARM:], "window": [begun, time.time()]}, file)


def _synchronize() -> None:
    if _device() == "cuda":
        torch.cuda.synchronize()


def _made(how: str, variant: str, model: nn.Module) -> Callable[[torch.Tensor], torch.Tensor]:
    options: Any = {"overlap": OVERLAP, "async": ASYNC}.get(variant)
    size = dist.get_world_size()
    if how == "ddp":
        one_bucket = variant in ("one-bucket", "one-graph")
        made = DistributedDataParallel(model, bucket_cap_mb=100_000 if one_bucket else 25)
        if variant == "eager":
            return made
        torch._dynamo.config.optimize_ddp = variant != "one-graph"  # noqa: TID251 # pyright: ignore[reportPrivateUsage]
        return torch.compile(made)
    if how == "fsdp":
        mesh = init_device_mesh(_device(), (size,), mesh_dim_names=("dp",))
        for block in model.children() if variant != "whole" else ():
            fully_shard(block, mesh=mesh)
        fully_shard(model, mesh=mesh)
        return model if variant == "eager" else torch.compile(model)
    if how in ("tp", "sp"):
        cut = tensor_parallel if how == "tp" else sequence_parallel
        cut(model, init_device_mesh(_device(), (size,), mesh_dim_names=("tp",)))
        return model if variant == "eager" else torch.compile(model, options=options)
    mesh = init_device_mesh(_device(), (size // 2, 2), mesh_dim_names=("dp", "tp"))
    tensor_parallel(model, mesh["tp"])
    for block in model.children():
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    return torch.compile(model, options=options)
