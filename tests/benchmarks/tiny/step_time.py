# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""Time of a training step in C beside PyTorch's: `python -m tests.benchmarks.tiny.step_time`.

MobileNetV2 0.35 at 128 x 128 and batch 1 on one thread. "Sparse" updates what the published scheme
does, but whole weights, since autograd has no gradient of a part: so all ways compute the same.
Each way trains a copy of the model of its own on one sample. First the losses of some steps are
compared; then the ways are timed in turns, a round some steps long: the median, and the quartiles.
FLOP are those of products, counted on the step's graph before and after it was pruned.
"""

from __future__ import annotations

import copy
import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.render.tables import table
from dynamo_lab.view.core.words import flops
from tests.benchmarks.tiny.__main__ import SCHEMES, update_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import nn

    from dynamo_lab.tiny.plan import Plan

RATE, CHECKED, ROUNDS, ROUND_SECONDS = 0.01, 3, 15, 0.2
FLAGS = ("-O3", "-march=native", "-fno-strict-aliasing", "-ffp-contract=off")
WRAPPER = """\
#include "step.h"
float run(unsigned char *record, float lr) { return TRAIN_ON(record, lr); }
"""


def eager(model: nn.Module, names: set[str], sample: Any, *, is_compiled: bool = False) -> Any:
    """A step of `torch.optim.SGD` on some parameters; the loss before it."""
    made = copy.deepcopy(model)
    for name, parameter in made.named_parameters():
        parameter.requires_grad_(name in names)
    sgd = torch.optim.SGD([p for p in made.parameters() if p.requires_grad], RATE)
    x, target = sample

    def loss_of() -> torch.Tensor:
        return functional.cross_entropy(made(x), target)

    compute = torch.compile(loss_of) if is_compiled else loss_of
    update = torch.compile(sgd.step) if is_compiled else sgd.step

    def step() -> float:
        sgd.zero_grad()
        loss = compute()
        loss.backward()
        update()
        return loss.item()

    return step


def in_c(plan: Plan, sample: Any, folder: Path) -> Any:
    """The same of a plan's C, as a shared library."""
    plan.to_c(folder)
    (folder / "wrapper.c").write_text(WRAPPER)
    library = folder / "step.so"
    sources = ["step.c", "wrapper.c"]
    command = ["gcc", "-std=c99", *FLAGS, "-shared", "-fPIC", *sources, "-o", library, "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    run = ctypes.CDLL(str(library)).run
    run.restype, run.argtypes = ctypes.c_float, (ctypes.c_char_p, ctypes.c_float)
    record = plan.record(*sample)
    return lambda: run(record, RATE)


def timed(ways: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Seconds a step by way, a round of each after the other."""
    loops: dict[str, int] = {}
    for name, step in ways.items():
        started = time.perf_counter()
        step()
        loops[name] = max(1, round(ROUND_SECONDS / (time.perf_counter() - started)))
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, step in ways.items():
            started = time.perf_counter()
            for _ in range(loops[name]):
                step()
            found[name].append((time.perf_counter() - started) / loops[name])
    return found


def rows(found: Mapping[str, list[float]], losses: Mapping[str, list[float]]) -> list[list[str]]:
    base = statistics.median(found["eager, full"])
    made: list[list[str]] = []
    for name, seconds in found.items():
        low, middle, high = statistics.quantiles(seconds, n=4)
        spread = f"{low * 1e3:.1f} to {high * 1e3:.1f}"
        shown = " ".join(f"{loss:.4f}" for loss in losses[name])
        made.append([name, f"{middle * 1e3:.1f}", spread, f"{base / middle:.2f}", shown])
    return made


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    make, scheme = SCHEMES["MobileNetV2 0.35"]
    model, sample = make(), (torch.randn(1, 3, 128, 128), torch.tensor([1]))
    update = dict.fromkeys(update_of(model, scheme), "all")
    full = lab.tiny(copy.deepcopy(model), sample, memory=None)
    sparse = full.replanned(update)
    int8 = lab.tiny(copy.deepcopy(model), sample, update=update, memory=None, dtype="int8")
    every, some = set(full.selected), set(sparse.selected)
    with tempfile.TemporaryDirectory() as root:
        ways = {
            "eager, full": eager(model, every, sample),
            "eager, sparse": eager(model, some, sample),
            "compiled, full": eager(model, every, sample, is_compiled=True),
            "compiled, sparse": eager(model, some, sample, is_compiled=True),
            "C, full": in_c(full, sample, Path(root, "full")),
            "C, sparse": in_c(sparse, sample, Path(root, "sparse")),
            "C in int8, sparse": in_c(int8, sample, Path(root, "int8")),
        }
        losses = {name: [step() for _ in range(CHECKED)] for name, step in ways.items()}
        wanted = {kind: losses[f"eager, {kind}"] for kind in ("full", "sparse")}
        for name, got in losses.items():
            if "int8" not in name:
                same = torch.tensor(wanted[name.rpartition(", ")[2]])
                assert torch.allclose(torch.tensor(got), same, atol=1e-3), (name, got, same)
        head = ["step", "ms", "quartiles", "x of eager, full", f"losses of {CHECKED} steps"]
        print("\n".join(table([head, *rows(timed(ways), losses)])))
    counted = [measure.flops or 0 for measure in _before_and_after(sparse)]
    saved = 1 - counted[1] / counted[0]
    print(f"Products: full {flops(counted[0])}, sparse {flops(counted[1])}, {saved:.0%} less")
    print(f"gcc {' '.join(FLAGS)}; torch {torch.__version__}; {sys.platform}; one thread")


def _before_and_after(plan: Plan) -> Any:
    prune = next(one for one in plan.facts.passes if one.name == "prune")
    return prune.before, plan.facts.passes[-1].after


if __name__ == "__main__":
    main()
