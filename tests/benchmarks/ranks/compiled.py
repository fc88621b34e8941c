# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""Each rank compiles a DDP step of two Llama blocks, and writes what that cost its process.

The seconds are the processor's, of all threads and of the compilers that it started, from before
the first step to after the third. `RESULT` names the file, to which the rank's number is added.
"""

import os
import resource
import sys
from pathlib import Path

import torch
import torch.distributed as dist

sys.path.insert(0, str(Path(__file__).parents[3]))

from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tests.benchmarks.ranks.steps import RESULT, Block


def spent() -> float:
    """The processor seconds of this process, and of those that it started and that ended."""
    found = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in found)


def main() -> None:
    """Three steps, of which the first compiles."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(*(Block(64, 16) for _ in range(2))))
    step = torch.compile(model)
    x = torch.randn(4, 32, 64)
    before = spent()
    for _ in range(3):
        step(x).square().mean().backward()
    Path(f"{os.environ[RESULT]}.{dist.get_rank()}").write_text(str(spent() - before))
    dist.barrier()
    dist.destroy_process_group()


main()
