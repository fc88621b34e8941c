"""Lesson 6: loop IR and fusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.course.asking import lowered, need, need_count, no_break, program, same_numbers
from dynamo_lab.course.exercises import Exercise

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


def _what_is_stored(answer: Any) -> str:
    lines = _MIXED.splitlines()
    is_lines = isinstance(answer, set | frozenset | list | tuple)
    need(is_lines, "A set of line numbers is needed, such as {3, 5}.")
    given = set(answer)
    need(given, "The set is empty: at least the output is in memory.")
    need(given <= set(range(2, len(lines) + 1)), f"The lines that compute are 2 to {len(lines)}.")
    reasons = _reasons(lowered(program(_MIXED), torch.randn(64, 256), torch.randn(256, 256)))
    for line in sorted(given - reasons.keys()):
        need(
            False,
            f"Line {line}, `{lines[line - 1].strip()}`, is not in memory: it is computed inside of "
            "the loops that read it, once for each, as that is cheap.",
        )
    missing = len(reasons.keys() - given)
    need(not missing, f"All of these are in memory, and so is what {missing} more lines compute.")
    return " ".join(f"Line {line}: {reason}" for line, reason in sorted(reasons.items()))


def _reasons(recording: Recording) -> dict[int, str]:
    """For each line whose value is in memory, why."""
    from dynamo_lab.view.lowering.causes import stored

    found: dict[int, str] = {}
    for buffer in recording.buffers:
        nodes = recording.graphs[buffer.graph].nodes
        last = nodes[max(buffer.nodes)]
        during = "" if buffer.during is None else nodes.name[buffer.during]
        if last.stack is not None:
            line = recording.spans[recording.stacks[last.stack][-1]].line
            found[line] = stored(buffer, during)
    return found


def _one_kernel(answer: Any) -> str:
    for x in (torch.randn(64, 256), torch.rand(8, 33) - 7):
        same_numbers(answer, program(_STRETCH), x)
    recording = lowered(answer, torch.randn(64, 256))
    no_break(recording, "Kernels are not fused across a break. ")
    need(recording.captured_graphs(), "Dynamo captured nothing of it: is it excluded?")
    for kernel in recording.kernels:
        need(
            kernel.language != "extern",
            f"{kernel.name} is called: a kernel of PyTorch's, which nothing can be fused with.",
        )
    need(len(recording.kernels) == 1, f"One kernel is needed, not {len(recording.kernels)}.")
    return "Two reductions, and what is made of them, in one kernel: sorting was never needed."


def _smallest_size(answer: Any) -> str:
    answer = need_count(answer)
    need(answer >= 1, "A number from 1 is needed.")
    recording = lowered(program(_SOFTENED), torch.randn(64, 256), target="cuda:sm_90")
    kernels = len(recording.relower(max_fusion_size=answer).kernels)
    need(kernels == 1, f"With {answer} there are {kernels} kernels: too few may be together.")
    if answer > 1:
        smaller = len(recording.relower(max_fusion_size=answer - 1).kernels)
        need(smaller > 1, f"With {answer} it is one kernel, but a smaller value does it too.")
    operations = len(recording.schedules[0].operations)
    return f"There are {operations} operations, and all of them have to fit into one kernel."


EXERCISES = (
    Exercise(
        "6.1",
        "What is stored?",
        _what_is_stored,
        (
            "In Lowering, `inlined` is a loop that is not stored. There are four that are.",
            "Reductions are stored, and outputs, and what a library reads. Of what is read twice, "
            "only what is costly: `relu` is not, `exp` is.",
        ),
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
            "Fusion says how many operations became one group.",
        ),
    ),
)
