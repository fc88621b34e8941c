"""What many exercises ask of an answer; each raises `NotYet` with the reason."""

from __future__ import annotations

import linecache
import re
import zlib
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.exercises import NotYet

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.recording import Recording


def need(condition: object, otherwise: str) -> None:
    """Say `otherwise` where the condition does not hold."""
    if not condition:
        raise NotYet(otherwise)


def need_function(answer: Any) -> None:
    """See that the answer can be called."""
    need(callable(answer), f"A function is asked for, and this is {answer!r:.60}.")


def recorded(answer: Any, *args: Any, **options: Any) -> Recording:
    """The recording of a function that was asked for, which ran to its end.

    The function gets copies of the arguments; options are those of `dynamo_lab.explore`.
    """
    from dynamo_lab.explore import explore

    need_function(answer)
    return _ended(explore(answer, *deepcopy(args), **options))


def one_graph(recording: Recording) -> None:
    """See that all of the program was captured, as one graph."""
    for found in recording.breaks[:1]:
        need(False, f"It still breaks: {found.reason:.200}")
    graphs = len(recording.captured_graphs())
    need(graphs, "Dynamo captured nothing of it: does it compute a tensor, and is it not left out?")
    need(graphs == 1, f"One graph is asked for, and these are {graphs}.")


def same_numbers(answer: Any, reference: Callable[..., Any], *args: Any) -> None:
    """See that the answer computes what the reference does, each on its own copy of `args`.

    Both begin with the same random numbers, and have to leave their arguments in the same state.
    """
    import torch

    def computed(fn: Callable[..., Any]) -> tuple[Any, list[Any]]:
        given = deepcopy(args)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            result = fn(*given)
        return result, [value for value in given if isinstance(value, torch.Tensor)]

    need_function(answer)
    (got, left), (expected, as_left) = computed(answer), computed(reference)
    need(got is not None or expected is None, "Your function returns nothing yet.")
    difference = _difference(got, expected)
    need(not difference, f"It computes something else than the original: {difference}")
    need(not _difference(left, as_left), "It changes its argument, which the original does not.")


def _difference(got: Any, expected: Any) -> str:
    """How they differ, in a sentence; empty where they do not."""
    from torch.testing import assert_close

    try:
        assert_close(got, expected, equal_nan=True)
    except (AssertionError, TypeError, ValueError) as error:
        text = str(error)
        largest = re.search(r"bsolute difference: (\S+(?: at index \(.*?\))?)", text)
        return f"it is off by {largest[1]}." if largest else text.strip().splitlines()[0]
    return ""


def need_count(answer: Any) -> int:
    """The whole number that was asked for."""
    right = isinstance(answer, int) and not isinstance(answer, bool)
    need(right, f"A whole number is asked for, and this is {answer!r:.60}.")
    return answer


def recorded_calls(compiled: Any, *calls: tuple[Any, ...]) -> Recording:
    """The recording of what compiles when a function is called with each of these arguments."""
    from dynamo_lab.explore import record

    need_function(compiled)
    with record("calls") as recorder:
        for args in calls:
            compiled(*deepcopy(args))
    return recorder.recording


def lowered(answer: Any, *args: Any, **options: Any) -> Recording:
    """As `recorded`, down to the code for a target: quick, as nothing is built.

    The function gets the arguments themselves; options are those of `dynamo_lab.lower`.
    """
    from dynamo_lab.lower import lower

    need_function(answer)
    return _ended(lower(answer, *args, **options))


def _ended(recording: Recording) -> Recording:
    """See that the program ran to its end."""
    if failure := recording.failure:
        raise NotYet(f"It raised {failure.type}: {failure.message.splitlines()[0]:.200}")
    return recording


def program(text: str) -> Callable[..., Any]:
    """The one function that a text defines, with lines from 1 as in the cell where it stands.

    So what is said of its lines is said of the reader's cell.
    """
    import torch

    name = f"<course program {zlib.crc32(text.encode()):08x}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    defined: dict[str, Any] = {}
    exec(compile(text, name, "exec", dont_inherit=True), {"torch": torch}, defined)
    (function,) = defined.values()
    return function
