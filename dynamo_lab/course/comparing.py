"""Whether an answer computes what the original does: as it is, compiled, and at each call.

An answer may count its calls and compute something else later. So what is examined is what was
compared: one compiled function for all inputs, in an order that nobody knows, or two recordings
of which `same_program` sees that they are of one program.
"""

from __future__ import annotations

import random
import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import need, need_function, one_graph, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.api.recording import Recording


COMPILED = "Compiled, it computes"


def same_numbers(
    answer: Any,
    reference: Callable[..., Any],
    *args: Any,
    of: Callable[[Any], Callable[..., Any]] = lambda fn: fn,
) -> Recording:
    """Check that the answer computes what the reference does, each on its own copy of `args`.

    It has to do so called as it is, and compiled. All begin with the same random numbers, and have
    to leave their arguments in the same state. `of` makes of a function what is compared instead,
    such as its `gradients`. Returns the recording of what was compiled.
    """
    import torch

    need_function(answer)
    same_result(of(answer), of(reference), *args)
    compiled = of(torch.compile(answer, backend="eager"))
    return same_calls(compiled, of(reference), args, subject=COMPILED)


def one_graph_for(
    answer: Any, reference: Callable[..., Any], *calls: tuple[Any, ...], backend: str = "eager"
) -> Recording:
    """The recording of one graph that computes what the reference does for all of the calls."""
    import torch

    one_graph(recorded(answer, *calls[0], backend=backend))
    for args in calls:
        same_result(answer, reference, *args)
    compiled = torch.compile(answer, backend=backend)
    recording = same_calls(compiled, reference, *calls, subject=COMPILED)
    one_graph(recording)
    return recording


def same_calls(
    compiled: Any,
    reference: Callable[..., Any],
    *calls: tuple[Any, ...],
    subject: str = "It computes",
) -> Recording:
    """The recording of calls in any order, each of which computes what the reference does."""
    from dynamo_lab.api.explore import record

    need_function(compiled)
    with record("calls") as recorder:
        for args in random.sample(calls, len(calls)):
            same_result(compiled, reference, *args, subject=subject)
    return recorder.recording


def same_program(recording: Recording, again: Recording) -> None:
    """Check that two recordings, of calls with the same shapes, are of one and the same program."""
    need(
        _captured(recording) == _captured(again),
        "It does something else when it is called again: does it count its calls?",
    )


def in_any_order(answer: Callable[[Any], Any], cases: Sequence[Any]) -> list[Any]:
    """What an answer gives for each of the cases, of which nobody knows which comes first."""
    found = {at: answer(cases[at]) for at in random.sample(range(len(cases)), len(cases))}
    return [found[at] for at in range(len(cases))]


def _captured(recording: Recording) -> list[tuple[str, str, str]]:
    nodes = (node for graph in recording.captured_graphs() for node in graph.nodes)
    return [(node.op, node.target, node.arguments) for node in nodes]


def same_result(
    answer: Callable[..., Any],
    reference: Callable[..., Any],
    *args: Any,
    subject: str = "It computes",
) -> None:
    """Check that it computes what the reference does; the answer may be compiled already."""
    (got, left), (expected, as_left) = _computed(answer, args), _computed(reference, args)
    need(got is not None or expected is None, "Your function returns nothing yet.")
    difference = _difference(got, expected)
    need(not difference, f"{subject} something other than the original: {difference}")
    need(not _difference(left, as_left), "It changes its argument, which the original does not.")


def _computed(fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """What a function returns for copies of the arguments, and the tensors that it leaves there."""
    import torch

    given = deepcopy(args)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        result = fn(*given)
    return result, [value for value in given if isinstance(value, torch.Tensor)]


def _difference(got: Any, expected: Any) -> str:
    """How they differ, in a sentence; empty where they do not."""
    from torch import Tensor
    from torch.testing import assert_close

    if isinstance(expected, Tensor) and not isinstance(got, Tensor):
        return f"a tensor is needed, but this is of type `{type(got).__name__}`."
    if isinstance(expected, tuple | list) and isinstance(got, tuple | list):
        found = [_difference(a, b) for a, b in zip(got, expected, strict=False)]
        if any(found):
            at = next(at for at, text in enumerate(found) if text)
            return f"value {at + 1}: {found[at]}"
    try:
        assert_close(got, expected, equal_nan=True)
    except (AssertionError, TypeError, ValueError) as error:
        text = str(error)
        largest = re.search(r"bsolute difference: (\S+(?: at index \(.*?\))?)", text)
        return f"it is off by {largest[1]}." if largest else text.strip().splitlines()[0]
    return ""
