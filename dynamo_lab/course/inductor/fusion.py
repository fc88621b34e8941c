"""Lesson 16: build an Inductor, fusion."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import torch

from dynamo_lab.course.asking import need, need_count, need_function, need_number, program
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.inductor.asking import Printed, made, right
from dynamo_lab.course.inductor.carried import after
from dynamo_lab.course.inductor.workshop import graph_of
from dynamo_lab.course.predictions import Prediction

_SURPRISING = """\
def surprising(x):
    p = torch.softmax(x, -1)
    return p, p.amax(-1), p.sum(0)
"""


def _compiled() -> Any:
    return made(after(16)["mine"], program(_SURPRISING), torch.randn(64, 64))


def _kernels(answer: Any) -> str:
    number = need_count(answer)
    found = len(_compiled().kernels)
    need(
        number == found,
        f"It is not {number}. Which loops go over the same shape, and join the same dimensions?",
    )
    return (
        "Softmax and the maximum walk along the rows. The sum walks down the columns: it reads `p` "
        "once all rows are done."
    )


def _in_its_place(answer: Any) -> str:
    x = torch.randn(24, 24)
    right(
        answer,
        lambda x: x - x.sum(1),
        x,
        said="`x - x.sum(1)` of a square `x`, which subtracts from column j the sum of row j: it "
        "computes",
    )
    right(answer, lambda x: x - x.amax(0), x, said="`x - x.amax(0)`: it computes")
    rows = right(answer, lambda x: torch.softmax(x, -1), x, said="Softmax: it computes")
    need(
        len(rows.kernels) == 1,
        f"Softmax is {len(rows.kernels)} kernels, but every value is read where it is made: "
        "it can be "
        "one.",
    )
    columns = right(answer, lambda x: x - x.sum(0), x, said="`x - x.sum(0)`: it computes")
    need(
        len(columns.kernels) == 1,
        "`x - x.sum(0)` is two kernels, but subtracts from column j the sum of column j: it "
        "can be one.",
    )
    return "The two differ in a 0 and a 1, and have the same shapes. Only the places tell."


def _shares(x: Any, y: Any) -> Any:
    mask = x > 0
    e = torch.exp(x + y)
    return torch.where(mask, e, y), mask, e, (e * x).sum(-1)


def _bytes(answer: Any) -> str:
    need_function(answer)
    names = after(16)
    x, y = torch.randn(16, 32), torch.randn(32)
    loops = names["lower"](graph_of(_shares, x, y, decompositions=names["DECOMPOSITIONS"]))
    singles = [[loop] for loop in loops]
    pairs = [*combinations(singles, 2), (singles[0] + singles[1], singles[2])]
    for a, b in pairs:
        got, wanted = need_number(answer(a, b)), names["score"](a, b)
        need(
            got == wanted,
            f"For {names['told'](a)} with {names['told'](b)} it gives {got:g}: both touch "
            f"{_touched(names, a, b)}.",
        )
    return "A bool is a byte, a float32 is four, and a tensor that both touch counts once."


def _touched(names: dict[str, Any], a: Any, b: Any) -> str:
    one, other = (
        {n for loop in loops for n in (loop[0], *names["loads"](loop))} for loops in (a, b)
    )
    values = [(str(node), node.meta["val"]) for node in one & other]
    shapes = [
        f"{name} ({str(v.dtype)[6:]}, {list(v.shape)})" for name, v in sorted(values, key=str)
    ]
    return ", ".join(shapes) or "nothing"


EXERCISES = (
    Prediction(
        "16.1",
        "How many kernels?",
        _kernels,
        (
            "Five loops make softmax and the maximum of it. Do they have a shape and rows in "
            "common?",
            "A reduction over dimension 0 has columns where the others have rows.",
        ),
        shows=lambda: Printed(_compiled().text),
    ),
    Exercise(
        "16.2",
        "In its place",
        _in_its_place,
        (
            "`goes_to` says where a loop stores, `loads` where another one reads. Compare the two.",
            "Collect, for each node that these loops make, the place. Then go over what each loop "
            "loads: is it one of those nodes, and is the set of places something else than "
            "that place?",
        ),
    ),
    Exercise(
        "16.3",
        "What is it worth?",
        _bytes,
        (
            "The bytes of a tensor depend on its size and on its type.",
            '`node.meta["val"].nbytes` says it.',
        ),
    ),
)
