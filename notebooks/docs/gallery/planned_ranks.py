"""A Llama block over 64 ranks, on a laptop: what each would compile and send, before any GPU runs.

Tensor parallelism over 8 ranks, and FSDP2 over 8 rows of those. One rank of each kind is traced, of
fake tensors, in this process. The plan has every collective with its bytes, its group and the line
that asked for it; below are the mesh, the shards of each weight, and the memory of a rank.
"""

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import dynamo_lab as lab

VIEW = "ranks"

PARALLEL = {
    **dict.fromkeys(("q", "k", "v", "gate", "up"), ColwiseParallel()),
    **dict.fromkeys(("o", "down"), RowwiseParallel()),
}


class Block(nn.Module):
    """The sizes of a block of Llama 7B; its heads may be on several ranks."""

    def __init__(self, width: int = 4096, inner: int = 11008, head: int = 128) -> None:
        super().__init__()
        self.head = head
        self.norm, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(width, inner, bias=False) for _ in range(2))
        self.down = nn.Linear(inner, width, bias=False)

    def heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:2], -1, self.head).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(x)
        q, k, v = (self.heads(one(y)) for one in (self.q, self.k, self.v))
        attended = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(attended.transpose(1, 2).flatten(2))
        y = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


def step() -> None:
    """A training step, as a rank would make it."""
    mesh = init_device_mesh("cpu", (8, 8), mesh_dim_names=("shard", "parallel"))
    # no rank sends its weights: each cuts out its own shards
    block = parallelize_module(Block(), mesh["parallel"], PARALLEL, src_data_rank=None)
    fully_shard(block, mesh=mesh["shard"])
    optimizer = torch.optim.AdamW(block.parameters(), foreach=False)
    torch.compile(block)(torch.randn(1, 2048, 4096)).square().mean().backward()
    optimizer.step()


rec = lab.ranks(step, 64, backend="fake", timeout=900)
