"""Lesson 5: decompositions."""

from __future__ import annotations

from itertools import count, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from dynamo_lab.api.decompose import decompose
from dynamo_lab.api.lower import lower
from dynamo_lab.course.asking import (
    need,
    need_count,
    need_function,
    program,
)
from dynamo_lab.course.comparing import in_any_order, same_numbers, same_result
from dynamo_lab.course.exercises import Exercise, NotYet
from dynamo_lab.course.predictions import Prediction

if TYPE_CHECKING:
    from dynamo_lab.api.decompose import Decomposition
    from dynamo_lab.model.decompositions import Target

_LISTS = (
    ("aten.mish", "aten.hardtanh"),
    ("aten.log_sigmoid", "aten.hardswish", "aten.sigmoid"),
    ("aten.leaky_relu", "aten.elu", "aten.softplus"),
    ("aten.relu6", "aten.nan_to_num", "aten.gelu"),
    ("aten.silu", "aten.celu", "aten.hardshrink"),
)
"""In no two is the largest told by the length of its name or the alphabet; each is asked in every
order, so its place tells nothing either."""


class _Size(NamedTuple):
    """What an operator decomposes to: how many calls, and of how many kinds."""

    calls: int
    kinds: int


def _size(operator: str, x: Any, to: Target = "prims") -> _Size:
    made = decompose(operator, x, to=to)
    return _Size(len(made.leaves), len(made.counts))


def _hardswish() -> Decomposition:
    return decompose("aten.hardswish", torch.zeros(8, dtype=torch.float16), to="prims")


def _predict(answer: Any) -> str:
    answer = need_count(answer)
    single, half = (torch.zeros(8, dtype=dtype) for dtype in (torch.float32, torch.float16))
    right, of_single = _size("aten.hardswish", half), _size("aten.hardswish", single)
    explained = {
        right.kinds: "That is the number of kinds of prims; several are called more than once.",
        of_single.calls: "That is the number on float32. Half precision is converted and back.",
        _size("aten.hardswish", half, "core_aten").calls: "That is the number in core ATen, where "
        "`clamp` is one call. Prims have none: they compare and select.",
    }
    if answer != right.calls:
        need(False, explained.get(answer, "The tree has a different number of calls of prims."))
    return (
        f"{right.calls}, of {right.kinds} kinds: {right.calls - of_single.calls} of them convert, "
        "and each `clamp` is four, because prims spell out what happens to a NaN."
    )


def _longest(answer: Any) -> str:
    need_function(answer)
    x = torch.zeros(8)
    asked = [list(order) for names in _LISTS for order in permutations(names)]
    answers = in_any_order(lambda names: answer(list(names), x), asked)
    for names, given in zip(asked, answers, strict=True):
        sizes = {name: _size(name, x) for name in names}
        best = max(sizes, key=lambda name: sizes[name].calls)
        need(given in sizes, f"It gives {given!r:.60}, which is not one of {', '.join(names)}.")
        if sizes[given].calls < sizes[best].calls:
            largest = "; ".join(
                f"{name} becomes {sizes[name].calls} calls of {sizes[name].kinds} kinds of prims, "
                f"and {_size(name, x, 'inductor').calls} calls in Inductor's set"
                for name in (given, best)
            )
            need(False, f"Of {', '.join(names)} it gives {given}. But {largest}.")
    return "Which operator is the largest depends on the set: prims spell out what others imply."


_BENT = """\\
def bent(x):
    return (torch.sqrt(x * x + 1) - 1) / 2 + x
"""

_BETWEEN = """\
def between(x):
    return torch.ops.dynamo_lab_course.{name}(x * 2).relu()
"""


_NOT_TRACED = (
    "It cannot be traced: while compiling, tensors have no numbers, so a rule has to be made of "
    "PyTorch's operators alone."
)


def _traced(answer: Any, x: Any) -> Any:
    """The operators that the answer calls, so that what is lowered is what was compared."""
    from torch.fx.experimental.proxy_tensor import make_fx

    try:
        return make_fx(answer, tracing_mode="fake")(x)
    except Exception:
        raise NotYet(_NOT_TRACED) from None


def _open_the_box(answer: Any) -> str:
    x = torch.linspace(-3, 3, 64)
    need_function(answer)
    same_result(answer, program(_BENT), x)
    rule = _traced(answer, x)
    same_result(rule, program(_BENT), x)
    library = torch.library.Library("dynamo_lab_course", "FRAGMENT")
    taken = torch.ops.dynamo_lab_course  # an operator is there until its library is collected
    name = next(f"bent{n}" for n in count() if not hasattr(taken, f"bent{n}"))
    library.define(f"{name}(Tensor x) -> Tensor")
    library.impl(name, rule, "CompositeImplicitAutograd")
    recording = lower(program(_BETWEEN.format(name=name)), x)
    need(recording.failure is None, _NOT_TRACED)
    for kernel in recording.kernels:
        need(
            kernel.language != "extern",
            f"{kernel.name} is still called: an operator that no rule decomposes.",
        )
    need(len(recording.kernels) == 1, f"One kernel is needed, not {len(recording.kernels)}.")
    same_numbers(answer, program(_BENT), x)
    return "One kernel: what comes before and after is computed with it."


EXERCISES = (
    Prediction(
        "5.1",
        "Predict",
        _predict,
        (
            "`lab.decompose` takes a tensor's type into account, and has the set as `to=`.",
            'Of `lab.decompose("aten.hardswish", ..., to="prims")` it is the number of `leaves`.',
        ),
        shows=_hardswish,
    ),
    Exercise(
        "5.2",
        "The longest way down",
        _longest,
        (
            "`leaves` are all calls, `counts` has one entry for each kind.",
            'Without `to=` it is Inductor\'s set: say `to="prims"`.',
        ),
    ),
    Exercise(
        "5.3",
        "Open the box",
        _open_the_box,
        (
            "Write the same arithmetic with tensors, without NumPy.",
            "What NumPy computes, `torch` computes too, mostly under the same name.",
        ),
    ),
)
