"""The hand-written baselines of `kernels/` against Inductor and eager, each case in turns.

Above 1 a baseline is faster than what torch.compile made. Name cases to measure these alone.
"""

import argparse
import platform
import time

import torch

from dynamo_lab.api.benchmarks.cases import bench_case, summary
from dynamo_lab.measure.cases import all_cases, find_case
from dynamo_lab.measure.rounds import Plan


def main() -> None:
    """Measure and print."""
    asked = _options()
    cases = [find_case(name) for name in asked.cases] or all_cases()
    plan = Plan(rounds=asked.rounds, seconds=asked.seconds)
    name = torch.cuda.get_device_name() if asked.device == "cuda" else platform.machine()
    print(f"{name}, torch {torch.__version__}, {asked.rounds} rounds in turns")
    for case in cases:
        start = time.perf_counter()
        made = bench_case(
            case,
            device=asked.device,
            size=asked.size,
            dtype=asked.dtype,
            ways=("compiled", *asked.ways),
            cold=asked.cold,
            kernels=False,
            plan=plan,
        )
        print("", *summary(made.facts), sep="\n")
        print(f"{time.perf_counter() - start:.0f} s in all", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="names of cases, or paths of their files")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or mps")
    parser.add_argument("--size", default="", help="small, usual or large")
    parser.add_argument("--dtype", default="", help="float32, bfloat16 or float16")
    parser.add_argument("--ways", nargs="*", default=(), help="more ways, such as max-autotune")
    parser.add_argument("--rounds", type=int, default=25, help="11 or more tell ways apart")
    parser.add_argument("--seconds", type=float, default=4.0, help="for the rounds of one case")
    parser.add_argument("--cold", action="store_true", help="with cold caches too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
