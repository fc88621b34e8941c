"""Symbols: what is left open, what was pinned down, and where that is marked."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build

Make = Callable[[str], Recording]


def test_a_symbol_says_what_it_stands_for_and_may_be(make: Make) -> None:
    first, second, third = build(make("sizes")).shapes.symbols
    assert (first.name, first.stands_for, first.hint, first.range) == (
        "s77", ("x.shape[0]",), "16", "2 or more",
    )  # fmt: skip
    assert second.stands_for == ("x.shape[0]", "z.shape[1]")
    assert (third.is_backed, third.range, third.where) == (False, "0 to 24", "")


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [("", "", "any number"), ("", "9", "9 or less"), ("2", "2", "only 2"), ("2", "", "2 or more")],
)
def test_ranges_in_words(make: Make, lower: str, upper: str, words: str) -> None:
    recording = make("sizes")
    symbol = replace(recording.symbols[0], lower=lower, upper=upper)
    assert build(replace(recording, symbols=(symbol,))).shapes.symbols[0].range == words


@pytest.mark.parametrize(("value", "words"), [("0.0975", "only 0.0975"), ("s17", "as s17")])
def test_what_was_replaced_has_no_range_of_its_own(make: Make, value: str, words: str) -> None:
    recording = make("sizes")
    symbol = replace(recording.symbols[0], lower="", upper="", value=value)
    assert build(replace(recording, symbols=(symbol,))).shapes.symbols[0].range == words


def test_what_pinned_a_symbol_comes_with_its_question_and_line(make: Make) -> None:
    first, second, _ = build(make("sizes")).shapes.symbols
    (fact,) = second.pinned
    assert fact.text == "`x.shape[0]` and `z.shape[1]` became the constant 8"
    assert (fact.expression, fact.where, fact.line) == (
        "Eq(s77, 8)", "line 3", "if x.shape[0] == 8:",
    )  # fmt: skip
    assert second.asked == ()
    assert [item.expression for item in first.asked] == ["Ne(s77, 8)"]


def test_sizes_without_a_symbol_and_violations_are_told(make: Make) -> None:
    zero_one, violation = build(make("sizes")).shapes.others
    assert "`w.shape[0]` is 1" in zero_one.text
    assert violation.text == "You marked x.shape[0] as dynamic but your code specialized it."
    assert violation.where == "line 3"  # that of the constant


def test_the_line_that_pinned_a_size_is_marked(make: Make) -> None:
    view = build(make("sizes"))
    (mark,) = [m for m in view.sources[0].marks if m.kind == "specialised"]
    assert (mark.line, mark.column, mark.end_column, mark.target) == (3, 7, 22, "symbol:1")
