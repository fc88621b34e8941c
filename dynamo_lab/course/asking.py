"""What many exercises ask of an answer; each raises `NotYet` with the reason."""

from __future__ import annotations

import linecache
import math
import operator
import re
import zlib
from copy import deepcopy
from numbers import Real
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.exercises import NotYet

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.model.breaks import Break


def need(condition: object, otherwise: str) -> None:
    """Raise `NotYet` with `otherwise` if the condition does not hold."""
    if not condition:
        raise NotYet(otherwise)


def need_function(answer: Any) -> None:
    """See that the answer can be called."""
    need(callable(answer), f"A function is needed, but this is {answer!r:.60}.")


def recorded(answer: Any, *args: Any, **options: Any) -> Recording:
    """The recording of the required function, which ran to its end.

    The function gets copies of the arguments; options are those of `dynamo_lab.explore`.
    """
    from dynamo_lab.api.explore import explore

    need_function(answer)
    return _ended(explore(answer, *deepcopy(args), **options))


def one_graph(recording: Recording) -> None:
    """Check that all of the program was captured, as one graph that was compiled once."""
    no_break(recording)
    for again in recording.recompiles[:1]:
        why = "; ".join(reason for _, reason in again.failures)
        need(False, f"It is recompiled. The guard that failed: {why:.160}")
    graphs = len(recording.captured_graphs())
    need(graphs, "Dynamo captured nothing of it: does it compute a tensor, and is it not disabled?")
    need(graphs == 1, f"One graph is needed, but there are {graphs}.")


def no_break(recording: Recording, before: str = "") -> None:
    """Check that nothing of it breaks; `before` is said before where and why it does."""
    for found in recording.breaks[:1]:
        need(False, before + told_break(recording, found))


def told_break(recording: Recording, found: Break) -> str:
    """Where it breaks and why, as a sentence."""
    span = recording.spans[found.span]
    line = recording.sources[span.source].line(span.line) or ""
    place = f" at `{line.strip():.60}`" if line.strip() else ""
    return f"It breaks{place}: {found.reason or found.gb_type:.200}"


def same_numbers(
    answer: Any,
    reference: Callable[..., Any],
    *args: Any,
    of: Callable[[Any], Callable[..., Any]] = lambda fn: fn,
) -> None:
    """Check that the answer computes what the reference does, each on its own copy of `args`.

    It has to do so called as it is, and compiled. All begin with the same random numbers, and have
    to leave their arguments in the same state. `of` makes of a function what is compared instead,
    such as its `gradients`.
    """
    import torch

    need_function(answer)
    same_result(of(answer), of(reference), *args)
    compiled = torch.compile(answer, backend="eager")
    same_result(of(compiled), of(reference), *args, subject="Compiled, it computes")


def same_result(
    answer: Callable[..., Any],
    reference: Callable[..., Any],
    *args: Any,
    subject: str = "It computes",
) -> None:
    """Like `same_numbers`, but only for the answer as it is: it may be compiled already."""
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


def gradients(fn: Any) -> Callable[..., Any]:
    """What computes a function's result, and the gradients of all that it is given.

    Those of the sum of the result's squares, with respect to tensors and to modules' parameters.
    """
    import torch

    def computed(*args: Any) -> Any:
        out = fn(*args)
        need(torch.is_tensor(out), "Your function returns no tensor.")
        need(out.requires_grad, "No gradient flows through: nothing would be learned.")
        given = [
            leaf
            for arg in args
            for leaf in (arg.parameters() if isinstance(arg, torch.nn.Module) else (arg,))
        ]
        found = torch.autograd.grad(out.square().sum(), given, allow_unused=True)
        for gradient in found:
            need(gradient is not None, "It no longer depends on all of its inputs.")
        return out.detach(), *found

    return computed


def keeps_less(recording: Recording, original: Recording, share: int) -> str:
    """Check that a forward saves at most one `share` of the original's bytes; the price."""
    no_break(recording, "The numbers are right, but not all of it is compiled. ")
    need(
        any(cut.backward is not None for cut in recording.partitions),
        "Nothing was captured that has a backward: is it excluded from compilation?",
    )
    kept, full = (
        sum(cut.activation_bytes for cut in one.partitions) for one in (recording, original)
    )
    verdict = f"It saves {kept:,} bytes; the original saves {full:,}"
    need(kept * share <= full, f"{verdict}, so at most {full // share:,} are allowed.")
    again = sum(not item.is_free for cut in recording.partitions for item in cut.recomputed)
    return f"{verdict}. The price: {again} operators are recomputed."


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


def need_count(answer: Any) -> int:
    """The required integer, of whatever type it is."""
    try:
        need(not isinstance(answer, bool), _NO_COUNT.format(answer))
        return operator.index(answer)
    except TypeError:
        raise NotYet(_NO_COUNT.format(answer)) from None


_NO_COUNT = "A whole number is needed, but this is {!r:.60}."


def need_number(answer: Any) -> float:
    """The required number, of whatever type it is; NaN and the infinities do not count."""
    right = isinstance(answer, Real) and math.isfinite(answer)
    need(right, f"A number is needed, but this is {answer!r:.60}.")
    return float(answer)


def recorded_calls(compiled: Any, *calls: tuple[Any, ...]) -> Recording:
    """The recording of what compiles when a function is called with each of these arguments."""
    from dynamo_lab.api.explore import record

    need_function(compiled)
    with record("calls") as recorder:
        for args in calls:
            compiled(*deepcopy(args))
    return recorder.recording


def lowered(answer: Any, *args: Any, **options: Any) -> Recording:
    """As `recorded`, down to the code for a target: quick, as nothing is built.

    The function gets the arguments themselves; options are those of `dynamo_lab.lower`.
    """
    from dynamo_lab.api.lower import lower

    need_function(answer)
    return _ended(lower(answer, *args, **options))


def _ended(recording: Recording) -> Recording:
    """Check that the program ran to its end."""
    if failure := recording.failure:
        said = failure.message.strip().splitlines() or [""]
        raise NotYet(f"Compiling it raised {failure.type}: {said[0]:.200}")
    return recording


def program(text: str) -> Callable[..., Any]:
    """The one function that a text defines, with lines from 1 as in its cell.

    So remarks on its lines apply to the user's cell.
    """
    import torch

    name = f"<course program {zlib.crc32(text.encode()):08x}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    defined: dict[str, Any] = {}
    exec(compile(text, name, "exec", dont_inherit=True), {"torch": torch}, defined)
    (function,) = defined.values()
    return function
