"""The user's lines rewritten: the same meaning, other forms refused with a reason."""

from textwrap import dedent

import pytest

from dynamo_lab.view.breaks.rewrites import Refusal, with_cond, with_where, without_call

BOTH = """
def f(x):  # doubled or not
    if x.sum() > 0:  # why
        y = x * 2
    else:
        y = g(
            x, 1)
    return y
"""


def test_the_rest_of_the_source_stays_as_it_is() -> None:
    found = with_where(BOTH, 3)
    assert found.text == (
        "\ndef f(x):  # doubled or not\n"
        "    y = torch.where(x.sum() > 0, x * 2, g(\n            x, 1))\n    return y\n"
    )
    assert found.scope == "f"
    assert "-    if x.sum() > 0:  # why" in found.diff
    assert "+    y = torch.where(x.sum() > 0, x * 2, g(" in found.diff


@pytest.mark.parametrize(
    ("source", "line", "expected"),
    [
        ("if c > 0:\n    y = a\n", 1, "y = torch.where(c > 0, a, y)\n"),
        ("if c.any():\n    y = a\n", 1, "y = torch.where((c.any()) != 0, a, y)\n"),
        ("if not c:\n    y = a\n", 1, "y = torch.where((c) == 0, a, y)\n"),
        (
            "def f():\n  if c > 0:\n    return a\n  return b\n",
            2,
            "def f():\n  return torch.where(c > 0, a, b)\n",
        ),
        (
            "def f():\n\tif c > 0:\n\t\treturn a\n\telse:\n\t\treturn 1\n",
            2,
            "def f():\n\treturn torch.where(c > 0, a, 1)\n",
        ),
        ("é = 1\nif é > 0:\n    ü = é * 2\n", 2, "é = 1\nü = torch.where(é > 0, é * 2, ü)\n"),
    ],
)
def test_a_branch_becomes_an_expression(source: str, line: int, expected: str) -> None:
    assert with_where(source, line).text == expected


def test_a_side_of_cond_is_no_input() -> None:
    text = with_cond("if c > 0:\n    y = a * 2\n", 1).text
    assert text == "y = torch.cond(c > 0, lambda: a * 2, lambda: y.clone(), ())\n"
    assert "lambda: a.clone(), lambda: y.clone()" in with_cond("if c > 0:\n    y = a\n", 1).text


@pytest.mark.parametrize(
    ("source", "line", "why"),
    [
        ("if c > 0:\n    y = a\n    z = b\n", 1, "the same one thing"),
        ("if c > 0:\n    y = a\nelse:\n    z = b\n", 1, "the same one thing"),
        ("if c > 0:\n    y += a\n", 1, "the same one thing"),
        ("if c > 0:\n    y[0] = a\n", 1, "the same one thing"),
        ("def f(c):\n    if c > 0:\n        y = 1\n", 2, "no value before the `if`"),
        ("if a and b:\n    y = a\n", 1, "one comparison"),
        ("if 0 < c < 1:\n    y = a\n", 1, "one comparison"),
        ("if c is a:\n    y = a\n", 1, "one comparison"),
        ("if c > 0:\n    y = a, b\n", 1, "one tensor or one number"),
        ("if c > 0:\n    y = 'text'\n", 1, "one tensor or one number"),
        ("y = None\nif c > 0:\n    y = a\n", 2, "one tensor or one number"),
        ("if k:\n    pass\nelif c > 0:\n    y = a\n", 3, "`elif`"),
        ("while c > 0:\n    c = a\n", 1, "not a loop"),
        ("assert c > 0\n", 1, "not a loop"),
        ("f = lambda c: a if c > 0 else b\n", 1, "lambda"),
        ("if c > 0: y = a; z = b\n", 1, "the same one thing"),
        ("k = 1; (y := 2)\n", 1, "not a loop"),
        ("if c > 0:\n", 1, "not completely known"),
        ("\0", 1, "not completely known"),
        ("if a:\n    pass\n" + "elif b:\n    pass\n" * 50_000, 1, "not completely known"),
        ("(" * 5000, 1, "not completely known"),
        ("", 1, "no statement"),
        ("y = 1\n", 9, "no statement"),
    ],
)
def test_other_forms_are_refused_with_a_reason(source: str, line: int, why: str) -> None:
    for rewrite in (with_where, with_cond):
        with pytest.raises(Refusal, match=why):
            rewrite(source, line)


def test_a_call_is_taken_out() -> None:
    source = dedent("""
        def f(x):
            print("a",
                  x)
            if x is None:
                print("b")
            return x
    """)
    assert without_call(source, 4).text == source.replace('    print("a",\n          x)\n', "")
    assert without_call(source, 6).text == source.replace('print("b")', "pass")
    with pytest.raises(Refusal, match="longer statement"):
        without_call("y = print(x)\n", 1)
    with pytest.raises(Refusal, match="several statements"):
        without_call("y = 1; print(x)\n", 1)
