"""What many exercises ask of an answer; each raises `NotYet` with the reason."""

from __future__ import annotations

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
