"""What a recording costs each rank of its compile, in processor seconds: at most 5 %.

    python -m tests.benchmarks.ranks.cost             # 11 rounds, some minutes
    python -m tests.benchmarks.ranks.cost --rounds 3

The same script under torchrun, with gloo and two ranks, as it is and by `-m dynamo_lab.record`, in
turns, each time with empty caches. Processor seconds are those of a rank's process with all its
threads, the recorder's among them, and of the compilers that it started.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from dynamo_lab.measure.statistics import ratio
from tests.benchmarks.ranks.steps import RESULT

SCRIPT = Path(__file__).with_name("compiled.py")
BUDGET = 1.05


def main() -> None:
    """Print a line for each round, then the ratio of each rank."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--ranks", type=int, default=2)
    options = parser.parse_args()
    found: dict[bool, list[list[float]]] = {False: [], True: []}
    for number in range(options.rounds):
        for is_recorded in (False, True) if number % 2 else (True, False):
            found[is_recorded].append(seconds(options.ranks, is_recorded))
        plain, recorded = found[False][-1], found[True][-1]
        print(
            f"round {number + 1}: plain {_listed(plain)}, recorded {_listed(recorded)}", flush=True
        )
    for rank in range(options.ranks):
        plain, recorded = ([row[rank] for row in found[which]] for which in (False, True))
        cost = ratio(recorded, plain)
        verdict = "within" if cost.high <= BUDGET else "beyond" if cost.low > BUDGET else "about"
        verdict = f"{verdict} the budget of {BUDGET}" if cost.enough else "too few rounds to tell"
        print(
            f"rank {rank}: recorded takes {cost.value:.3f} times the processor seconds "
            f"({cost.low:.3f} to {cost.high:.3f}) of {statistics.median(plain):.1f} s: {verdict}"
        )


def seconds(ranks: int, is_recorded: bool) -> list[float]:
    """The processor seconds of each rank's compile, in a job of its own with empty caches."""
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_cost_") as folder:
        result = Path(folder) / "spent"
        recorder = ["-m", "dynamo_lab.record", "--folder", f"{folder}/runs"] if is_recorded else []
        command = [
            sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}",
            "--master-addr=127.0.0.1", f"--master-port={_port()}", *recorder, str(SCRIPT),
        ]  # fmt: skip
        environment = {
            **os.environ,
            RESULT: str(result),
            "OMP_NUM_THREADS": "1",
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/cache",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",  # then compilers are this process's own children
        }
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(ran.stderr[-2000:])
        return [float(Path(f"{result}.{rank}").read_text()) for rank in range(ranks)]


def _port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _listed(values: list[float]) -> str:
    return " and ".join(f"{value:.2f}" for value in values) + " s"


if __name__ == "__main__":
    main()
