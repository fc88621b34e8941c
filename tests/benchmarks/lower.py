"""Lowering against compiling: GPT-2 small on the CPU, cold caches, fresh processes.

A lowering records every stage down to the code, and builds none of it. What PyTorch alone takes to
that code stands beside it: no tool that shows Inductor's code is faster. The second table is what a
reader waits for who changes a switch: the same cell-sized program lowered again in one process.
"""

import time
from functools import partial

import torch
from torch import nn

import dynamo_lab
from dynamo_lab.measure.statistics import spread
from tests.benchmarks.core.children import measure
from tests.benchmarks.core.ratio import Line, announce, options, ratio, report, take_turns

BUDGET = 0.6


def relower_seconds(target: str, rounds: int) -> list[float]:
    """How long it takes to lower a cell-sized program again with another switch."""
    program = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 64), nn.GELU(), nn.Softmax(-1))
    recording = dynamo_lab.lower(program, torch.randn(128, 64), target=target, grad=True)
    found: list[float] = []
    for size in range(1, rounds + 1):
        start = time.perf_counter()
        again = recording.relower(max_fusion_size=size)
        found.append(time.perf_counter() - start)
        assert again.kernels, "nothing was lowered, so nothing was measured"
    return found


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=3).rounds
    compile_gpt2 = partial(measure, "-m", "tests.benchmarks.core.gpt2")
    names = ("plain", "unbuilt", "lowered", "lowered:cuda:sm_90")
    plain, unbuilt, here, cuda = take_turns(
        [partial(compile_gpt2, name) for name in names], rounds, announce(rounds)
    )
    lines = [
        Line(name="torch.compile on the CPU", value=spread(plain)),
        Line(name="the same, nothing recorded or built", value=spread(unbuilt)),
        Line(name="lower() for cpu", value=spread(here)),
        Line(name="lower() for cuda:sm_90", value=spread(cuda)),
        Line(name="nothing recorded or built / compile", value=ratio(plain, unbuilt), unit=""),
        Line(name="lower() / nothing recorded or built", value=ratio(unbuilt, here), unit=""),
        Line(name="lower() / compile", value=ratio(plain, here), unit="", budget=BUDGET),
        Line(name="for cuda:sm_90 / compile", value=ratio(plain, cuda), unit="", budget=BUDGET),
    ]
    print(report("GPT-2 small, 64 tokens, cold caches", lines, rounds))
    again = [
        Line(name=f"relower() for {target}", value=spread(relower_seconds(target, 7)))
        for target in ("cpu", "cuda:sm_90", "mps")
    ]
    print(report("A cell-sized program with another switch, warm", again, 7))


if __name__ == "__main__":
    main()
