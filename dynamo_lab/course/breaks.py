"""Lesson 2: graph breaks, and how to mend them."""

from __future__ import annotations

from typing import Any

from dynamo_lab.course.asking import one_graph, recorded, same_numbers
from dynamo_lab.course.exercises import Exercise


def _branch(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x - 1


def _choose_with_tensors(answer: Any) -> str:
    import torch

    positive = torch.arange(8.0)
    recording = recorded(answer, positive)
    for x in (positive, -positive):
        same_numbers(answer, _branch, x)
    one_graph(recording)
    return "One graph, whichever way the numbers go: both sides are computed, and one is taken."


EXERCISES = (
    Exercise(
        "2.1",
        "A branch on numbers",
        _choose_with_tensors,
        (
            "A graph cannot hold an `if` on numbers, but it can hold an operator that chooses.",
            "The operator takes a condition and two tensors; it is in `torch`, and named for it.",
        ),
    ),
)
