"""What many exercises ask of an answer; each raises `NotYet` with the reason."""

from __future__ import annotations

import linecache
import zlib
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.exercises import NotYet

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.recording import Recording


def need(condition: object, otherwise: str) -> None:
    """Say `otherwise` where the condition does not hold."""
    if not condition:
        raise NotYet(otherwise)


def recorded(answer: Any, *args: Any, **options: Any) -> Recording:
    """The recording of a function that was asked for, which ran to its end."""
    from dynamo_lab.explore import explore

    need(callable(answer), f"A function is asked for, and this is {answer!r:.60}.")
    recording = explore(answer, *args, **options)
    if recording.failure:
        failure = recording.failure
        raise NotYet(f"It raised {failure.type}: {failure.message.splitlines()[0]:.200}")
    return recording


def same_numbers(answer: Any, reference: Callable[..., Any], *args: Any) -> None:
    """See that the answer computes what the reference does."""
    from torch.testing import assert_close

    got, expected = answer(*args), reference(*args)
    need(got is not None, "Your function returns nothing yet.")
    try:
        assert_close(got, expected)
    except (AssertionError, TypeError, ValueError) as error:
        first = str(error).split("\n\n")[0].splitlines()[0]
        raise NotYet(f"It computes something else than the original: {first}") from None


def lowered(answer: Any, *args: Any, **options: Any) -> Recording:
    """As `recorded`, down to the code for a target: quick, as nothing is built.

    The function gets the arguments themselves; options are those of `dynamo_lab.lower`.
    """
    from dynamo_lab.lower import lower

    need(callable(answer), f"A function is asked for, and this is {answer!r:.60}.")
    recording = lower(answer, *args, **options)
    if recording.failure:
        failure = recording.failure
        raise NotYet(f"It raised {failure.type}: {failure.message.splitlines()[0]:.200}")
    return recording


def program(text: str) -> Callable[..., Any]:
    """The one function that a text defines, with lines from 1 as in the cell where it stands.

    A check's own programs are texts, as Dynamo is told to skip the functions of this package.
    """
    import torch

    name = f"<course program {zlib.crc32(text.encode()):08x}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    defined: dict[str, Any] = {}
    exec(compile(text, name, "exec", dont_inherit=True), {"torch": torch}, defined)
    (function,) = defined.values()
    return function
