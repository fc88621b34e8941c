# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""The first view of a program against `torch._dynamo.explain` of it: GPT-2 small, fresh processes.

The first view is there once a captured graph can be drawn: long before its kernels are built.
Before it looks at a program, `torch.compile` imports Inductor, which `explain` does not need. That
is PyTorch's own and is counted out in rows that say so: the third way has imported it before the
clock starts, and tells how long that took.
"""

import importlib
import os
import sys
import time
from functools import partial

from dynamo_lab.measure.statistics import spread
from tests.benchmarks.core.children import measure
from tests.benchmarks.core.ratio import Line, announce, options, ratio, report, take_turns

BUDGET = 1.2
IMPORTED_BUDGET = 1.0


def explain_seconds() -> float:
    """What PyTorch's own explanation takes."""
    import torch._dynamo  # noqa: TID251 - what PyTorch itself offers is what we measure against

    from tests.benchmarks.core.gpt2 import gpt2

    model, ids = gpt2()
    with torch.no_grad():
        start = time.perf_counter()
        torch._dynamo.explain(model)(ids)  # noqa: TID251 - as above
        return time.perf_counter() - start


def first_view_seconds(is_imported: bool = False) -> float:
    """What it takes until the view of a graph is built, in the middle of the compilation.

    `is_imported` has Inductor imported before the clock starts, and prints what that took.
    """
    import torch

    import dynamo_lab
    from dynamo_lab.view import build
    from tests.benchmarks.core.gpt2 import gpt2

    model, ids = gpt2()
    start = time.perf_counter()
    if is_imported:
        importlib.import_module("torch._inductor.compile_fx")
        print(time.perf_counter() - start)
        start = time.perf_counter()

    def look(phase: str) -> None:
        if recorder.graphs and build(recorder.recording).graphs:
            print(time.perf_counter() - start, flush=True)
            os._exit(0)  # what comes after the first view is not the question

    with torch.no_grad(), dynamo_lab.record() as recorder:
        recorder.on_phase = look
        torch.compile(model)(ids)
    raise RuntimeError("the compilation ended without a view: nothing was measured")


def main() -> None:
    """Measure and print."""
    ways = {
        "explain": explain_seconds,
        "view": first_view_seconds,
        "imported": partial(first_view_seconds, is_imported=True),
    }
    if len(sys.argv) == 2 and sys.argv[1] in ways:
        print(ways[sys.argv[1]]())
        return
    rounds = options(__doc__, rounds=5).rounds
    imports: list[float] = []
    kept = {"imported": imports}
    explain, view, imported = take_turns(
        [
            partial(measure, "-m", "tests.benchmarks.first_view", way, kept=kept.get(way))
            for way in ways
        ],
        rounds,
        announce(rounds),
    )
    lines = [
        Line(name="torch._dynamo.explain", value=spread(explain)),
        Line(name="first view", value=spread(view)),
        Line(name="of which torch.compile imports Inductor", value=spread(imports)),
        Line(name="first view, Inductor imported before", value=spread(imported)),
        Line(name="first view / explain", value=ratio(explain, view), unit="", budget=BUDGET),
        Line(
            name="Inductor imported before / explain",
            value=ratio(explain, imported),
            unit="",
            budget=IMPORTED_BUDGET,
        ),
    ]
    print(report("First view, GPT-2 small, 64 tokens, CPU", lines, rounds))


if __name__ == "__main__":
    main()
