"""Lesson 2: graph breaks, and how to fix them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import ended, need, need_function, no_break, one_graph, recorded
from dynamo_lab.course.comparing import one_graph_for, same_result
from dynamo_lab.course.exercises import Exercise

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording


def _branch(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x - 1


def _choose_with_tensors(answer: Any) -> str:
    import torch

    positive = torch.arange(8.0)
    one_graph_for(answer, _branch, (positive,), (-positive,))
    return "One graph, whichever way the numbers go: both sides are computed, and one is taken."


def _normalize(x: Any) -> Any:
    return x / x.abs().max()


def _keep_the_tensor(answer: Any) -> str:
    import torch

    x = torch.linspace(-3, 2, 24).reshape(4, 6)
    one_graph_for(answer, _normalize, (x,), (-x,), (x * 100,))
    return (
        "A tensor of one element divides as well as a number does, and nothing has to wait for its "
        "value."
    )


def _layer(x: Any, weight: Any) -> Any:
    h = x @ weight
    return h.relu(), h.mean()


def _report_later(answer: Any) -> str:
    import torch

    x, weight = torch.linspace(-1, 2, 32).reshape(4, 8), torch.linspace(1, -1, 64).reshape(8, 8)
    no_break(recorded(answer, x, weight, backend="eager"))
    got = answer(x, weight)
    need(
        isinstance(got, tuple | list) and len(got) == 2,
        "What was printed is lost: return two values, the result and the mean.",
    )
    one_graph_for(lambda *args: tuple(answer(*args)), _layer, (x, weight), (-x, weight))
    return "The graph computes what should be printed, and the caller prints it."


def _complexity(x: Any) -> Any:
    import torch

    rows = x.to(torch.uint8).tolist()
    return torch.tensor([float(len(zlib.compress(bytes(row)))) for row in rows])


def _weigh(x: Any) -> Any:
    return x / _complexity(x)[:, None]


def _with_fake(answer: Any, x: Any) -> Recording:
    """The recording, of which AOTAutograd knows the shape of everything."""
    from dynamo_lab.api.explore import explore

    need_function(answer)
    recording = explore(answer, x, backend="aot_eager")
    failure = recording.failure
    need(
        failure is None or _NO_FAKE not in failure.message,
        "The compiler does not know what your operator returns: it may not call the library, which "
        "needs numbers. Give it, with `register_fake`, a function that returns an empty tensor.",
    )
    one_graph(ended(recording))
    return recording


_NO_FAKE = "no fake impl registered"  # as PyTorch says it, 2.11 to 2.15


def _wrap_the_library(answer: Any) -> str:
    import torch

    generator = torch.Generator().manual_seed(0)
    x = torch.randint(0, 256, (4, 32), generator=generator).float()
    recording = _with_fake(answer, x)
    targets = [node.target for node in recording.captured_graphs()[0].nodes]
    known = ("operator.", "torch.", "aten.", "prims.", "builtins.")
    own = [name for name in targets if name.count(".") >= 2 and not name.startswith(known)]
    need(own, "The graph does not contain your operator: wrap `complexity` with `custom_op`.")
    one_graph_for(answer, _weigh, (x,), (x.flip(0) % 7,))
    made, foreseen = answer(x), answer(x.to("meta"))
    need(
        (foreseen.shape, foreseen.dtype) == (made.shape, made.dtype),
        f"The compiler believes that the result has the shape {tuple(foreseen.shape)} and the type "
        f"{foreseen.dtype}, and it has {tuple(made.shape)} and {made.dtype}: what `register_fake` "
        "returns must have the shape and dtype of what the operator returns, one number per row.",
    )
    return (
        "One graph, with your operator in it. The compiler knows the shape that comes out, and "
        "calls the library without looking inside."
    )


def _mean_of_positives(x: Any) -> Any:
    return x[x > 0].mean()


def _keep_the_shape(answer: Any) -> str:
    import torch

    x = torch.linspace(-3, 2, 24).reshape(4, 6)
    one_graph_for(answer, _mean_of_positives, (x,), (-x,), (x + 1,))
    return "Every shape in it is known beforehand: zeros add nothing, and you divide by the count."


def _settle(a: Any, v: Any, step: Any) -> Any:
    for _ in range(50):
        v, moved = step(a, v)
        if moved < 1e-4:
            break
    return v


def _step(a: Any, v: Any) -> Any:
    w = a @ v
    w = w / w.norm()
    return w, (w - v).abs().max()


def _compile_the_body(answer: Any) -> str:
    import torch

    a = torch.diag(torch.tensor([3.0, 1.0, 0.5, 0.2])) + 0.1
    v = torch.full((4,), 0.5)
    recording = recorded(answer, a, v, backend="eager")
    got = answer(a, v)
    need(got is not None, "Your function returns nothing yet.")
    no_break(recording)
    need(
        isinstance(got, tuple | list) and len(got) == 2,
        "Return two values: the next vector, and how far it is from the last, as a tensor.",
    )
    one_graph_for(lambda *args: tuple(answer(*args)), _step, (a, v), (a, v.flip(0) * 3), (a + 1, v))
    same_result(lambda a, v: _settle(a, v, answer), lambda a, v: _settle(a, v, _step), a, v)
    return (
        "The work is one graph, compiled once and run in each iteration; the loop stays in Python."
    )


EXERCISES = (
    Exercise(
        "2.1",
        "A branch on numbers",
        _choose_with_tensors,
        (
            "A graph cannot hold an `if` on numbers, but it can hold an operator that chooses.",
            "The operator takes a condition and two tensors; it is in `torch`, and named for it.",
        ),
    ),
    Exercise(
        "2.2",
        "A number taken out of a tensor",
        _keep_the_tensor,
        (
            "What is `.item()` there for? Which of the operations after it needs a Python number?",
            "A tensor can be divided by a tensor of no dimensions.",
        ),
    ),
    Exercise(
        "2.3",
        "A print in the middle",
        _report_later,
        (
            "Printing needs the value now; but who says that this function has to print it?",
            "Return what is to be printed as a second value, still as a tensor.",
        ),
    ),
    Exercise(
        "2.4",
        "A library that Dynamo cannot read",
        _wrap_the_library,
        (
            "Make `complexity` one operator, so that Dynamo need not look inside.",
            '`@torch.library.custom_op("lesson::complexity", mutates_args=())` decorates a '
            "function with annotations, `x: torch.Tensor` and `-> torch.Tensor`.",
            "Its `register_fake` takes a function that returns an empty tensor: how many numbers "
            "does `complexity` return for `x`?",
        ),
    ),
    Exercise(
        "2.5",
        "A shape that depends on the numbers",
        _keep_the_shape,
        (
            "How large is `x[x > 0]`? Find a way to the same mean with shapes that are known.",
            "A mean is a sum and a count. What can replace the others in a sum?",
        ),
    ),
    Exercise(
        "2.6",
        "A break inside a loop",
        _compile_the_body,
        (
            "Leave the loop and its `if` to Python, and give the compiler what one iteration does.",
            "Return the distance as a tensor, as in 2.2: the caller compares it.",
        ),
    ),
)
