"""Programs as they come in reports: what is said of them holds when it is tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from dynamo_lab.view import build
from tests.live.breaks.test_more_advice import assert_ends, explored

if TYPE_CHECKING:
    import dynamo_lab as lab
    from dynamo_lab.view.view import View

X = "torch.ones(4)"
NAMELESS = "def f(x):\n    y = x.sin()\n    return torch.cat(y, 5)"
CHECKED = (
    "def check(x):\n    if x.dim() != 3:\n        raise ValueError('three, please')\n    return x\n"
    "def f(x):\n    return check(x * 2).sum()"
)
MISFIT = "def scale(x, by):\n    return x * by\ndef f(x):\n    return scale(x)"


MORE_TRIALS = {
    "a while loop": (
        "torch.while_loop",
        "def f(x):\n    while x.sum() < 100:\n        x = x * 2\n    return x",
        "def f(x):\n    return torch.while_loop("
        "lambda x: x.sum() < 100, lambda x: (x * 2,), (x,))[0]",
        "torch.arange(4.0)",
    ),
    "a check of a number that raises": (
        "Leave out what reads the number",
        "def f(x):\n    if x.sum().item() < 0:\n        raise ValueError('no')\n    return x + 1",
        "def f(x):\n    torch._assert_async(x.sum() >= 0)\n    return x + 1",
        "torch.arange(4.0)",
    ),
    "a loop that a number ends": (
        "Leave out what reads the number",
        "def f(x):\n    while x.sum().item() < 100:\n        x = x * 2\n    return x",
        "def f(x):\n    return torch.while_loop("
        "lambda x: x.sum() < 100, lambda x: (x * 2,), (x,))[0]",
        "torch.arange(4.0)",
    ),
    "a loop that a tensor ends": (
        "`done = done | condition`",
        "def f(x):\n    for _ in range(4):\n        if x.norm() > 10:\n            break\n"
        "        x = x * 2\n    return x",
        "def f(x):\n    done = torch.zeros((), dtype=torch.bool)\n    for _ in range(4):\n"
        "        done = done | (x.norm() > 10)\n        x = torch.where(done, x, x * 2)\n"
        "    return x",
        "torch.arange(4.0)",
    ),
}


def view(source: str, inputs: str = X) -> tuple[lab.Recording, View]:
    recording = explored(source, inputs, "reported")
    return recording, build(recording)


@pytest.mark.parametrize(
    ("source", "raised"),
    [
        (NAMELESS, "TypeError: cat()"),
        (CHECKED, "ValueError: three"),
        (MISFIT, "TypeError: scale()"),
    ],
)
def test_what_python_raised_on_the_line_is_not_left_to_be_found_out(
    source: str, raised: str
) -> None:
    recording, shown = view(source)
    (finding,) = recording.findings
    assert raised in finding.remedy
    assert "raised there too" in finding.remedy
    assert all(one.text for one in finding.evidence)
    told = shown.stories[-1].then
    assert raised in told
    assert "nothing was left to compile" not in told
    assert "all of it ran eagerly" not in told
    assert "no tensor operation" not in shown.summary.sentence


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    y = x * 2\n    return y[torch.tensor([9])]",
        "def f(x):\n    y = x * 2\n    print('on')\n    z = y + 1\n    return z[torch.tensor([9])]",
    ],
)
def test_what_a_graph_raised_has_no_line_that_is_made_up(source: str) -> None:
    recording, shown = view(source)
    assert recording.failure is not None
    assert recording.failure.span is None
    assert "The program ended with IndexError" in shown.summary.sentence
    assert ", at line" not in shown.summary.sentence.partition("ended with")[2]


def test_an_assert_whose_message_is_no_string_is_found_at_its_line() -> None:
    source = "def f(x):\n    y = x * 2\n    assert y.sum() > 0, 42\n    return y"
    (finding,) = fails(source).findings
    assert finding.where == "line 4"  # below the imports
    assert finding.remedy.startswith("Give the `assert` a plain string")
    assert fails(source.replace("42", "'42'")).failure is None


def fails(source: str) -> lab.Recording:
    return explored(source, X, "reported", backend="aot_eager")


TRIED = """
def f(x):
    try:
        y = x.view(7)
    except RuntimeError:
        y = x.view(-1)
    return y * 2
