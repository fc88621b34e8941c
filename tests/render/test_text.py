import pytest

from dynamo_lab.render.markup import join, tag
from dynamo_lab.render.text import as_line, clipped, one_line, shortened, visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\x9b31m", "a\\x9b31m"),
        ("bell\x07", "bell\\x07"),
        ("\u202eright-to-left\u2066", "\\u202eright-to-left\\u2066"),
        ("a\u2028b\u2029c\u0085d", "a\\u2028b\\u2029c\\x85d"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("half \ud800", "half \\ud800"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("a\tb", "a    b"),
        ("a\rb", "a\\x0db"),
        ("two\nlines", "two\nlines"),
        ("plain é 变 🙂", "plain é 变 🙂"),
    ],
)
def test_active_characters_become_visible(raw: str, shown: str) -> None:
    assert visible(raw) == shown


def test_lines_are_cut_with_an_ellipsis() -> None:
    assert one_line(" a\n  b ") == "a b"
    assert shortened("abcdef", 4) == "abc…"
    assert clipped("abcd", 4) == "abcd"


def test_a_line_keeps_its_indentation_and_stays_one() -> None:
    assert as_line("    a\tb\nc\x1b") == "    a    b\\nc\\x1b"
    assert as_line("abcdef", 4) == "abc…"


def test_strings_are_text_and_only_tags_are_markup() -> None:
    made = tag("p", "<b>&\u202e", tag("i", "x"), style='"><script>')
    assert made == ('<p style="&quot;&gt;&lt;script&gt;">&lt;b&gt;&amp;\\u202e<i>x</i></p>')
    assert join("<", tag("br")) == "&lt;<br>"
