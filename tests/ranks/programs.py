"""Programs of two ranks on a CPU whose collectives are recorded; each profiles itself, too.

What PyTorch's own profiler saw of gloo is written beside the file that `PROFILED` names.
"""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
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

PROFILED = "DYNAMO_LAB_TEST_PROFILED"
_BYTES = {"float": 4, "long int": 8, "int": 4}


class Block(nn.Module):
    """A Llama block's feed-forward part, small."""

    def __init__(self, size: int = 16) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(size)
        self.gate = nn.Linear(size, 2 * size, bias=False)
        self.up = nn.Linear(size, 2 * size, bias=False)
        self.down = nn.Linear(2 * size, size, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(x)
        return self.down(torch.nn.functional.silu(self.gate(x)) * self.up(x))  # line: down


@contextmanager
def profiled() -> Generator[None]:
    """Write the bytes that each kind of gloo's work got, as the profiler has them."""
    with torch.profiler.profile(record_shapes=True) as profile:
        yield
    path = f"{os.environ[PROFILED]}.{dist.get_rank()}"
    profile.export_chrome_trace(f"{path}.trace")
    with open(f"{path}.trace", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    found: list[list[Any]] = []
    for event in events:
        if str(event.get("name")).startswith("gloo:"):
            shapes, kinds = (event["args"].get(k, []) for k in ("Input Dims", "Input type"))
            size = sum(prod(s) * _BYTES[k] for s, k in zip(shapes, kinds, strict=True))
            found.append([event["name"].removeprefix("gloo:"), size])
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file)


def all_ways() -> None:
    """Tensor parallelism, FSDP2, a functional collective in a graph, and eager ones."""
    torch.manual_seed(0)
    mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("all",))
    plan: Any = {"gate": ColwiseParallel(), "up": ColwiseParallel(), "down": RowwiseParallel()}
    everyone: Any = dist.group.WORLD

    def reduced(x: torch.Tensor) -> torch.Tensor:
        return collectives.all_reduce(x.sin(), "sum", everyone)  # line: reduced

    with profiled():
        parallel = parallelize_module(Block(), mesh, plan)
        x = torch.randn(4, 16, requires_grad=True)
        torch.compile(parallel, backend="aot_eager")(x).sum().backward()
        sharded = Block()
        fully_shard(sharded, mesh=mesh)
        sharded(torch.randn(4, 16)).sum().backward()  # line: sharded
        torch.compile(reduced, backend="aot_eager")(torch.ones(8))
        dist.all_reduce(torch.ones(4))  # line: eager
        parts = [torch.empty(3), torch.empty(3)]
        dist.all_gather(parts, torch.ones(3))


def ddp_gpt2() -> None:
    """GPT-2 of two layers under DDP, compiled; `TORCH_LOGS=ddp_graphs` tells how it was split."""
    from transformers import GPT2Config, GPT2Model

    torch.manual_seed(0)
    config = GPT2Config(
        n_layer=2, n_embd=256, n_head=4, vocab_size=500, n_positions=32, use_cache=False,
        embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0,
    )  # fmt: skip
    model = DistributedDataParallel(GPT2Model(config), bucket_cap_mb=1)
    step = torch.compile(model, backend="aot_eager")
    step(torch.arange(32)[None]).last_hidden_state.sum().backward()


def line_of(mark: str) -> int:
    """The number of the line with this mark."""
    with open(__file__, encoding="utf-8") as file:
        found = [at for at, line in enumerate(file, 1) if line.endswith(f"# line: {mark}\n")]
    (number,) = found
    return number
