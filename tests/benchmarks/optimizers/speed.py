# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false
# torch annotates its functions only in part.
"""Compiled optimizers: +18 % (HuggingFace), +19 % (TorchBench), +8 % (TIMM) were announced.

About 40 s more to compile was, too.

For each model of the suite that is installed here a training step is timed whose model is compiled,
with Adam's step eager and compiled, in turns; the step by itself is what PyTorch's recipe times
(https://pytorch.org/tutorials/recipes/compiling_optimizer.html). Models are taken in turn from
torch, transformers and timm until the time is over. Before that it is counted how often the step is
compiled again while schedulers change the learning rate.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import nullcontext
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.measure.statistics import ratio
from dynamo_lab.suite.models.models import models
from dynamo_lab.suite.results import Case, Result
from dynamo_lab.suite.summary import speed_word
from dynamo_lab.suite.table import Cell, build, geometric_mean
from dynamo_lab.suite.text import table_text
from dynamo_lab.suite.work import Steps, run
from dynamo_lab.view.core.words import plural
from tests.benchmarks.announced.store import store
from tests.benchmarks.optimizers import schedules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynamo_lab.suite.models.model import Model

_FIRST = (
    *("mlp", "resnet18_plain", "lstm", "transformer_encoder", "unet"),
    *("gpt2", "bert", "t5", "vit", "resnet"),
)
"""Models that come first, if they are on the list: one of each kind."""


_DIFFERS = (
    "the models of this suite that were reached in time, those of torch.nn in place of TorchBench; "
    "Adam, float32, without CUDA graphs; the model is compiled in both."
)


def main() -> None:
    """Print a row a model, the means, and the step by itself."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.optimizers", description=__doc__)
    parser.add_argument("device", nargs="?", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=360, help="no model begins after these")
    parser.add_argument("--models", default="", help="only these, with commas")
    parser.add_argument("--store", metavar="FILE", help="write the run as JSON, for the table")
    options = parser.parse_args()
    alone = _alone(options.device)
    print(f"the step by itself, Adam, 10 matrices of 1024 x 1024: {alone}", flush=True)
    rates = "" if options.models else schedules.told(options.device)
    found = list(_results(options))
    print(table_text(build(found)))
    rows = {"the step by itself": alone, **_means(found)}
    if rates:
        rows["recompiles with schedulers"] = rates
    for name, told in rows.items():
        print(f"{name}: {told}")
    if options.store:
        store(options.store, "optimizers", rows, options.device, _DIFFERS)


def _alone(device: str) -> str:
    """The recipe of PyTorch: 10 linear layers without bias, Adam."""
    layers = [torch.nn.Linear(1024, 1024, bias=False, device=device) for _ in range(10)]
    model = torch.nn.Sequential(*layers)
    model(torch.rand(1024, device=device)).sum().backward()
    eager = torch.optim.Adam(model.parameters(), lr=0.01)
    ours = torch.optim.Adam(model.parameters(), lr=torch.tensor(0.01))
    step: Any = torch.compile(ours.step)
    begin = time.perf_counter()
    step()
    seconds = time.perf_counter() - begin
    for _ in range(3):
        step()
        eager.step()
    steps = {"eager": eager.step, "compiled": step}
    times = take_turns(steps, device_named(device), Plan(rounds=15, fewest=11, seconds=3))
    compared = ratio(times["eager"].seconds, times["compiled"].seconds)
    return f"{speed_word(compared)} than eager, {seconds:.0f} s for the first step"


def _results(options: argparse.Namespace) -> Iterator[Result]:
    size = "small" if options.device == "cpu" else "full"
    start = time.perf_counter()
    for model in _order(options.models):
        if time.perf_counter() - start > options.seconds:
            return
        torch.manual_seed(0)
        case = Case(model=model.name, task="optimizer", precision="float32")
        try:
            program = model.build(size)
        except Exception as error:  # a release that has no such model
            print(f"{model.name}: {type(error).__name__}", file=sys.stderr)
            continue
        result = run(program, case, options.device, Steps(lambda _: None, nullcontext))
        cell = Cell.of(result)
        told = speed_word(cell.speed) if cell.speed else f"{result.verdict}: {result.reason}"
        print(f"{model.name}: {told}, {result.compile_seconds or 0:.0f} s more", flush=True)
        yield _of_family(result, model)


def _of_family(result: Result, model: Model) -> Result:
    from msgspec.structs import replace

    return replace(result, family=model.family)


def _order(asked: str) -> list[Model]:
    """One of each family in turn, the known ones first."""
    wanted = asked.split(",") if asked else []
    there = [one for one in models().values() if one.is_installed]
    there = [one for one in there if not wanted or one.name in wanted]
    there.sort(key=lambda one: (*_FIRST, one.name).index(one.name))
    families = [[m for m in there if m.family == family] for family in _families(there)]
    return [m for m in chain.from_iterable(zip_longest(*families)) if m is not None]


def _families(there: Sequence[Model]) -> list[str]:
    return list(dict.fromkeys(one.family for one in there))


def _means(found: Sequence[Result]) -> dict[str, str]:
    rows: dict[str, str] = {}
    for family in dict.fromkeys(one.family for one in found):
        cells = [Cell.of(one) for one in found if one.family == family]
        mean = geometric_mean([cell.speed.value for cell in cells if cell.speed])
        seconds = [c.result.compile_seconds for c in cells if c.result.compile_seconds is not None]
        if mean is not None:
            middle = sorted(seconds)[len(seconds) // 2]
            rows[family] = (
                f"{mean.value:.2f} times as fast ({mean.low:.2f} to {mean.high:.2f}), "
                f"{plural(mean.count, 'model')}, {middle:.0f} s more to compile (median)"
            )
    return rows
