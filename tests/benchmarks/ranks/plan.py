# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""How long the plan of 1,024 ranks takes: a Llama block in 2D, and replicas of it as under DDP.

python -m tests.benchmarks.ranks.plan                     # 16 replicas x 8 shards x 8 parallel
python -m tests.benchmarks.ranks.plan --ddp               # 128 replicas by DDP itself x 8 parallel
python -m tests.benchmarks.ranks.plan --profile           # and where the time went
"""

import argparse
import cProfile
import pstats
import sys
import time
from collections.abc import Callable

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import dynamo_lab as lab
from tests.benchmarks.ranks.steps import tensor_parallel
from tests.ranks.llama import Block

BUDGET = 60.0
_SIZE, _HEAD = 4096, 128


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--ddp", action="store_true")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()

    def step() -> None:
        _under_ddp(options.ranks) if options.ddp else _sharded(options.ranks)

    profile = cProfile.Profile()
    started, spent = time.perf_counter(), time.process_time()
    if options.profile:
        job = profile.runcall(lab.ranks, step, options.ranks, backend="fake", timeout=600)
    else:
        job = lab.ranks(step, options.ranks, backend="fake", timeout=600)
    seconds, own = time.perf_counter() - started, time.process_time() - spent
    print(job.ranks().sentence, *job.findings, sep="\n")
    plan = job.job.plan
    for kind in plan.kinds if plan else ():
        print(
            f"  rank {kind.representative} stands for {len(kind.ranks):,}, planned {kind.planned}"
        )
    for recording in job.job.recordings:
        rank = recording.rank
        print(f"  {len(recording.graphs)} graphs, {len((rank and rank.calls) or ())} collectives")
    if not job.is_whole:
        sys.exit("The plan is not whole: how long it took says nothing.")
    met = "met" if seconds <= BUDGET else "over"
    print(f"{seconds:.1f} s by the clock, {own:.1f} s of the processor; budget {BUDGET:g} s: {met}")
    if options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
        pstats.Stats(profile).sort_stats("cumtime").print_stats(70)


def _sharded(ranks: int) -> None:
    mesh = init_device_mesh("cpu", (ranks // 64, 8, 8), mesh_dim_names=("ddp", "fsdp", "tp"))
    model = nn.Sequential(Block(_SIZE, _HEAD))
    tensor_parallel(model, mesh["tp"])
    for block in model.children():
        fully_shard(block, mesh=mesh["ddp", "fsdp"])
    fully_shard(model, mesh=mesh["ddp", "fsdp"])
    _train(model, torch.compile(model))


def _under_ddp(ranks: int) -> None:
    mesh = init_device_mesh("cpu", (ranks // 8, 8), mesh_dim_names=("ddp", "tp"))
    model = nn.Sequential(Block(_SIZE, _HEAD))
    tensor_parallel(model, mesh["tp"])
    # DDP makes the DTensors of its parameters in each forward, which Dynamo takes only as inputs
    compiled = torch.compile(model)
    _train(model, nn.parallel.DistributedDataParallel(compiled, device_mesh=mesh["ddp"]))


def _train(model: nn.Module, run: Callable[[torch.Tensor], torch.Tensor]) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9, foreach=False)
    run(torch.randn(1, 2048, _SIZE)).square().mean().backward()
    optimizer.step()


if __name__ == "__main__":
    main()
