"""Lesson 4: autograd ahead of time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.course.asking import (
    gradients,
    keeps_less,
    lowered,
    need,
    need_count,
    need_function,
    need_kind,
    program,
)
from dynamo_lab.course.comparing import in_any_order, same_numbers, same_program
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.predictions import Prediction

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.view.autograd.autograd import PartitionView

_BUDGETS = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)
_ENOUGH = 3
"""How many times less the checkpointed function has to save."""


_MADE = """\
def made(x, w, t):
    h = x @ w
    waves = torch.sin(h[:, :, None] * t)
    some = torch.dropout(waves, 0.5, True)
    s = some.sum(-1)
    return s.square().mean()
"""

_DEEP = """\
def deep(x, w):
    for _ in range(3):
        x = torch.tanh(x @ w)
    return x.square().mean()
"""


def _inputs(*shapes: tuple[int, ...]) -> list[Any]:
    """Tensors that require a gradient, the same each time."""
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator).requires_grad_() for shape in shapes]


def _making() -> Recording:
    return lowered(program(_MADE), *_inputs((64, 128), (128, 256), (32,)), grad=True)


def _heaviest_line(answer: Any) -> str:
    lines = [line.strip() for line in _MADE.splitlines()]
    answer = need_count(answer)
    need_kind(
        2 <= answer <= len(lines), f"Lines 2 to {len(lines)} compute something: one of these."
    )
    part = _partition_view(_making())
    saved = {lines.index(row.line) + 1: row for row in part.lines if row.line}
    again = {lines.index(row.line) + 1: row for row in part.recomputed if row.line and row.bytes}
    if answer in again and answer not in saved:
        need(
            False,
            f"Line {answer} saves nothing, large as its values are: `{again[answer].operator}` is "
            f"cheap, so the backward recomputes it and {again[answer].size} need not be saved.",
        )
    need(answer in saved, f"Line {answer} saves nothing: no gradient needs what it computes.")
    most = max(saved, key=lambda line: saved[line].bytes)
    need(
        answer == most,
        f"Line {answer} saves {saved[answer].size}, but another line saves more. Small values "
        "take memory too if there are many.",
    )
    return (
        f"Line {most} saves {saved[most].size}: the mask, one byte per element. The numbers it "
        "is applied to are recomputed, but random numbers are drawn once."
    )


def _partition_view(recording: Recording) -> PartitionView:
    from dynamo_lab.view.autograd.autograd import build
    from dynamo_lab.view.core.places import Places

    return build(recording, Places(recording))[0]


def _keep_less(answer: Any) -> str:
    deep, inputs = program(_DEEP), _inputs((256, 64), (64, 64))
    compared = same_numbers(answer, deep, *inputs, of=gradients)
    recording, original = (lowered(fn, *inputs, grad=True) for fn in (answer, deep))
    verdict = keeps_less(recording, original, _ENOUGH)
    same_program(recording, compared)
    return verdict


def _choose_budget(answer: Any) -> str:
    need_function(answer)
    recording = lowered(program(_DEEP), *_inputs((256, 64), (64, 64)), grad=True)
    rows = {row.budget: row for row in recording.repartition(*_BUDGETS).rows}
    sizes = sorted({row.activation_bytes for row in rows.values()})
    limits = [*sizes, *((a + b) // 2 for a, b in pairwise(sizes))]
    budgets = in_any_order(lambda limit: answer(recording, limit), limits)
    for limit, budget in zip(limits, budgets, strict=True):
        need(
            budget in rows,
            f"For {limit:,} bytes it gives {budget!r}, which is not one of {_BUDGETS}.",
        )
        chosen = rows[budget]
        need(
            chosen.activation_bytes <= limit,
            f"For {limit:,} bytes it gives the budget {budget:g}, which saves "
            f"{chosen.activation_bytes:,}: that does not fit.",
        )
        fitting = [row for row in rows.values() if row.activation_bytes <= limit]
        best = min(fitting, key=lambda row: row.flops)
        need(
            chosen.flops == best.flops,
            f"For {limit:,} bytes it gives the budget {budget:g}. That fits, but computes "
            f"{chosen.arithmetic} again, where {best.budget:g} fits too with "
            f"{best.arithmetic if best.flops else 'none'}.",
        )
    return "The largest budget that fits: what is saved need not be recomputed."


EXERCISES = (
    Prediction(
        "4.1",
        "Where the memory goes",
        _heaviest_line,
        (
            "The Autograd tab has a list of lines, with what each saves.",
            "The list is under By line, the largest on top. The largest tensor of the program is "
            "not in it.",
        ),
        shows=_making,
    ),
    Exercise(
        "4.2",
        "Save less",
        _keep_less,
        (
            "What a call through `torch.utils.checkpoint` computes inside is recomputed.",
            "The inputs of every call are saved: one call for all three steps has fewer of them "
            "than a call for each.",
        ),
    ),
    Exercise(
        "4.3",
        "As much as fits",
        _choose_budget,
        (
            "Keep the rows that fit, and take the one with the least arithmetic.",
            "The more is saved, the less is recomputed: among those that fit, it is the one "
            "with the largest budget.",
        ),
    ),
)
