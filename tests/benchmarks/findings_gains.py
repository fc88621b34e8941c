"""What findings foretell of their remedies, and what these bring: bytes, calls, and seconds a call.

Each program at fault and its mended form are recorded, and then compiled for this machine and timed
in turns. The seconds are medians; a remedy about memory may cost time, and is shown all the same.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.render.tables import table
from dynamo_lab.view.core.words import seconds
from tests.benchmarks.core.ratio import machine, options
from tests.findings.faults import findings_of, program
from tests.findings.speed_mended import FAULTS, MENDED, both, counted, mended

_TORCH: Any = torch
_HEAD = ("program", "rule", "of", "before", "foretold", "came", "factor", "at fault", "mended", "")


class _Taken:
    """In place of `dynamo_lab`: what a program asks to have lowered is compiled and called."""

    def lower(self, fn: Any, *args: Any, grad: bool | None = None, **_: Any) -> Any:
        """A call of the compiled function, of a training step where there is a gradient."""
        compiled = _TORCH.compile(fn)

        def step() -> None:
            compiled(*args).square().sum().backward()

        def forward() -> None:
            with torch.no_grad():
                compiled(*args)

        return step if grad else forward


def call_of(source: str, folder: Path, name: str) -> Callable[[], None]:
    """A program's call, compiled."""
    _TORCH.manual_seed(0)
    call = program(source, folder, name).record(_Taken())
    call()
    return call


def row(name: str, folder: Path, plan: Plan) -> tuple[str, ...]:
    """What was foretold of one program, and what came."""
    found, better = both(name, folder)
    first = findings_of(found)[0]
    gain, rule = first.gain, first.rule
    assert gain
    before, after = counted(rule, found), counted(rule, better)
    came, foretold = before - after, gain.before - gain.after
    ways = {
        "fault": call_of(FAULTS[name].source, folder, f"{name}_timed"),
        "mended": call_of(mended(name), folder, f"{name}_mended_timed"),
    }
    timed = take_turns(ways, device_named("cpu"), plan)
    told = ratio(timed["fault"].seconds, timed["mended"].seconds)
    medians = [seconds(spread(timed[way].seconds).median) for way in ("fault", "mended")]
    numbers = (f"{before:,.0f}", f"{gain.after:,.0f}", f"{after:,.0f}", f"{foretold / came:.2f}")
    return name, rule, gain.metric, *numbers, *medians, told.sentence


def _is_called_here(name: str) -> bool:
    """Whether it is lowered for this machine, in one way: others are not called by `_Taken`."""
    text = FAULTS[name].source if name in FAULTS else ""
    return "lab.lower(" in text and "cuda" not in text


def main() -> None:
    """Print a row for each mended program."""
    asked = options(__doc__, 15)
    plan = Plan(rounds=asked.rounds, round_seconds=0.01)
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(name, Path(folder), plan) for name in MENDED if _is_called_here(name)]
    print("\n".join([*table([_HEAD, *rows], right=(3, 4, 5, 6, 7, 8)), f"cpu, {machine()}"]))


if __name__ == "__main__":
    main()
