"""What many exercises ask of an answer; each raises `NotYet` with the reason."""

from __future__ import annotations

import linecache
import math
import operator
import zlib
from copy import deepcopy
from numbers import Real
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.exercises import NotAnAnswer, NotYet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.model.breaks import Break


def need(condition: object, otherwise: str) -> None:
    """Raise `NotYet` with `otherwise` if the condition does not hold."""
    if not condition:
        raise NotYet(otherwise)


def need_kind(condition: object, otherwise: str) -> None:
    """Raise `NotAnAnswer` with `otherwise` if the condition does not hold."""
    if not condition:
        raise NotAnAnswer(otherwise)


def need_function(answer: Any) -> None:
    """See that the answer can be called."""
    need_kind(callable(answer), f"A function is needed, but this is {answer!r:.60}.")


def need_set(answer: Any, otherwise: str, known: Iterable[Any], choices: str) -> set[Any]:
    """The required set, of things that can be chosen; a list or tuple will do.

    `otherwise` refuses what is no set, and `choices` what has others than the `known` in it.
    """
    need_kind(isinstance(answer, set | frozenset | list | tuple), otherwise)
    try:
        chosen = set(answer)
    except TypeError:
        raise NotAnAnswer(otherwise) from None
    need_kind(chosen <= set(known), choices)
    return chosen


def recorded(answer: Any, *args: Any, **options: Any) -> Recording:
    """The recording of the required function, which ran to its end.

    The function gets copies of the arguments; options are those of `dynamo_lab.explore`.
    """
    from dynamo_lab.api.explore import explore

    need_function(answer)
    return ended(explore(answer, *deepcopy(args), **options))


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


def need_count(answer: Any) -> int:
    """The required integer, of whatever type it is."""
    try:
        need_kind(not isinstance(answer, bool), _NO_COUNT.format(answer))
        return operator.index(answer)
    except TypeError:
        raise NotAnAnswer(_NO_COUNT.format(answer)) from None


_NO_COUNT = "A whole number is needed, but this is {!r:.60}."


def need_number(answer: Any) -> float:
    """The required number, of whatever type it is; NaN and the infinities do not count."""
    right = isinstance(answer, Real) and math.isfinite(answer)
    need_kind(right, f"A number is needed, but this is {answer!r:.60}.")
    return float(answer)


def lowered(answer: Any, *args: Any, **options: Any) -> Recording:
    """As `recorded`, down to the code for a target: quick, as nothing is built.

    The function gets the arguments themselves; options are those of `dynamo_lab.lower`.
    """
    from dynamo_lab.api.lower import lower

    need_function(answer)
    return ended(lower(answer, *args, **options))


def ended(recording: Recording) -> Recording:
    """Check that the program ran to its end."""
    if failure := recording.failure:
        said = failure.message.strip().splitlines() or [""]
        raise NotYet(f"Compiling it raised {failure.type}: {said[0]:.200}")
    return recording


def program(text: str) -> Callable[..., Any]:
    """The last function that a text defines, with lines from 1 as in its cell.

    So remarks on its lines apply to the user's cell.
    """
    import torch

    name = f"<course program {zlib.crc32(text.encode()):08x}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    defined: dict[str, Any] = {"torch": torch}
    exec(compile(text, name, "exec", dont_inherit=True), defined)
    return [value for value in defined.values() if callable(value)][-1]