"""


def test_an_operator_that_fails_in_a_try_fails_the_compilation_and_not_the_program() -> None:
    recording, _ = view(TRIED)
    if torch.__version__ >= "2.14":  # Dynamo goes on in the `except`
        assert recording.failure is None
    else:
        (finding,) = recording.findings
        assert finding.remedy.startswith("Uncompiled, the `try` at line 4 may catch this.")
    disabled = TRIED.replace("def f", "@torch.compiler.disable\ndef g")
    left, _ = view(f"{disabled}\ndef f(x):\n    return g(x) + 1")
    assert left.failure is None
    plain, _ = view("def f(x):\n    return x.view(7)")
    assert plain.findings[0].remedy.startswith("Call it without `torch.compile` first")


def test_a_frame_that_failed_after_a_break_did_not_run() -> None:
    _, shown = view(
        "def f(x, w):\n    y = x * 2\n    print('on')\n    return y @ w", f"{X}, {X[:-2]}3)"
    )
    assert shown.stories[0].after[0].text == "compiling `f after line 4` failed"


def test_a_print_of_a_shape_is_not_put_off() -> None:
    source = "def f(x):\n    print(x.shape)\n    y = x.sin()\n    print(y)\n    return y"
    recording, _ = view(source)
    shape, tensor = recording.breaks
    assert [one.name for one in shape.fixes] == ["remove the call"]
    assert tensor.fixes[0].name == "reorderable_logging_functions"
    gains = [one.gain for one in recording.findings if "reorderable" in one.code]
    put_off, _ = view(f"torch._dynamo.config.reorderable_logging_functions.add(print)\n{source}")
    assert [gain.after for gain in gains if gain] == [len(put_off.breaks)]


def test_one_place_that_breaks_twice_is_evidence_once() -> None:
    recording, _ = view(MORE_TRIALS["a while loop"][1], "torch.arange(4.0)")
    assert len(recording.breaks) == 2
    [finding] = [one for one in recording.findings if one.rule == "graph-break"]
    assert len(finding.evidence) == 1


def test_what_goes_on_of_a_loop_is_not_taken_for_a_number() -> None:
    recording, _ = view(
        "def f(x):\n    for _ in range(4):\n        x = x * 2\n        if x.sum() > 20:\n"
        "            return x\n    return x - 1"
    )
    left, again = recording.findings
    assert left.remedy.startswith("A tensor ends this loop")
    assert again.sentence.startswith("A loop goes on after the break inside it")
    assert ".item()" not in again.remedy
    assert "range_iterator" not in again.sentence


def test_a_list_of_all_calls_that_keeps_a_number_is_no_safe_fix() -> None:
    kept, _ = view("seen = []\ndef f(x):\n    seen.append(x.sum().item())\n    return x * 2")
    assert kept.findings[0].grade == "may change meaning"
    assert "each call compiles again" in kept.findings[0].remedy
    made, _ = view(
        "def f(x):\n    seen = []\n    seen.append(x.sum().item())\n    return x * seen[0]"
    )
    assert made.findings[0].grade == "safe"


def test_the_summary_names_the_line_that_the_finding_names() -> None:
    recording, shown = view(
        "def parts(x):\n    for i in range(2):\n        yield x * i\n        print(i)\n"
        "def f(x):\n    total = 0\n    for part in parts(x):\n        total = total + part\n"
        "    return total"
    )
    (finding,) = recording.findings
    assert f"at {finding.where} (print call)" in shown.summary.sentence
    assert "since it cannot resume where a loop takes its next item" in finding.sentence


@pytest.mark.parametrize("name", MORE_TRIALS)
def test_what_is_advised_on_a_condition_ends_the_break(name: str) -> None:
    assert_ends(name, MORE_TRIALS[name])
