"""Lowering against compiling: GPT-2 small on the CPU, cold caches, fresh processes.

A lowering records every stage down to the code, and builds none of it. The second table is what a
reader waits for who changes a switch: the same cell-sized program lowered again in one process.
"""

import time
from functools import partial

import torch
from torch.nn import functional

import dynamo_lab
from dynamo_lab.bench._children import measure
from dynamo_lab.bench._ratio import Line, announce, options, ratio, report, spread, take_turns

BUDGET = 0.6


def head(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """A cell-sized program: a normalisation, a product, an activation, a softmax."""
    y = functional.layer_norm(x, (64,)) @ w
    return torch.softmax(functional.gelu(y), -1)


def relower_seconds(target: str, rounds: int) -> list[float]:
    """How long it takes to lower `head` again with another switch."""
    recording = dynamo_lab.lower(head, torch.randn(128, 64), torch.randn(64, 64), target=target)
    found: list[float] = []
    for size in range(1, rounds + 1):
        start = time.perf_counter()
        recording.relower(max_fusion_size=size)
        found.append(time.perf_counter() - start)
    return found


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=3).rounds
    compile_gpt2 = partial(measure, "-m", "dynamo_lab.bench._gpt2")
    names = ("plain", "lowered", "lowered:cuda:sm_90")
    plain, here, cuda = take_turns(
        [partial(compile_gpt2, name) for name in names], rounds, announce(rounds)
    )
    lines = [
        Line(name="torch.compile on the CPU", value=spread(plain)),
        Line(name="lower() for cpu", value=spread(here)),
        Line(name="lower() for cuda:sm_90", value=spread(cuda)),
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
