# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""Kernels of our own compiler against Inductor's, on a CUDA device, in turns.

Both run as CUDA graphs, so that what counts is the device's time and not Python's. A ratio is
lab / inductor, so less than 1 is faster than Inductor. The last column is what one call of each
takes from Python, in the same order.
"""

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import torch

from tests.benchmarks.compiler.kernels import Program, programs
from tests.benchmarks.compiler.rows import LIMIT, printed, ratio_text
from tests.benchmarks.core.ratio import Line, options, ratio, report, take_turns, with_mean

TIMES = 16
"""As many rows as keep a GPU busy: 8,192 of 1,024 float32, 32 MiB."""
REPLAYS = 50
EACH, ALL = 1.25, 1 / 0.9


def line(name: str, program: Program, rounds: int) -> Line:
    """One program's ratio, both compiled in this process."""
    fn, args = program
    there = tuple(arg.cuda() for arg in args)
    torch.compiler.reset()
    compiled = [torch.compile(fn, backend=backend) for backend in ("inductor", "lab")]
    inductor, lab = take_turns([replayed(one, there) for one in compiled], rounds)
    called = " / ".join(f"{called_from_python(one, there) * 1e6:.0f}" for one in compiled)
    device = f"{median(inductor) * 1e6:.1f} -> {median(lab) * 1e6:.1f} us"
    return Line(
        name=f"{name} ({device}; calls {called} us)",
        value=ratio(inductor, lab),
        unit="",
        budget=EACH,
    )


def replayed(fn: Callable[..., Any], args: tuple[torch.Tensor, ...]) -> Callable[[], float]:
    """A measure: the seconds of one call, replayed."""
    for _ in range(3):
        fn(*args)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fn(*args)

    def measure() -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        graph.replay()
        start.record()
        for _ in range(REPLAYS):
            graph.replay()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1000 / REPLAYS

    return measure


def called_from_python(fn: Callable[..., Any], args: tuple[torch.Tensor, ...]) -> float:
    """Seconds of one call, the device kept busy all the while."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(REPLAYS):
        fn(*args)
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / REPLAYS


def main(rounds: int) -> None:
    """Measure and print."""
    works = {
        name: partial(line, name, program, rounds) for name, program in programs(TIMES).items()
    }
    lines = printed(works, LIMIT, ratio_text)
    if lines:
        title = f"lab / inductor on {torch.cuda.get_device_name()}"
        print(report(title, with_mean(lines, ALL), rounds))


if __name__ == "__main__":
    main(options(__doc__, rounds=9).rounds)
