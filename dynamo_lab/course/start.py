"""Lesson 0: the tour."""

from __future__ import annotations

from typing import Any

from dynamo_lab.course.asking import need, need_count, program, recorded
from dynamo_lab.course.predictions import Prediction

_REPORT = """\
def report(t):
    t = torch.relu(t)
    print("mean", t.mean())
    if t.max() > 1:
        t = t / t.max()
    print("done")
    return t * 2
"""


def _reporting() -> Any:
    import torch

    return recorded(program(_REPORT), torch.linspace(-1, 4, 8), backend="eager")


def _count_breaks(answer: Any) -> str:
    count = need_count(answer)
    need(count != 2, "Those are the calls of `print`: is there anything else that needs a number?")
    need(count != 4, "Those are the graphs, if you count the one after the last break.")
    need(count == 3, f"It is not {count}: which lines need Python, or a number, to go on?")
    return "Each `print` and the `if` leave the graph: three breaks, and four pieces."


EXERCISES = (
    Prediction(
        "0.1",
        "Count the breaks",
        _count_breaks,
        (
            "Put `lab.explore(report, x)` in a cell of its own: the view counts them.",
            "A recording also has them as a list: `breaks`. Which lines do they stand on?",
        ),
        shows=_reporting,
    ),
)
