"""Programs of two ranks whose collectives are recorded; the first profiles itself, too.

What PyTorch's own profiler saw of gloo, or of NCCL, is written beside the file that `PROFILED`
names, with how far gradients are from those of one process.
"""

import json
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from copy import deepcopy
from math import prod
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import _functional_collectives as collectives
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

from tests.ranks import llama

PROFILED = "DYNAMO_LAB_TEST_PROFILED"
OFF = "DYNAMO_LAB_TEST_OFF"
"""Names the file beside which each rank writes how far its gradients are off."""

_BYTES = {"float": 4, "long int": 8, "int": 4, "byte": 1, "long": 8}


@contextmanager
def profiled() -> Generator[None]:
    """Write the bytes that each kind of the backend's work got, as the profiler has them."""
    with torch.profiler.profile(record_shapes=True) as profile:
        yield
        if _device() == "cuda":
            torch.cuda.synchronize()
    path = f"{os.environ[PROFILED]}.{dist.get_rank()}"
    profile.export_chrome_trace(f"{path}.trace")
    with open(f"{path}.trace", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(list(_of_nccl(events) if _device() == "cuda" else _of_gloo(events)), file)


def _of_gloo(events: list[Any]) -> Iterator[tuple[str, int]]:
    for event in events:
        if str(event.get("name")).startswith("gloo:"):
            shapes, kinds = (event["args"].get(k, []) for k in ("Input Dims", "Input type"))
            size = sum(prod(s) * _BYTES[k] for s, k in zip(shapes, kinds, strict=True))
            yield event["name"].removeprefix("gloo:"), size


def _of_nccl(events: list[Any]) -> Iterator[tuple[str, int]]:
    """NCCL's groups tell numbers of elements; what they do besides has none."""
    for event in events:
        known = event.get("args", {})
        if event.get("name") == "record_param_comms" and known.get("In msg nelems"):
            size = known["In msg nelems"] * _BYTES[known["dtype"].lower()]
            yield known["Collective name"], size


def _device() -> str:
    return "cuda" if dist.get_backend() == "nccl" else "cpu"


def all_ways() -> None:
    """Tensor parallelism, FSDP2, a functional collective in a graph, and eager ones."""
    torch.manual_seed(0)
    here = _device()
    mesh = init_device_mesh(here, (2,), mesh_dim_names=("all",))
    columns = dict.fromkeys(("q", "k", "v", "gate", "up"), ColwiseParallel())
    plan: Any = {**columns, **dict.fromkeys(("o", "down"), RowwiseParallel())}
    everyone: Any = dist.group.WORLD
    parallel, sharded = llama.Block(16, 4).to(here), llama.Block(16, 4).to(here)
    alone = deepcopy(parallel), deepcopy(sharded)

    def reduced(x: torch.Tensor) -> torch.Tensor:
        return collectives.all_reduce(x.sin(), "sum", everyone)  # line: reduced

    with profiled():
        parallelize_module(parallel, mesh, plan)
        x = torch.randn(2, 8, 16, device=here, requires_grad=True)
        torch.compile(parallel, backend="aot_eager")(x).sum().backward()
        fully_shard(sharded, mesh=mesh)
        y = torch.randn(2, 8, 16, device=here)
        sharded(y).sum().backward()  # line: sharded
        torch.compile(reduced, backend="aot_eager")(torch.ones(8, device=here))
        dist.all_reduce(torch.ones(4, device=here))  # line: eager
        parts = [torch.empty(3, device=here), torch.empty(3, device=here)]
        dist.all_gather(parts, torch.ones(3, device=here))
    for one, given in zip(alone, (x.detach(), y), strict=True):
        one(given).sum().backward()
    _write_off(_off(alone[0], parallel), _off(alone[1], sharded))


def _write_off(*off: float) -> None:
    with open(f"{os.environ[OFF]}.{dist.get_rank()}", "w", encoding="utf-8") as file:
        json.dump(off, file)


def _off(alone: nn.Module, several: nn.Module) -> float:
    """The largest difference of a gradient from the part of one process's that this rank holds."""
    pairs = zip(alone.parameters(), several.parameters(), strict=True)
    return max(_difference(one.grad, other.grad) for one, other in pairs)


def _difference(whole: Any, got: Any) -> float:
    for placement in getattr(got, "placements", ()):
        if placement.is_shard():
            whole = whole.chunk(dist.get_world_size(), placement.dim)[dist.get_rank()]
    local = got.to_local() if hasattr(got, "to_local") else got
    return float((whole - local).abs().max() / whole.abs().max())


def ddp_gpt2() -> None:
    """GPT-2 of two layers under DDP, compiled; `TORCH_LOGS=ddp_graphs` tells how it was split."""
    from transformers import GPT2Config, GPT2Model

    torch.manual_seed(0)
    config = GPT2Config(
        n_layer=2, n_embd=256, n_head=4, vocab_size=500, n_positions=32, use_cache=False,
        embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0,
    )  # fmt: skip
    alone = GPT2Model(config)
    model = DistributedDataParallel(deepcopy(alone), bucket_cap_mb=1)
    step = torch.compile(model, backend="aot_eager")
    for one in (step, alone):
        one(torch.arange(32)[None]).last_hidden_state.square().mean().backward()
    _write_off(_off(alone, model))


def line_of(mark: str, path: str = __file__) -> int:
    """The number of the line with this mark, of this file or another."""
    with open(path, encoding="utf-8") as file:
        found = [at for at, line in enumerate(file, 1) if line.endswith(f"# line: {mark}\n")]
    (number,) = found
    return number
