"""The diff of generated code: numbering that means nothing is no change, and nothing else is."""

import pytest

from dynamo_lab.view.kernels.code_diff import Edit, edits


def signs(a: str, b: str) -> str:
    """The sign of each line of the diff."""
    return "".join(
        edit.sign * max(edit.a_end - edit.a, edit.b_end - edit.b)
        for edit in edits(a.split("\n"), b.split("\n"))
    )


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("x = 1\ny = 2", "x = 1\ny = 2", "=="),
        ("x = 1\ny = 2", "x = 1\ny = 3", "=~"),
        ("x = 1", "x = 1\ny = 2", "=+"),
        ("x = 1\ny = 2", "y = 2", "-="),
        ("tmp0 = f(p)\ng(tmp0)", "tmp4 = f(p)\ng(tmp4)", "=="),
        # one name too many before: those after it count on
        (
            "tmp0 = f(p)\ntmp1 = g(p)\nh(tmp1)",
            "tmp0 = g(p)\nh(tmp0)",
            "-==",
        ),
        # the same skeleton, but another value goes in
        ("tmp0 = f(p)\ntmp1 = g(p)\nh(tmp0)", "tmp0 = f(p)\ntmp1 = g(p)\nh(tmp1)", "==~"),
        # swapped: neither stands for the other throughout
        (
            "tmp0 = f(p)\ntmp1 = f(p)\nh(tmp0, tmp1)",
            "tmp0 = f(p)\ntmp1 = f(p)\nh(tmp1, tmp0)",
            "==~",
        ),
        # assigned again in another block
        (
            "auto tmp0 = f(p);\ng(tmp0);\nauto tmp0 = h(p);\ng(tmp0);",
            "auto tmp3 = f(p);\ng(tmp3);\nauto tmp1 = h(p);\ng(tmp1);",
            "====",
        ),
        ("tmp_acc0_vec = tmp_acc0_vec + tmp1", "tmp_acc0_vec = tmp_acc0_vec + tmp2", "~"),
        # parameters have their places: another number is another buffer
        ("load(in_ptr0)", "load(in_ptr1)", "~"),
        ("", "", "="),
    ],
)
def test_edits(a: str, b: str, expected: str) -> None:
    assert signs(a, b) == expected


def test_a_line_whose_values_came_of_other_lines_reads_the_same() -> None:
    assert signs("tmp0 = f(p)\ng(tmp0)", "tmp0 = F(p)\ng(tmp0)") == "~="


def test_what_is_too_long_is_not_compared_line_by_line() -> None:
    long = ["x"] * 4_000
    assert edits(long, [*long, "y"]) == ()
    assert edits(long, list(long)) == (Edit("=", 0, 4_000, 0, 4_000),)
    assert edits([], []) == ()


def test_all_lines_of_both_are_in_the_runs() -> None:
    a, b = ["a", "b", "c", "d"], ["b", "x", "d", "e"]
    runs = edits(a, b)
    assert [edit.a for edit in runs] == [0, *[edit.a_end for edit in runs[:-1]]]
    assert [edit.b for edit in runs] == [0, *[edit.b_end for edit in runs[:-1]]]
    assert (runs[-1].a_end, runs[-1].b_end) == (4, 4)
