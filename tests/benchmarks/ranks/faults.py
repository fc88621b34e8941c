"""How long after a job's limit of time the faults of two ranks, seeded by the tests, are named.

    python -m tests.benchmarks.ranks.faults                   # all of `FAULTS`
    python -m tests.benchmarks.ranks.faults stopped stuck     # these

From the limit to the first sentence: the ranks are ended, what they wrote is read and compared. A
fault that needs no limit to be seen is named before, and counts by itself.
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch

import dynamo_lab as lab
from dynamo_lab.measure.machine import describe_machine
from tests.ranks.faults import FAULTS

BUDGET = 10.0


def main() -> None:
    """Print a line for each fault, then the median and the most."""
    named = {fault.__name__: fault for fault in FAULTS}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=", ".join(named))
    parser.add_argument("--limit", type=float, default=40.0, help="seconds of a job")
    options = parser.parse_args()
    chosen = options.faults or list(named)
    if unknown := [name for name in chosen if name not in named]:
        parser.error(f"no such fault: {', '.join(unknown)}")
    late: list[float] = []
    wrong: list[str] = []
    for name in chosen:
        started = time.perf_counter()
        sentence = lab.ranks(named[name], 2, timeout=options.limit).ranks().sentence
        seconds = time.perf_counter() - started
        words, _ = FAULTS[named[name]]
        if not all(word in sentence for word in words):
            wrong.append(name)
            print(f"{name:20} another sentence: {sentence}", flush=True)
        elif seconds > options.limit:
            late.append(seconds - options.limit)
            print(f"{name:20} {late[-1]:5.1f} s after the limit", flush=True)
        else:
            print(f"{name:20} without the limit, {seconds:.1f} s after the start", flush=True)
    if late:
        median, most = statistics.median(late), max(late)
        met = "met" if most <= BUDGET and not wrong else "not met"
        print(f"{len(late)} named after the limit of {options.limit:g} s", end=": ")
        print(f"median {median:.1f} s, the most {most:.1f} s; budget {BUDGET:g} s: {met}")
    machine = describe_machine("cpu")
    print(f"{len(chosen) - len(wrong)} of {len(chosen)} named; torch {torch.__version__}")
    print(f"{machine.processor}, {machine.cores} cores, load {machine.load}")


if __name__ == "__main__":
    main()
