"""A setting of DDP tried by `try_fix` on a job, whose step is timed with it and without, in turns.

    python -m tests.benchmarks.ranks.tried --amp "ddp eager"            # two GPUs, NCCL
    python -m tests.benchmarks.ranks.tried --backend gloo --small "ddp" --fix static_graph=True

Fifteen jobs of seven rounds: minutes. With too little time, it prints what is known by then.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import torch

import dynamo_lab as lab
from tests.benchmarks.ranks import steps


def main() -> None:
    """Print what can be tried, then what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("setup", metavar="SETUP", help="ddp, ddp eager, ddp one-graph")
    parser.add_argument("--fix", default="bucket_cap_mb=100")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--backend", default="nccl")
    parser.add_argument("--small", action="store_true", help="sizes for a CPU")
    parser.add_argument("--amp", action="store_true", help="bfloat16 where autocast takes it")
    options = parser.parse_args()
    where = torch.cuda.get_device_name() if options.backend == "nccl" else "CPU"
    print(f"{options.ranks} ranks, {options.backend}, {where}, torch {torch.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({
            steps.SETUP: options.setup,
            steps.RESULT: str(Path(folder) / "steps"),
            steps.SMALL: "1" if options.small else "",
            steps.AMP: "1" if options.amp else "",
        })  # fmt: skip
        started = time.monotonic()
        job = lab.ranks(steps.step, options.ranks, backend=options.backend, timeout=200)
        print(f"one job took {time.monotonic() - started:.0f} s. {job.findings or ''}", flush=True)
        print("can be tried:", ", ".join(one.name for one in job.fixes), flush=True)
        trial = job.try_fix(options.fix, rounds=options.rounds)
        print(trial, f"{time.monotonic() - started:.0f} s in all", sep="\n")


if __name__ == "__main__":
    main()
