"""Lesson 7: kernels for every machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.course.asking import lowered, need, need_count, program
from dynamo_lab.course.exercises import Exercise, NotYet
from dynamo_lab.course.predictions import Prediction

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

_GPU = "cuda:sm_90"

_SHARES = """\
def shares(x, b):
    h = x * 0.5 + b
    e = torch.exp(h)
    return e / e.sum(-1, keepdim=True)
"""

_SCALED = """\
def scaled(x, b):
    h = torch.sigmoid(x) * b
    m = h.amax(-1, keepdim=True)
    return h / m
"""

_ASKED = 3
"""The line of `_SCALED` that exercise 7.1 asks about."""


def _written_for(answer: Any) -> str:
    answer = need_count(answer)
    recording = lowered(program(_SCALED), *_inputs(1000), target=_GPU)
    kernel = recording.kernels[0]
    rows = kernel.code.splitlines()
    need(1 <= answer <= len(rows), f"The kernel has lines 1 to {len(rows)}.")
    text = rows[answer - 1].strip()
    found = next((s for s in kernel.statements if s.line == answer), None)
    if found is None:
        raise NotYet(f"Line {answer} computes nothing: it is no statement of the kernel.")
    lines = sorted({_line_of(recording, kernel.graph or 0, node) for node in found.nodes})
    named = ", ".join(str(line) for line in lines)
    need(
        found.origin == "emitted",
        f"Line {answer}, `{text:.60}`, was written for no line of yours: it serves others.",
    )
    need(lines == [_ASKED], f"Line {answer}, `{text:.60}`, was written for line {named} of yours.")
    return f"`{text:.80}`: the largest of a row, as far as the mask allows."


def _line_of(recording: Recording, graph: int, node: int) -> int:
    """The innermost line that a node of a graph came from, 0 where that is not known."""
    stack = recording.graphs[graph].nodes[node].stack
    return 0 if stack is None else recording.spans[recording.stacks[stack][-1]].line


def _inputs(columns: int) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(0)
    return (
        torch.randn(64, columns, generator=generator),
        torch.randn(columns, generator=generator),
    )


_COLUMNS = 600


def _sharing() -> Recording:
    return lowered(program(_SHARES), *_inputs(_COLUMNS), target=_GPU)


def _masked_lanes(answer: Any) -> str:
    answer = need_count(answer)
    code = _sharing().kernels[0].code
    block = int(re.findall(r"R0_BLOCK: tl\.constexpr = (\d+)", code)[0])
    need(answer != 0, f"The mask is false where an index is not below {_COLUMNS}: somewhere it is.")
    need(answer != block, f"{block} is the whole block, and {_COLUMNS} of its lanes do work.")
    need(
        answer == block - _COLUMNS,
        "A block's size is no multiple of a vector or a warp: it is a power of two.",
    )
    share = (block - _COLUMNS) / block
    return f"The block has {block} lanes for {_COLUMNS} elements: {share:.0%} of them wait."


def _with_exp2(answer: Any) -> str:
    need(isinstance(answer, str), "The text of the kernel is needed, not a function.")
    recording = lowered(program(_SHARES), *_inputs(1000), target=_GPU)
    before = recording.kernels[0].code
    need(answer.strip() != before.strip(), "It is the same code as before.")
    code = re.sub(r"#.*", "", answer)
    need("exp2(" in code, "There is no `exp2(` in it.")
    need(not re.search(r"\bexp\(", code), "The old exponential is still called.")
    edited = recording.edit_kernel(0, answer)
    if edited.verdict in ("not built", "failed"):
        said = next((item.message for item in edited.diagnostics), edited.reason)
        raise NotYet(f"Triton cannot run it: {said:.200}")
    need(
        edited.verdict == "right",
        "The interpreter gets other numbers: e to the power of x is 2 to the power of what?",
    )
    return "The numbers agree: this is what the GPU makes of an exponential anyway."


EXERCISES = (
    Exercise(
        "7.1",
        "Who asked for this?",
        _written_for,
        (
            "Show `scaled_on_gpu` and hover its line 3: statements that light up are there for it.",
            "`amax` is the largest of a row: look for a maximum, and for the mask that it needs.",
        ),
    ),
    Prediction(
        "7.2",
        "Lanes that do nothing",
        _masked_lanes,
        (
            "In the kernel above, a row of 1000 elements had a block of 1024.",
            "The block is the least power of two that holds a row.",
        ),
        shows=_sharing,
    ),
    Exercise(
        "7.3",
        "Write it as the GPU does",
        _with_exp2,
        (
            "The name of the exponential is followed by `(tmp4)`: replace the call, with argument.",
            "2 to the power of log2(e) is e, and `math.log2(math.e)` is a number: what does that "
            "make of e to the power of x?",
        ),
    ),
)
