# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportDeprecated=false
# torch annotates its functions only in part; the flow of then is deprecated for torchao's.
"""int8 with the engines "x86" and "onednn" against "fbgemm": 1.34 to 2.04 times was announced.

A ResNet-18, eager, by the flow that PyTorch had then (`torch.ao.quantization.quantize_fx`):
calibrated on one input, converted for each engine with the settings that PyTorch has for it, timed
in turns. Each engine's result is compared with the float model's.
"""

from __future__ import annotations

import argparse
import copy
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

from dynamo_lab.measure.checks import relative_error
from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.suite.models.models import models
from dynamo_lab.suite.summary import speed_word
from dynamo_lab.view.core.words import seconds
from tests.benchmarks.announced.store import store

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from dynamo_lab.measure.statistics import Ratio

ENGINES = ("fbgemm", "x86", "onednn")

_DIFFERS = (
    "one network, ResNet-18 with random weights, batch {batch} of {side} x {side}; another CPU, of "
    "which PyTorch uses {uses}; against the FBGEMM of today."
)


@contextmanager
def engine(name: str) -> Generator[None]:
    """PyTorch's engine for quantized operators, in the block."""
    backend: Any = torch.backends.quantized
    before = backend.engine
    try:
        backend.engine = name
        yield
    finally:
        backend.engine = before


def quantized(model: torch.nn.Module, x: torch.Tensor, name: str) -> Callable[[], object]:
    """A call of the model in int8, calibrated on this input."""
    with engine(name), warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the flow is deprecated in favour of torchao's
        prepared: Any = prepare_fx(copy.deepcopy(model), get_default_qconfig_mapping(name), (x,))
        prepared(x)
        made: Any = convert_fx(prepared)

    def call() -> object:
        with engine(name), torch.no_grad():
            return made(x)

    return call


def _against(of: str, compared: Ratio) -> str:
    return f"{speed_word(compared)} {'than' if compared.differs else 'from'} {of}"


def main() -> None:
    """Measure, print, and store."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.quantization", description=__doc__)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--store", metavar="FILE", help="write the run as JSON, for the table")
    options = parser.parse_args()
    torch.manual_seed(0)
    built: Any = models()["resnet18_plain"].build("full").module
    model = built.module.eval()
    x = torch.randn(options.batch, 3, options.side, options.side)
    with torch.no_grad():
        exact = model(x)
    calls = {name: quantized(model, x, name) for name in ENGINES}
    errors = {name: relative_error(call(), exact) for name, call in calls.items()}

    def as_it_is() -> object:
        with torch.no_grad():
            return model(x)

    plan = Plan(rounds=options.rounds, seconds=options.seconds)
    times = take_turns({"float": as_it_is, **calls}, device_named("cpu"), plan)
    rows: dict[str, str] = {}
    for name in ENGINES:
        middle = seconds(spread(times[name].seconds).median)
        bases = [of for of in ("fbgemm", "float") if of != name]
        told = ", ".join(
            _against(of, ratio(times[of].seconds, times[name].seconds)) for of in bases
        )
        rows[name] = f"{name} {middle}, {told}, off by {errors[name]:.2g}"
        print(rows[name])
    if options.store:
        uses = torch.backends.cpu.get_cpu_capability()
        differs = _DIFFERS.format(batch=options.batch, side=options.side, uses=uses)
        store(options.store, "quantization", rows, "cpu", differs)


if __name__ == "__main__":
    main()
