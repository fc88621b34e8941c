"""What a recording costs each rank of its compile, in processor seconds: at most 5 %.

    python -m tests.benchmarks.ranks.cost                        # 11 rounds, some minutes
    python -m tests.benchmarks.ranks.cost --rounds 5 --beside    # on a machine with 8 idle cores
    python -m tests.benchmarks.ranks.cost --where                # then also which probes it goes to

The same script under torchrun, with gloo and two ranks: as it is, as it is without PyTorch's caches
of graphs, which are off while it is recorded, and by `-m dynamo_lab.record`, in turns, each with
empty caches; with `--beside` the three of a round at the same time. Processor seconds are those of
a rank's process with all its threads, the recorder's among them, and of the compilers it started.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from dynamo_lab.measure.statistics import ratio, spread
from tests.benchmarks.ranks.probes import PROBES
from tests.benchmarks.ranks.steps import RESULT

SCRIPT = Path(__file__).with_name("compiled.py")
BUDGET = 1.05
PLAIN, UNCACHED, RECORDED, COUNTED = "plain", "caches off", "recorded", "probes counted"
WAYS = (PLAIN, UNCACHED, RECORDED)
CACHES_OFF = {"TORCHINDUCTOR_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}
RECORDERS = {RECORDED: "dynamo_lab.record", COUNTED: "tests.benchmarks.ranks.probes"}
SHOWN = 25
"""Probes that are listed, those that take most first."""


def main() -> None:
    """Print a line for each round, then the ratios of each rank, then where the cost lies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--beside", action="store_true", help="the ways of a round at one time")
    parser.add_argument("--where", action="store_true", help="seconds by probe, of a job more")
    options = parser.parse_args()
    found: dict[str, list[list[dict[str, Any]]]] = {way: [] for way in WAYS}
    for number in range(options.rounds):
        ways = [WAYS[(number + at) % len(WAYS)] for at in range(len(WAYS))]
        with ThreadPoolExecutor(len(ways) if options.beside else 1) as pool:
            told = pool.map(partial(ran, options.ranks), ways)
            for way, one in zip(ways, told, strict=True):
                found[way].append(one)
        row = (f"{way} {_listed([one['compile'] for one in found[way][-1]])}" for way in WAYS)
        print(f"round {number + 1}: {', '.join(row)}", flush=True)
    for rank in range(options.ranks):
        _report(rank, {way: [row[rank] for row in rows] for way, rows in found.items()})
    if options.where:
        _where(ran(options.ranks, COUNTED)[0])


def _report(rank: int, found: dict[str, list[dict[str, Any]]]) -> None:
    """A rank's ratios: of its compile, and of all that its process did."""
    for part, words in (("compile", "compile"), ("whole", "whole process")):
        recorded = [one[part] for one in found[RECORDED]]
        for base in (PLAIN, UNCACHED):
            plain = [one[part] for one in found[base]]
            cost = ratio(recorded, plain)
            told = "within" if cost.high <= BUDGET else "beyond" if cost.low > BUDGET else "about"
            told = f"{told} the budget of {BUDGET}" if cost.enough else "too few rounds to tell"
            print(
                f"rank {rank}, {words}: recorded takes {cost.value:.3f} times the processor "
                f"seconds ({cost.low:.3f} to {cost.high:.3f}) of {base}"
                f"{': ' + told if part == 'compile' else ''}"
            )
    print(f"rank {rank}, median seconds and the middle half:")
    for part in ("start", "compile", "end"):
        row = (f"{way} {_spread([one[part] for one in rows])}" for way, rows in found.items())
        print(f"  {part:8} {', '.join(row)}")
    for name in sorted({name for one in found[RECORDED] for name in one["threads"]}):
        own = [one["threads"].get(name, 0.0) for one in found[RECORDED]]
        plain = [one["threads"].get(name, 0.0) for one in found[PLAIN]]
        print(f"  thread {name}: plain {_spread(plain)}, recorded {_spread(own)}")


def _where(told: dict[str, Any]) -> None:
    """The probes of one rank that take most of the processor."""
    probes = told["probes"]
    own = [row for name, row in probes.items() if not name.startswith("(diary)")]
    whole, calls = sum(row[0] for row in own), sum(row[1] for row in own)
    print(
        f"rank 0, probes: {whole:.2f} s in {calls:,} calls, "
        f"{100 * whole / told['compile']:.1f} % of the {told['compile']:.2f} s of the compile"
    )
    for name, (seconds, calls) in sorted(probes.items(), key=lambda row: -row[1][0])[:SHOWN]:
        print(f"  {1e3 * seconds:7.0f} ms {calls:8,} calls  {name}")


def ran(ranks: int, way: str) -> list[dict[str, Any]]:
    """The processor seconds of each rank, in a job of its own with empty caches."""
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_cost_") as folder:
        result, probes = Path(folder) / "spent", Path(folder) / "probes"
        recorder = ["-m", RECORDERS[way], "--folder", f"{folder}/runs"] if way in RECORDERS else []
        command = [
            sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}",
            "--master-addr=127.0.0.1", f"--master-port={_port()}", *recorder, str(SCRIPT),
        ]  # fmt: skip
        environment = {
            **os.environ,
            **(CACHES_OFF if way == UNCACHED else {}),
            RESULT: str(result),
            PROBES: str(probes),
            "OMP_NUM_THREADS": "1",
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/cache",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",  # then compilers are this process's own children
        }
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr[-2000:])
        told = [json.loads(Path(f"{result}.{rank}").read_text()) for rank in range(ranks)]
        for rank, one in enumerate(told) if way == COUNTED else ():
            one["probes"] = json.loads(Path(f"{probes}.{rank}").read_text())
        return told


def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _listed(values: list[float]) -> str:
    return " and ".join(f"{value:.2f}" for value in values) + " s"


def _spread(values: list[float]) -> str:
    own = spread(values)
    return f"{statistics.median(values):.2f} ({own.low:.2f} to {own.high:.2f}) s"


if __name__ == "__main__":
    main()
