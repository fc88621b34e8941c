"""Exposed communication of distributed steps, with and without what is to hide it.

    python -m tests.benchmarks.ranks                     # two GPUs, NCCL
    python -m tests.benchmarks.ranks --amp "ddp" "ddp one-graph"
    python -m tests.benchmarks.ranks --backend gloo --small "ddp"

Each setup is a job of its own, recorded and profiled on every rank. A row tells the median step of
the slowest rank under the profiler, how long a rank communicated in a step, how much of that was
not hidden by its computing, and how many collectives of all have a line.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

import dynamo_lab as lab
from dynamo_lab.model.ranks.intervals import length, without
from tests.benchmarks.ranks import steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.api.ranks.jobs import JobRecording

SETUPS = (
    "ddp", "ddp one-bucket", "ddp one-graph", "ddp eager", "fsdp", "fsdp whole", "fsdp eager",
    "tp", "tp overlap", "tp eager", "sp", "sp overlap", "sp async", "2d", "2d overlap",
)  # fmt: skip
ROW = "{:16} {:>9} {:>13} {:>11} {:>9}  {}"


def main() -> None:
    """Print a row for each setup."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("setups", nargs="*", metavar="SETUP", help=", ".join(SETUPS))
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--backend", default="nccl")
    parser.add_argument("--small", action="store_true", help="sizes for a CPU")
    parser.add_argument("--amp", action="store_true", help="bfloat16 where autocast takes it")
    parser.add_argument("--save", help="a folder for the jobs")
    options = parser.parse_args()
    os.environ[steps.SMALL] = "1" if options.small else ""
    os.environ[steps.AMP] = "1" if options.amp else ""
    where = torch.cuda.get_device_name() if options.backend == "nccl" else "CPU"
    print(f"{options.ranks} ranks, {options.backend}, {where}, torch {torch.__version__}")
    print(
        ROW.format("", "step", "communicated", "exposed", "tied", "graphs, breaks, first finding")
    )
    for setup in options.setups or SETUPS:
        _row(setup, options)


def _row(setup: str, options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "steps"
        os.environ.update({steps.SETUP: setup, steps.RESULT: str(result)})
        job = lab.ranks(
            steps.step, options.ranks, backend=options.backend, timeout=400, profile=True
        )
        known = {int(p.suffix[1:]): json.loads(p.read_text()) for p in Path(folder).glob("steps.*")}
    if options.save:
        Path(options.save).mkdir(parents=True, exist_ok=True)
        job.save(Path(options.save) / f"{setup.replace(' ', '-')}.json.gz")
    slowest = max((statistics.median(one["ms"]) for one in known.values()), default=float("nan"))
    talks, bare = _worst(job, known)
    view = job.collectives.view
    tied = sum(one.tied for one in view.totals) if view else 0
    whole = sum(one.collectives for one in view.totals) if view else 0
    first = job["rank 0"]
    said = job.findings[0][:160] if job.findings else ""
    facts = f"{len(first.captured_graphs())} graphs, {len(first.breaks)} breaks. {said}"
    print(ROW.format(setup, f"{slowest:.1f} ms", talks, bare, f"{tied}/{whole}", facts), flush=True)


def _worst(job: JobRecording, known: Mapping[int, Any]) -> tuple[str, str]:
    """How long the rank with most that is exposed communicated in a step, and how much of it is."""
    found = [(0.0, 0.0)]
    for number, one in known.items():
        recording = job[f"rank {number}"]
        timeline = recording.rank.timeline if recording.rank else None
        if timeline is None:
            return "?", "?"
        start, end = one["window"]
        talks = without(timeline.communicating, [(0.0, start), (end, float("inf"))])
        bare = without(talks, timeline.computing)
        found.append((1e3 * length(bare) / steps.TIMED, 1e3 * length(talks) / steps.TIMED))
    bare_ms, ms = max(found)
    return f"{ms:.2f} ms", f"{bare_ms:.2f} ms"


if __name__ == "__main__":
    main()
