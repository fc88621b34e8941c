# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""The memory of ranks beside what CUDA's allocator holds.

`python -m tests.benchmarks.ranks.memory`, on two GPUs, with NCCL. After a step of FSDP2 nothing but
the model, its gradients and the state of the optimizer is left: each rank writes what the allocator
holds then, and it is printed beside the sum of the recording.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import dynamo_lab as lab

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording

RESULT = "DYNAMO_LAB_BENCH_RESULT"
_PARTS = ("parameters", "buffers", "gradients", "optimizer", "reducer")


def step() -> None:
    """Two steps of a small network whose rows do not divide by two."""
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("shard",))
    before = torch.cuda.memory_allocated()
    model = nn.Sequential(nn.Linear(1001, 2003), nn.ReLU(), nn.Linear(2003, 1001)).cuda()
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.randn(64, 1001, device="cuda")).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
    torch._C._cuda_clearCublasWorkspaces()  # pyright: ignore[reportPrivateUsage]
    held = torch.cuda.memory_allocated() - before
    Path(f"{os.environ[RESULT]}.{dist.get_rank()}").write_text(json.dumps(held))


def compared() -> list[tuple[int, int]]:
    """Of each rank, the bytes that the allocator holds and those of the recording."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[RESULT] = str(Path(folder) / "held")
        job = lab.ranks(step, 2, backend="nccl", timeout=300.0)
        print(job)
        return [
            (json.loads(Path(f"{os.environ[RESULT]}.{number}").read_text()), _told(recording))
            for number, recording in enumerate(job.job.recordings)
        ]


def _told(recording: Recording) -> int:
    memory = recording.rank and recording.rank.memory
    amounts = [getattr(memory, name) for name in _PARTS]
    return sum(one.allocated for one in amounts if one is not None)


def main() -> None:
    """Print, for each rank, the allocator's bytes and those of the recording."""
    for number, (held, told) in enumerate(compared()):
        print(f"rank {number}: the allocator {held:,}, recorded {told:,}: {held - told:+,}")


if __name__ == "__main__":
    main()
