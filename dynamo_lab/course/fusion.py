"""Lesson 6: loop IR and fusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.course.asking import (
    lowered,
    need,
    need_count,
    need_function,
    need_set,
    no_break,
    program,
)
from dynamo_lab.course.comparing import in_any_order, same_numbers, same_program
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.predictions import Prediction

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

_MIXED = """\
def mixed(x, w):
    a = x * 2
    b = torch.relu(a + 1)
    c = torch.exp(b)
    d = c.sum(-1, keepdim=True)
    e = c / d
    f = torch.tanh(e) + b
    return f @ w
"""

_STRETCH = """\
def stretch(x):
    ordered = x.sort(dim=-1).values
    low, high = ordered[:, :1], ordered[:, -1:]
    return (x - low) / (high - low)
"""

_SOFTENED = """\
def softened(x):
    weights = torch.exp(x - x.amax(-1, keepdim=True))
    share = weights / weights.sum(-1, keepdim=True)
    return share, share.square().sum(-1)
"""


_PAIRED = """\
def paired(x):
    y = torch.relu(x)
    return y, y.sum(-1)
"""

_SURPRISING = """\
def surprising(x):
    p = torch.softmax(x, -1)
    return p, -(p * p.log()).sum(-1), p.amax(-1)
"""

_GPU = "cuda:sm_90"


def _mixing() -> Recording:
    return lowered(program(_MIXED), torch.randn(64, 256), torch.randn(256, 256))


def _what_is_stored(answer: Any) -> str:
    lines = _MIXED.splitlines()
    given = need_set(
        answer,
        "A set of line numbers is needed, such as {3, 5}.",
        range(2, len(lines) + 1),
        f"The lines that compute are 2 to {len(lines)}.",
    )
    need(given, "The set is empty: at least the output is in memory.")
    reasons = _reasons(_mixing())
    for line in sorted(given - reasons.keys()):
        need(
            False,
            f"Line {line}, `{lines[line - 1].strip()}`, is not in memory: it is computed inside of "
            "the loops that read it, once for each, as that is cheap.",
        )
    missing = reasons.keys() - given
    need(not missing, "All of these are in memory, but so is what another line computes.")
    return " ".join(f"Line {line}: {reason}" for line, reason in sorted(reasons.items()))


def _reasons(recording: Recording) -> dict[int, str]:
    """For each line whose value is in memory, why."""
    from dynamo_lab.model.lowering import INDUCTOR
    from dynamo_lab.view.lowering.causes import stored

    found: dict[int, str] = {}
    for buffer in recording.buffers:
        nodes = recording.graphs[buffer.graph].nodes
        last = nodes[max(buffer.nodes)]
        during = "" if buffer.during is None else nodes.name[buffer.during]
        if last.stack is not None:
            line = recording.spans[recording.stacks[last.stack][-1]].line
            found[line] = stored(buffer, during, INDUCTOR)
    return found


def _one_kernel(answer: Any) -> str:
    same_numbers(answer, program(_STRETCH), torch.rand(8, 33) - 7)
    compared = same_numbers(answer, program(_STRETCH), torch.randn(64, 256))
    recording = lowered(answer, torch.randn(64, 256))
    no_break(recording, "Kernels are not fused across a break. ")
    same_program(recording, compared)
    need(recording.captured_graphs(), "Dynamo captured nothing of it: is it excluded?")
    for kernel in recording.kernels:
        need(
            kernel.language != "extern",
            f"{kernel.name} is called: a kernel of PyTorch's, which nothing can be fused with.",
        )
    need(len(recording.kernels) == 1, f"One kernel is needed, not {len(recording.kernels)}.")
    return "Two reductions, and what is made of them, in one kernel: sorting was never needed."


def _smallest_size(answer: Any) -> str:
    need_function(answer)
    recordings = [
        lowered(program(text), torch.randn(64, 256), target=_GPU)
        for text in (_SOFTENED, _PAIRED, _SURPRISING)
    ]
    for recording, size in zip(recordings, in_any_order(answer, recordings), strict=True):
        _fuses_all_and_no_more(need_count(size), recording)
    return "All operations have to fit into one kernel, so it is as many as there are."


def _fuses_all_and_no_more(size: int, recording: Recording) -> None:
    need(size >= 1, f"For `{recording.title}` it gives {size}: a number from 1 is needed.")
    gives = f"For `{recording.title}` it gives {size}. With that"
    kernels = len(recording.relower(max_fusion_size=size).kernels)
    need(kernels == 1, f"{gives} there are {kernels} kernels: too few may be together.")
    if size > 1:
        smaller = len(recording.relower(max_fusion_size=size - 1).kernels)
        need(smaller > 1, f"{gives} it is one kernel, but a smaller value does it too.")


EXERCISES = (
    Prediction(
        "6.1",
        "What is stored?",
        _what_is_stored,
        (
            "Ask of each line who reads its value: a loop that could compute it on the way, or "
            "something that needs all of it first?",
            "A loop that is read more than once may be computed in each of its readers. When is "
            "that cheaper than to store it?",
        ),
        shows=_mixing,
    ),
    Exercise(
        "6.2",
        "One kernel",
        _one_kernel,
        (
            "Of all that is sorted, two elements of a row are needed.",
            "The least and the largest are reductions: `amin` and `amax`, with `keepdim=True`.",
        ),
    ),
    Exercise(
        "6.3",
        "The least that fuses all",
        _smallest_size,
        (
            "It is the most operations that one kernel may have. How many has this one?",
            "`recording.schedules[0]` lists the operations that Inductor had before it fused.",
        ),
    ),
)
