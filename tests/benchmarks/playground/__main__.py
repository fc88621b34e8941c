"""The playground: from a changed text to its code, for a cell-sized program, warm.

What a reader waits for after the pause: the text is sent to the copy of the process, its
definitions run, it is captured and lowered, and the recording comes back and becomes a view.
Seconds are of the wall clock; beside them those of this machine's processor, which a machine that
is shared does not stretch.
"""

from __future__ import annotations

import resource
import time

import torch

import dynamo_lab
from dynamo_lab.live.playground.answers import drafted
from dynamo_lab.measure.statistics import spread
from tests.benchmarks.core.ratio import Line, options, report

BUDGETS = {("inductor", "cpu"): 0.7, ("inductor", "cuda:sm_90"): 0.7, ("lab", "cpu"): 0.3}
"""Seconds from a text to its code, by backend and target."""


def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """A program as long as a cell."""
    y = torch.nn.functional.gelu(x @ w) * 2.0
    return torch.softmax(y, -1).sum(-1)


def seconds(backend: str, target: str, rounds: int) -> list[float]:
    """How long each of so many changed texts takes, after one that is not counted."""
    recording = dynamo_lab.lower(program, torch.randn(64, 128), torch.randn(128, 128))
    with recording.playground() as ground:
        text = ground.text
    found: list[float] = []
    how = {"backend": backend, "target": target}
    for at in range(rounds + 1):
        changed = text.replace("2.0", f"{at + 3}.0")
        start = time.perf_counter()
        view = drafted(recording, recording.session, "0", changed, how)()
        found.append(time.perf_counter() - start)
        assert not view.has_failed, view.diagnostics
        assert view.kernels.kernels, "nothing was lowered, so nothing was measured"
    recording.session.close()
    return found[1:]


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=15).rounds
    lines: list[Line] = []
    for (backend, target), budget in BUDGETS.items():
        before = _processor()
        found = spread(seconds(backend, target, rounds))
        lines.append(Line(name=f"{backend} for {target}", value=found, budget=budget))
        each = (_processor() - before) / (rounds + 1)
        lines.append(Line(name="  of the processor, with the first", value=spread([each])))
    print(report("A changed text to its code, a cell-sized program, warm", lines, rounds))


def _processor() -> float:
    """Seconds of the processor so far, of this process and of those that ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()
