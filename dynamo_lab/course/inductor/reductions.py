"""Lesson 15: build an Inductor, reductions and softmax."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import torch
import torch.nn.functional as F

from dynamo_lab.course.asking import need, need_count, program
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.inductor.asking import Printed, made, need_ours, right
from dynamo_lab.course.inductor.carried import after
from dynamo_lab.course.predictions import Prediction

_SCALED = """\
def scaled(x):
    return torch.softmax(x * 2, -1)
"""


def _compiled() -> Any:
    return made(after(15)["mine"], program(_SCALED), torch.randn(8, 16))


def _kernels(answer: Any) -> str:
    number = need_count(answer)
    found = len(_compiled().kernels)
    need(
        number == found,
        f"It is not {number}. Write softmax as five operators: which of their values are used "
        "by more "
        "than one node, and which are joined from many?",
    )
    return (
        "x * 2 and the exponentials are used twice, the maximum and the sum are reductions, "
        "and the "
        f"quotient is the output: {found} kernels, each with its own way through memory."
    )


def _keeps_nan(answer: Any) -> str:
    x = torch.randn(5, 7)
    right(answer, lambda x: x.amax(-1), x, said="Of plain numbers: it computes")
    right(answer, lambda x: x.amax(0), -x.abs(), said="Of negative numbers: it computes")
    right(answer, lambda x: x.amax(-1), torch.full((2, 3), -inf), said="Of -inf alone: it computes")
    for at, where in ((0, "first"), (3, "in the middle"), (6, "last")):
        broken = x.clone()
        broken[2, at] = nan
        right(answer, lambda x: x.amax(-1), broken, said=f"A row with a NaN {where}: it computes")
    return "A NaN is not larger than anything, and not equal to itself: that is how to know it."


def _normalizes(answer: Any) -> str:
    x, weight, bias = torch.randn(6, 40), torch.randn(40), torch.randn(40)

    def plain(x: Any) -> Any:
        return F.layer_norm(x, (40,))

    def whole(x: Any, weight: Any, bias: Any) -> Any:
        return F.layer_norm(x, (40,), weight, bias, 0.1)

    need_ours(right(answer, plain, x, said="Without a weight: it computes"), "native_layer_norm")
    right(answer, whole, x, weight, bias, said="With a weight, a bias and eps = 0.1: it computes")
    right(
        answer,
        lambda x: F.layer_norm(x, (6, 40)),
        x,
        said="Over two dimensions: it computes",
    )
    compiled = made(answer, plain, x + 3000)
    off = float((compiled.out - plain(x.double() + 3000)).abs().max())
    need(
        off < 0.01,
        f"Of numbers around 3,000 it is off by {off:.2g}. What is lost when two large "
        "numbers, almost "
        "the same, are subtracted?",
    )
    return "No operator of ATen is left, and it holds for numbers far from 0."


EXERCISES = (
    Prediction(
        "15.1",
        "How many kernels?",
        _kernels,
        (
            "The rule of lesson 14 holds, and a reduction is always stored.",
            "The operators are mul, amax, sub, exp, sum, div. Which values does more than "
            "one node use?",
        ),
        shows=lambda: Printed(_compiled().text),
    ),
    Exercise(
        "15.2",
        "The largest of what is not a number",
        _keeps_nan,
        (
            "{0} is the largest so far, {1} the next value. When must {0} stay? Also when it "
            "is a NaN.",
            "In C, `t != t` is true of a NaN alone. If {1} is a NaN, no comparison with it "
            "is true.",
        ),
    ),
    Exercise(
        "15.3",
        "Layer norm",
        _normalizes,
        (
            "Plain PyTorch: the mean, what is left without it, the mean of its squares, "
            "`torch.rsqrt`.",
            "The variance is the sum of squared differences from the mean, divided by how "
            "many there "
            "are. `eps` is added to it before the root. Weight and bias may be None.",
        ),
    ),
)
