# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""Kernels of our own compiler against Inductor's, on this CPU, with one thread and with all.

Each measure is the mean of some ten milliseconds of calls, Python included; the two take turns. A
ratio is Inductor's time over ours, so above 1 ours is faster. Each row is printed when it is known.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import geometric_mean, median

import torch
from msgspec import Struct

from dynamo_lab.measure.statistics import Spread
from tests.benchmarks.compiler.kernels import Program, kernels
from tests.benchmarks.compiler.rows import LIMIT, printed, run_alone
from tests.benchmarks.core.ratio import machine, ratio, take_turns, timed

SECONDS = 0.03
"""Of calls in a measure."""
EACH, ALL = 0.8, 1.1
WIDTH = 24


class Row(Struct, frozen=True, kw_only=True):
    """One kernel with one number of threads: seconds of a call, and the ratio of each round."""

    name: str
    inductor: float
    lab: float
    faster: Spread

    def __str__(self) -> str:
        times = f"{self.inductor * 1e6:9.1f} {self.lab * 1e6:9.1f}"
        values = f"{self.faster.median:6.2f} ({self.faster.low:.2f} to {self.faster.high:.2f})"
        return f"{self.name:{WIDTH}} {times} {values}{' <' if self.faster.median < EACH else ''}"


def measured(name: str, program: Program, rounds: int) -> Row:
    """One kernel, compiled by both in this process for the number of threads that is set."""
    fn, args = program
    torch.compiler.reset()
    calls = [partial(torch.compile(fn, backend=backend), *args) for backend in ("inductor", "lab")]
    works = [repeated(call) for call in calls]
    inductor, lab = take_turns(works, rounds)
    return Row(name=name, inductor=median(inductor), lab=median(lab), faster=ratio(lab, inductor))


def repeated(call: Callable[[], object]) -> Callable[[], float]:
    """A measure: seconds of a call, the mean of as many as fill it."""
    call()
    once = median(timed(call)() for _ in range(5))
    times = max(1, int(SECONDS / once))

    def work() -> None:
        for _ in range(times):
            call()

    whole = timed(work)
    return lambda: whole() / times


def summary(rows: Sequence[Row]) -> str:
    """What all rows come to."""
    middle = geometric_mean([row.faster.median for row in rows])
    slow = [row.name for row in rows if row.faster.median < EACH]
    return "\n".join([
        f"{'geometric mean':{WIDTH}} {'':19} {middle:6.2f}, asked {ALL}; {len(rows)} kernels",
        f"below {EACH}: {', '.join(slow) or 'none'}",
    ])  # fmt: skip


def main(rounds: int, only: str = "", threads: Sequence[int] = ()) -> None:
    """Measure each number of threads in a process of its own."""
    end = time.monotonic() + LIMIT
    counts = threads or sorted({1, torch.get_num_threads()})
    print(machine(), flush=True)
    for at, count in enumerate(counts):
        seconds = max(0, int((end - time.monotonic()) / (len(counts) - at)))
        given = ["--rounds", str(rounds), "--only", only, "--here", str(seconds)]
        run_alone("tests.benchmarks.compiler.speed", given, count)


def measure_here(rounds: int, only: str, seconds: float) -> None:
    """Measure with the threads that this process has, and print."""
    count = torch.get_num_threads()
    print(f"\n{count} thread{'s' * (count > 1)}, {rounds} rounds: microseconds of a call")
    print(f"{'':{WIDTH}} {'inductor':>9} {'lab':>9}  times as fast (quartiles)", flush=True)
    works = {
        name: partial(measured, name, program, rounds)
        for name, program in kernels().items()
        if only in name
    }
    if rows := printed(works, seconds):
        print(summary(rows), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="kernels with this in their name")
    parser.add_argument("--threads", type=int, nargs="*", default=(), help="1 and all if not said")
    parser.add_argument("--here", type=int, help="in this process, for so many seconds")
    asked = parser.parse_args()
    if asked.here is None:
        main(asked.rounds, asked.only, asked.threads)
    else:
        measure_here(asked.rounds, asked.only, asked.here)
