"""What is said of a search for a difference."""

from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from tests.view import samples


def _notes(recording: Recording) -> tuple[str, ...]:
    view = build(recording).bisection
    assert view is not None
    return view.notes


def test_where_float64_was_not_compared_it_is_not_said_that_the_program_fails_in_it() -> None:
    """A program that holds its tensors itself, as a cell does, is not tried in float64."""
    known = samples.bisected()
    assert known.bisection is not None
    unknown = replace(known, bisection=replace(known.bisection, has_float64=False))
    (told,) = set(_notes(unknown)) - set(_notes(known))
    assert told == "It has no results in float64: its own were compared with eager's alone."
