# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""Edit to run: a cell-sized program whose text was changed, compiled again and called.

In one warm process, each round with a constant drawn anew, so that no cache of kernels has it, of
an earlier run neither. "Ours" are the stages of the compiler without the C compiler's.
"""

import random
from statistics import median
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.compiler.backend import compiled
from dynamo_lab.measure.statistics import spread
from tests.benchmarks.core.ratio import (
    Line,
    announce,
    options,
    ratio,
    report,
    take_turns,
    timed,
    timed_twice,
)

if TYPE_CHECKING:
    from dynamo_lab.compiler.program import Program

SECONDS, OURS = 0.25, 0.01

CELL = """\
def program(x, w):
    y = torch.nn.functional.layer_norm(x, (x.shape[-1],), w)
    return torch.softmax(y * {constant}, -1) + torch.nn.functional.gelu(y)
"""


def main(rounds: int) -> None:
    """Measure and print."""
    x, w = torch.randn(64, 256), torch.randn(256)
    programs: list[Program] = []
    constants = random.SystemRandom()

    def edit(backend: str) -> None:
        scope: dict[str, Any] = {"torch": torch}
        exec(CELL.format(constant=constants.uniform(1, 2)), scope)
        torch.compiler.reset()
        torch.compile(scope["program"], backend=backend)(x, w)

    with compiled(programs.append):
        for backend in ("inductor", "lab"):
            edit(backend)
        by_inductor = timed(lambda: edit("inductor"))
        by_lab, taken = timed_twice(lambda: edit("lab"))
        inductor, lab = take_turns([by_inductor, by_lab], rounds, announce(rounds))
    ours = [sum(p.seconds.values()) - p.seconds["build"] for p in programs[1:]]
    assert median(ours) > 0, "nothing was compiled, so nothing was measured"
    lines = [
        Line(name="inductor", value=spread(inductor)),
        Line(name="lab", value=spread(lab), budget=SECONDS),
        Line(name="lab, of the processor", value=spread(taken), budget=SECONDS),
        Line(name="ours of it", value=spread(ours), budget=OURS),
        Line(name="lab / inductor", value=ratio(inductor, lab), unit=""),
    ]
    print(report("Edit to run of a cell-sized program", lines, rounds))


if __name__ == "__main__":
    main(options(__doc__, rounds=9).rounds)
