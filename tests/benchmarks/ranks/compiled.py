# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""Each rank compiles a DDP step of two Llama blocks, and writes what that cost its process.

The seconds are the processor's, of all threads and of the compilers that it started: until the
first step begins, from there to after the third, and from there to the interpreter's end, which a
recording is written in. `RESULT` names the file, to which the rank's number is added.
"""

import atexit
import json
import os
import sys
import threading
import time
from pathlib import Path

import torch
import torch.distributed as dist

sys.path.insert(0, str(Path(__file__).parents[3]))

from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tests.benchmarks.core.ratio import processor_seconds
from tests.benchmarks.ranks.steps import RESULT
from tests.ranks.llama import Block


def of_threads() -> dict[str, float]:
    """The processor seconds of each thread of Python's, by name."""
    return {
        one.name: time.clock_gettime(time.pthread_getcpuclockid(one.ident))
        for one in threading.enumerate()
        if one.ident is not None
    }


def main() -> None:
    """Three steps, of which the first compiles."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(*(Block(64, 16) for _ in range(2))))
    step = torch.compile(model)
    x = torch.randn(4, 32, 64)
    threads, before = of_threads(), processor_seconds()
    for _ in range(3):
        step(x).square().mean().backward()
    after = processor_seconds()
    spent = {name: ended - threads.get(name, 0.0) for name, ended in of_threads().items()}
    result = Path(f"{os.environ[RESULT]}.{dist.get_rank()}")
    dist.barrier()
    dist.destroy_process_group()

    def write() -> None:
        whole = processor_seconds()
        told = {"start": before, "compile": after - before, "end": whole - after, "threads": spent}
        result.write_text(json.dumps({**told, "whole": whole}))

    atexit.register(write)


main()
