"""Lesson 17: build an Inductor, Triton and the backward."""

from __future__ import annotations

from typing import Any

import torch

from dynamo_lab.course.asking import need, need_function, need_set
from dynamo_lab.course.comparing import same_result
from dynamo_lab.course.exercises import Exercise, NotYet
from dynamo_lab.course.inductor.asking import Printed, made, need_ours
from dynamo_lab.course.inductor.carried import after
from dynamo_lab.course.inductor.without_gpu import interpreted
from dynamo_lab.course.inductor.workshop import graph_of
from dynamo_lab.course.predictions import Prediction
from dynamo_lab.errors import CourseError

PARTS = {
    "layer norm": "native_layer_norm",
    "softmax": "_softmax",
    "gelu": "gelu",
    "matrix products": "mm",
    "the mask": "masked_fill",
    "residuals": "add.",
}
"""What a block computes, and what its operators are called."""


def _block() -> Any:
    names = after(17)
    torch.manual_seed(0)
    block = names["Block"](64, 4)
    return made(names["mine"], block, torch.randn(2, 8, 64), train=True)


def _by_aten(answer: Any) -> str:
    choices = ", ".join(f'"{part}"' for part in PARTS)
    given = need_set(
        answer, 'A set of names is needed, such as {"softmax"}.', PARTS, f"Choose of {choices}."
    )
    left = _block().aten
    right = {part for part, name in PARTS.items() if any(name in target for target in left)}
    for part in sorted(given - right):
        need(
            False,
            f"Not {part}: your compiler has a rule, or a decomposition into such as have one.",
        )
    need(given == right, "All of these are ATen's, but they are not all.")
    return f"By name: {', '.join(left)}. A library is hard to beat at the products."


def _rows(x: Any) -> Any:
    return x.amax(-1) + x.exp().sum(-1)


def _inside(answer: Any) -> str:
    need_function(answer)
    names = after(17)
    x = -torch.rand(3, 5) - 1
    groups, _ = names["fuse"](names["lower"](graph_of(lambda x: (x.amax(-1), x.exp().sum(-1)), x)))
    need(len(groups) == 1, "The two reductions are to be one kernel.")
    text, reads, writes = answer("kernel0", groups[0])
    try:
        got = interpreted(text, names["launch"](groups[0]), [x for _ in reads], writes)
    except CourseError as refusal:
        raise NotYet(str(refusal)) from None
    by_name = {str(node): value for node, value in zip(writes, got, strict=True)}
    for name, wanted in (("amax", x.amax(-1)), ("sum_1", x.exp().sum(-1))):
        same_result(
            lambda _, name=name: by_name[name],
            lambda _, wanted=wanted: wanted,
            x,
            subject=f"Rows of 5 negative numbers, in blocks of 8, `{name}`: it computes",
        )
    return "What is beyond the row is what changes nothing: 0 for a sum, -inf for a maximum."


def _gradient(answer: Any) -> str:
    for dim in (-1, 0):
        x = torch.randn(5, 7, requires_grad=True)
        weights = torch.randn(5, 7)

        def weighed(x: Any, weights: Any = weights, dim: int = dim) -> Any:
            return torch.softmax(x, dim) * weights

        compiled = made(answer, weighed, x, train=True)
        got, x.grad = x.grad, None
        weighed(x).square().mean().backward()
        wanted = x.grad
        need_ours(compiled, "_softmax_backward_data")
        same_result(
            lambda _, got=got: got,
            lambda _, wanted=wanted: wanted,
            x.detach(),
            subject=f"The gradient of softmax over dimension {dim}: it is",
        )
    return "A backward is a graph as any other: one more decomposition, and it is yours."


EXERCISES = (
    Prediction(
        "17.1",
        "What is left to ATen?",
        _by_aten,
        (
            "Ask of each: is there a rule for it, or a decomposition into operators with rules?",
            "Masks are `where`, residuals are `add`. What has no rule in any of the four lessons?",
        ),
        shows=lambda: Printed("\n".join(_block().aten)),
    ),
    Exercise(
        "17.2",
        "Beyond the row",
        _inside,
        (
            "A block has as many elements as the next power of two. What do those beyond the "
            "row do?",
            "`tl.where(inside, value, start)`: the number that a reduction starts with "
            "changes nothing.",
        ),
    ),
    Exercise(
        "17.3",
        "The backward of softmax",
        _gradient,
        (
            "With p for softmax's result and g for its gradient: each element is p * (g - "
            "something).",
            "The something is the sum of p * g over the dimension, which is kept.",
        ),
    ),
)
