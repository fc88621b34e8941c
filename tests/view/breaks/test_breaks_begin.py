"""What is said of a break begins as a sentence, wherever it is shown."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build
from dynamo_lab.view.core.words import begun


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("print call", "Print call"),
        ("data-dependent branch", "Data-dependent branch"),
        ("line 4 breaks", "Line 4 breaks"),
        ("resize_() call", "resize_() call"),
        ("out= that does not fit", "out= that does not fit"),
        ("helper.py, line 4", "helper.py, line 4"),
        ("torch function that returns no tensor", "torch function that returns no tensor"),
        ("`x` is read", "`x` is read"),
        ("print", "print"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_and_code_as_it_is_written(text: str, shown: str) -> None:
    assert begun(text) == shown


def test_a_break_is_told_in_sentences(make: Callable[[str], Recording]) -> None:
    recording = make("branch_and_print")
    told = replace(recording.breaks[1], reason="not a tensor", explanation="it cannot trace this")
    view = build(replace(recording, breaks=(recording.breaks[0], told)))
    item = view.breaks[1]
    assert (item.heading, item.title) == ("Print call", "print call")
    assert (item.reason, item.explanation) == ("Not a tensor", "It cannot trace this")
    printed = render(view)
    assert "2  Print call" in printed
    assert "It cannot trace this" in printed
