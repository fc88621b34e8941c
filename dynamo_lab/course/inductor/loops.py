"""Lesson 14: build an Inductor, the loop IR and a C printer."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from dynamo_lab.course.asking import need, need_count, need_kind, program
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.inductor.asking import Printed, made, need_ours, right
from dynamo_lab.course.inductor.carried import after
from dynamo_lab.course.predictions import Prediction

_TWICE = """\
def twice(x):
    a = torch.exp(x)
    b = a * a
    c = b + x
    return torch.tanh(c) + c
"""


def _compiled() -> Any:
    return made(after(14)["mine"], program(_TWICE), torch.randn(8, 16))


def _kernels(answer: Any) -> str:
    number = need_count(answer)
    found = _compiled()
    need(
        number == len(found.kernels),
        f"It is not {number}. Go over the lines and ask of each: how many nodes use its value?",
    )
    return (
        "`c` is used by two nodes, so it is stored, and the output is. `a` is used by one "
        "node, twice: "
        f"`expf` is written {found.text.count('expf')} time, as a text is computed once."
    )


def _pieces() -> list[tuple[str, Any]]:
    """Operands of an addition to a tensor of (6, 10); each a part of something larger."""
    return [
        ("a row, of shape (10,)", torch.randn(10)),
        ("a column, of shape (6, 1)", torch.randn(64, 1)[:6]),
        ("one row, of shape (1, 10)", torch.randn(64, 10)[:1]),
        ("a single number, of shape (1, 1)", torch.randn(64, 64)[:1, :1]),
        ("a tensor without dimensions", torch.randn(())),
    ]


def _broadcasts(answer: Any) -> str:
    x = torch.randn(6, 10)
    for what, other in _pieces():
        right(answer, lambda a, b: a * b + a, x, other, said=f"(6, 10) with {what}: it computes")
    big = torch.randn(3, 6, 10)
    found = right(
        answer,
        lambda a, b, c: a + b * c,
        big,
        torch.randn(6, 1),
        torch.randn(10),
        said="Shapes (3, 6, 10), (6, 1) and (10,): it computes",
    )
    need_ours(found, "add")
    return "Nothing is copied: an operand that is repeated is read again at the same place."


def _leaky(answer: Any) -> str:
    x = torch.linspace(-3, 3, 14).reshape(2, 7)
    found = right(answer, F.leaky_relu, x, said="With the slope 0.01: it computes")
    need_ours(found, "leaky_relu")
    for slope in (0.2, 2.0):
        right(
            answer,
            lambda x, s=slope: F.leaky_relu(x, s),
            x,
            said=f"With a slope of {slope}: it computes",
        )
    both = right(
        answer, lambda x: torch.exp(F.leaky_relu(x * 3)) + 1, x, said="Among others: it computes"
    )
    need(len(both.kernels) == 1, f"With others around it there are {len(both.kernels)} kernels.")
    return "An operator without a new line in C: made of recipes, it is a part of any kernel."


def _recipes() -> list[tuple[str, Any, int, int]]:
    """A recipe, how many operations it has, and how many loads."""
    names = after(14)
    lazy, apply, number = names["Lazy"], names["apply"], names["number"]
    x, y = (lazy((4,), lambda ops, index, n=name: ops.load(n, index)) for name in "xy")
    product = apply("mul", x, x)
    return [
        ("x * 2 + 1", apply("add", apply("mul", x, 2), 1), 2, 1),
        ("x * x + x", apply("add", product, x), 2, 3),
        ("tanh(x * x) - exp(y)", apply("sub", apply("tanh", product), apply("exp", y)), 4, 3),
        ("where(x > 0, x, y)", apply("where", apply("gt", x, 0), x, y), 2, 3),
        ("the number 2", number(2), 0, 0),
        ("x", x, 0, 1),
    ]


def _counts(answer: Any) -> str:
    need_kind(isinstance(answer, type), "Pass the class itself, `Count`: the check creates it.")
    for what, recipe, operations, loads in _recipes():
        ops = answer()
        recipe.at(ops, ("i0",))
        got = (ops.operations, ops.loads)
        need(
            got == (operations, loads),
            f"For `{what}` it counts {got[0]} operations and {got[1]} loads. That is not right.",
        )
    return (
        "Numbers, text, counts: one recipe, and three meanings. Inductor has a dozen such handlers."
    )


EXERCISES = (
    Prediction(
        "14.1",
        "How many kernels?",
        _kernels,
        (
            "`lower` stores a value that more than one node uses, and the output.",
            "`a * a` is one node, which uses `a` twice. `tanh(c) + c` are two nodes.",
        ),
        shows=lambda: Printed(_compiled().text),
    ),
    Exercise(
        "14.2",
        "Broadcasting",
        _broadcasts,
        (
            "Two things happen: dimensions are missing on the left, and dimensions have size 1.",
            "`index[len(index) - len(shape):]` are the places of the dimensions that there are. "
            "Where the size is 1, the place is 0, whatever the loop says.",
        ),
    ),
    Exercise(
        "14.3",
        "A rule of your own",
        _leaky,
        (
            "It is x where x > 0, and x times the slope elsewhere. `C` has what that needs.",
            '`apply("gt", x, 0)` is the recipe of the condition, for `apply("where", ...)`.',
        ),
    ),
    Exercise(
        "14.4",
        "A third meaning",
        _counts,
        (
            "`Numbers` in section 1 has the same three methods. Which of them counts what?",
            "Called itself, it counts an operation; `load` counts a load; `number` counts nothing. "
            "What they return does not matter.",
        ),
    ),
)
