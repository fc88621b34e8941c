"""Lesson 3: guards, recompilations and dynamic shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import (
    need,
    need_count,
    need_function,
    need_set,
    no_break,
    one_graph,
    program,
)
from dynamo_lab.course.comparing import COMPILED, same_calls, same_result
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.predictions import Prediction
from dynamo_lab.view.guards.compilations import recompilations

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.view.guards.would_pass import WouldPass


_SCALE = """\
def scale(t):
    return torch.relu(t) * 3
"""


def _scale(t: Any) -> Any:
    return t.relu() * 3


def _compiled(fn: Any) -> Any:
    import torch

    need_function(fn)
    return torch.compile(fn, backend="eager")


def _recorded_in_order(*tensors: Any) -> Recording:
    """The recording of `scale`, compiled and called with each of the tensors."""
    from dynamo_lab.api.explore import record

    with record("scale") as recorder:
        compiled = _compiled(program(_SCALE))
        for tensor in tensors:
            compiled(tensor)
    return recorder.recording


def _six_calls() -> Recording:
    import torch

    sizes = [torch.ones(rows, 3) for rows in (8, 16, 32, 16, 8)]
    return _recorded_in_order(*sizes, torch.ones(16, 3, dtype=torch.float64))


def _count_compilations(answer: Any) -> str:
    count = need_count(answer)
    times = len(_six_calls().captured_graphs())
    need(count != 6, "Those are the calls. Which of them find code that they can use?")
    need(count != times + 1, "When a size has changed once, what does Dynamo do about it?")
    need(count != times - 1, "Sizes are not all that guards are about: look at the last call.")
    need(count == times, f"It is not {count}: go through the calls, and ask what is new in each.")
    return "One for the first size, one for all others, and one for the other dtype."


def _whether_reused() -> dict[str, WouldPass]:
    """For each letter of exercise 3.2, whether its tensor can use what is compiled."""
    import torch

    tensors = {
        "a": torch.ones(9, 3),
        "b": torch.ones(1, 3),
        "c": torch.ones(9, 4),
        "d": torch.ones(3, 9).t(),
        "e": torch.ones(9, 3, requires_grad=True),
        "f": torch.ones(800, 3),
    }
    recording = _recorded_in_order(torch.ones(8, 3), torch.ones(16, 3))
    return {letter: recording.would_pass(tensor) for letter, tensor in tensors.items()}


def _name_reusing_calls(answer: Any) -> str:
    asked = _whether_reused()
    letters = need_set(
        list(answer) if isinstance(answer, str) else answer,
        'Pass a set of letters: {"a", "b"}, for example.',
        asked,
        f"These are the letters to choose from: {', '.join(asked)}.",
    )
    for letter in sorted(letters):
        found = asked[letter]
        need(found.reuses, f"`{letter}` would be compiled again: {found.checks[0].text}.")
    reusing = {letter for letter, found in asked.items() if found.reuses}
    need(letters == reusing, "Those do reuse it; but so does at least one other.")
    return "The open size may be anything from 2 up. All the rest of a tensor has to be as it was."


def _mean_of_rows(x: Any) -> Any:
    return x.sum(0) * (1 / x.shape[0])


def _leave_the_size_open(answer: Any) -> str:
    import torch

    tensors = [torch.arange(rows * 3.0).reshape(rows, 3) for rows in range(4, 10)]
    for x in tensors:
        same_result(answer, _mean_of_rows, x)
    calls = [(x,) for x in tensors]
    recording = same_calls(_compiled(answer), _mean_of_rows, *calls, subject=COMPILED)
    no_break(recording)
    times = len(recording.captured_graphs())
    need(times, "Dynamo captured nothing of it: does it compute a tensor?")
    need(times <= 2, f"Six sizes were compiled {times} times: which line needs the size itself?")
    return "Arithmetic on a size keeps it open, as the size is then part of the graph."


def _counts_right(run: Any, x: Any, subject: str) -> None:
    import torch

    right = all(torch.allclose(run(x), x / call) for call in range(1, 11))
    need(right, f"{subject} computes something else: the n-th call should return `x / n`.")


def _count_without_guards(answer: Any) -> str:
    import torch

    from dynamo_lab.api.explore import record

    need(isinstance(answer, type), "Pass the class itself: it is created again for the check.")
    module = answer()
    need(isinstance(module, torch.nn.Module), "The class should still be a `torch.nn.Module`.")
    x = torch.arange(1.0, 5.0)
    _counts_right(module, x, "It")
    with record("ten calls") as recorder:
        _counts_right(_compiled(answer()), x, "Compiled, it")
    recording = recorder.recording
    times = recompilations(recording)
    need(
        not recording.recompiles,
        f"Ten calls: compiled again {times} times. What changes from call to call?",
    )
    one_graph(recording)
    return "A tensor's value is not guarded, only its shape and type: the count is data now."


def _open_from_the_start(answer: Any) -> str:
    import torch

    sizes = ((8, 3), (16, 3), (32, 5), (7, 4))
    tensors = [
        torch.linspace(-1, 1, rows * columns).reshape(rows, columns) for rows, columns in sizes
    ]
    recording = same_calls(answer, _scale, *((x,) for x in tensors))
    need(recording.captured_graphs(), "Nothing was compiled: pass what `torch.compile` returns.")
    times = recompilations(recording)
    need(
        not recording.recompiles,
        f"It was compiled again {times} times: have all sizes open from the start.",
    )
    for x in tensors:
        need(
            recording.would_pass(x).reuses,
            f"What was compiled has no use for a tensor of {tuple(x.shape)}: is it called with it?",
        )
    return "One compilation for all. It costs a little speed where a fixed size would help."


EXERCISES = (
    Prediction(
        "3.1",
        "Count the compilations",
        _count_compilations,
        (
            "Go call by call: does any code that is there already fit?",
            "Put the calls in a `%%record` cell, and count the graphs.",
        ),
        shows=_six_calls,
    ),
    Prediction(
        "3.2",
        "Who may use it?",
        _name_reusing_calls,
        (
            "The code has one open size. What else did it take for granted about its tensor?",
            "Ask: `sizes.would_pass(torch.randn(9, 3))`, and so on.",
        ),
        shows=_whether_reused,
    ),
    Exercise(
        "3.3",
        "A size that became a constant",
        _leave_the_size_open,
        (
            "The view marks the line that made the size a constant.",
            "A dictionary needs to know its key; a division does not.",
        ),
    ),
    Exercise(
        "3.4",
        "A counter in a module",
        _count_without_guards,
        (
            "Dynamo guards on the value of an `int` of a module. On the value of what does it not?",
            "`self.register_buffer(...)` keeps a tensor with a module.",
        ),
    ),
    Exercise(
        "3.5",
        "Open from the start",
        _open_from_the_start,
        (
            "Dynamo leaves a size open once it has changed. How can it know beforehand?",
            "`torch.compile` has an option for it: see `torch.compile?`.",
        ),
    ),
)
