"""The hand-written baselines of `kernels/` against Inductor and eager, each case in turns.

A ratio above 1 says that the baseline is faster than what torch.compile made. Give the names of
some cases to measure these alone.
"""

import argparse
import platform
import time
from collections.abc import Iterator

import torch

from dynamo_lab.case_bench import bench_case
from dynamo_lab.measure.cases import Case, all_cases, find_case
from dynamo_lab.measure.rounds import Plan
from dynamo_lab.measure.statistics import digits, ratio, spread
from dynamo_lab.model.benchmarks import Benchmark
from dynamo_lab.plain import table


def main() -> None:
    """Measure and print."""
    asked = _options()
    cases = [find_case(name) for name in asked.cases] or all_cases()
    plan = Plan(rounds=asked.rounds, seconds=asked.seconds)
    name = torch.cuda.get_device_name() if asked.device == "cuda" else platform.machine()
    print(f"{name}, torch {torch.__version__}, {asked.rounds} rounds in turns")
    for case in cases:
        start = time.perf_counter()
        facts = _measured(case, asked, plan)
        print(f"\n{facts.title}, {time.perf_counter() - start:.0f} s in all")
        print("\n".join(table([*_rows(facts)], right=[1])), flush=True)


def _measured(case: Case, asked: argparse.Namespace, plan: Plan) -> Benchmark:
    return bench_case(
        case,
        device=asked.device,
        size=asked.size,
        dtype=asked.dtype,
        ways=("compiled", *asked.ways),
        kernels=False,
        plan=plan,
    ).facts


def _rows(facts: Benchmark) -> Iterator[tuple[str, ...]]:
    """Each way's time, and how many times faster than the compiled program it is."""
    yield "", "median", "than compiled", "95 %"
    series = {one.way: one.seconds for one in facts.series if one.cache == "warm"}
    compiled = next((at for at, way in enumerate(facts.ways) if way.name == "compiled"), -1)
    for at, way in enumerate(facts.ways):
        if at not in series:
            yield way.name, "", way.problem, ""
            continue
        taken = spread(series[at])
        time_of_call = f"{taken.median * 1e6:.1f} us"
        if compiled not in series or at == compiled:
            yield way.name, time_of_call, "", ""
            continue
        found = ratio(series[compiled], series[at])
        interval = f"{digits(found.low, found)} to {digits(found.high, found)}"
        yield way.name, time_of_call, found.sentence, interval


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="names of cases, or paths of their files")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or mps")
    parser.add_argument("--size", default="", help="small, usual or large")
    parser.add_argument("--dtype", default="", help="float32, bfloat16 or float16")
    parser.add_argument("--ways", nargs="*", default=(), help="more ways, such as max-autotune")
    parser.add_argument("--rounds", type=int, default=25, help="11 or more tell ways apart")
    parser.add_argument("--seconds", type=float, default=5.0, help="for one case's rounds")
    return parser.parse_args()


if __name__ == "__main__":
    main()
