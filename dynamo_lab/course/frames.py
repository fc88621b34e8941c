"""Lesson 1: from frames to graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import need, need_count, need_set, program, recorded
from dynamo_lab.course.comparing import one_graph_for
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.predictions import Prediction

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording


_TOWER = """\
def activate(t):
    return torch.relu(t) + 1


def tower(x):
    for width in (8, 4, 2):
        x = activate(x[:, :width])
    return x.sum()
"""


def _towering() -> Recording:
    import torch

    return recorded(program(_TOWER), torch.ones(4, 8), backend="eager")


def _count_operators(answer: Any) -> str:
    count = need_count(answer)
    turns = _towering().captured_graphs()[0].operators
    need(count != 4, "Those are the operators that one reads. How often does the loop's body run?")
    need(count != turns - 3, "Nearly: taking a slice of a tensor is an operator as well.")
    need(count == turns, f"It is not {count}: go through the loop by hand, and count the tensors.")
    return "Three turns of three operators, and one sum: the loop is unrolled, the call inlined."


_GATE = """\
bias = torch.randn(8)


def gate(x, weight, unused, power, mode):
    h = x @ weight + bias
    if mode == "square":
        h = h**power
    return h
"""


def _gated() -> Recording:
    import torch

    tensors = (torch.ones(4, 8), torch.ones(8, 8), torch.ones(3))
    return recorded(program(_GATE), *tensors, 2, "square", backend="eager")


def _name_inputs(answer: Any) -> str:
    known = {"x", "weight", "unused", "power", "mode", "bias"}
    names = need_set(
        answer,
        'Pass a set of names: {"x", "weight"}, for example.',
        known,
        f"These are the names to choose from: {', '.join(sorted(known))}.",
    )
    need("unused" not in names, "Nothing is computed from `unused`: why should the graph need it?")
    constants = names & {"power", "mode"}
    need(
        not constants,
        f"`{min(constants, default='')}` is not a tensor: Dynamo knows its value while tracing, "
        "writes the result down, and guards on it.",
    )
    need("bias" in names, "Not all are there: a tensor comes from elsewhere than the arguments.")
    need(names == {"x", "weight", "bias"}, "Not all are there: which tensors are computed with?")
    return "Tensors that are used, wherever they come from. All else is evaluated while tracing."


def _scaled(x: Any, a: int, b: int) -> Any:
    return x * a * b * 2


def _multiply_once(answer: Any) -> str:
    import torch

    x = torch.linspace(-1, 1, 8)
    for a, b in ((3, 5), (2, 7)):
        recording = one_graph_for(answer, _scaled, (x, a, b))
        operators = recording.captured_graphs()[0].operators
        need(operators == 1, f"The graph has {operators} operators, and one is enough.")
    return (
        "What has no tensor in it is evaluated while tracing. Dynamo records what Python "
        "does, in its order, and does no algebra."
    )


_IN_TWO_PARTS = """\
def normalize(t):
    return t / t.norm()


def in_two_parts(x):
    x = normalize(x)
    print("half way")
    return normalize(x + 1)
"""


def _parted() -> Recording:
    import torch

    return recorded(program(_IN_TWO_PARTS), torch.ones(4), backend="eager")


def _count_frames(answer: Any) -> str:
    count = need_count(answer)
    compiled = sum(frame.outcome == "compiled" for frame in _parted().frames)
    need(count != 1, "It breaks at `print`: what runs the rest of the function?")
    need(count < 3, "A function that is called is read along with its caller: it is inlined.")
    need(count == compiled, f"It is not {count}: something has to be compiled here.")
    return (
        "The function up to the `print`, and the rest of it, which Dynamo turned into its "
        "own function. `normalize` is part of both."
    )


EXERCISES = (
    Prediction(
        "1.1",
        "Count the operators",
        _count_operators,
        (
            "The graph has no loop and no call: write down what is left when both are gone.",
            '`lab.explore(tower, torch.randn(4, 8), backend="eager")` shows the graph.',
        ),
        shows=_towering,
    ),
    Prediction(
        "1.2",
        "Name the inputs",
        _name_inputs,
        (
            "A graph computes tensors from tensors. Which of them does it need from outside?",
            "Look for `placeholder` nodes, or for the first lines of the graph in the view.",
        ),
        shows=_gated,
    ),
    Exercise(
        "1.3",
        "Multiply once",
        _multiply_once,
        (
            "Which of the three products has a tensor in it? Python goes from left to right.",
            "Brackets are enough.",
        ),
    ),
    Prediction(
        "1.4",
        "Count the frames",
        _count_frames,
        (
            "A frame is a function that Dynamo began to read. What does it do after a break?",
            "`rec.frames` has them all, with `outcome` and `name`; those of libraries are skipped.",
        ),
        shows=_parted,
    ),
)
