"""A change that loses or doubles what the program prints is not called equal."""

from __future__ import annotations

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.live.fixes import try_fix
from dynamo_lab.live.observed import Observed, compared, difference, heard
from dynamo_lab.view.breaks import printing
from dynamo_lab.view.breaks.rewrites import with_where, without_call
from dynamo_lab.view.findings.changes import Setting, drops


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "", ""),
        ("loss 0.51", "loss 0.5099", ""),
        ("nan -1.", "0. 2e-05", ""),
        ("<f at 0x7f31>", "<f at 0xbc9>", ""),
        ("tensor(1., grad_fn=<MulBackward0>)", "tensor(1., grad_fn=<CompiledFunction>)", ""),
        ("a\nb", "b\na", ""),
        ("a\nb\nb", "a\nb", "Of 3 printed lines, 1 is lost: `b`."),
        ("a\nb", "", "Of 2 printed lines, 2 are lost: `a`."),
        ("a", "a\na", "1 line more than in eager: `a`."),
        ("x 3", "x u0", "It prints `x u0` in place of `x 3`."),
        ("a\n\nb", "a\nb", "Of 3 printed lines, 1 is lost: an empty line."),
    ],
)
def test_lines_are_compared_without_their_numbers_and_their_order(
    before: str, after: str, said: str
) -> None:
    assert difference(tuple(before.splitlines()), tuple(after.splitlines())) == said


def test_what_is_printed_is_heard_also_when_the_program_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails() -> None:
        print("one")
        print("two", end="")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), heard() as told:
        fails()
    assert told.lines == ("one", "two")
    assert capsys.readouterr().out == ""


def left(*printed: str) -> Observed:
    return Observed([torch.ones(2)], [], [], printed)


def test_a_lost_line_is_no_equality() -> None:
    found = compared(left("a"), lambda: left("a"), left(), None)
    assert (found.same, found.sentence) == (False, "Of 1 printed line, 1 is lost: `a`.")
    doubled = compared(left("a"), lambda: left("a"), left("a", "a"), None)
    assert doubled.same is False
    assert compared(left("a"), lambda: left("a"), left("a"), None).same


def test_what_is_lost_without_the_change_too_is_no_fault_of_it() -> None:
    assert compared(left("a"), lambda: left(), left(), None).same


def test_a_call_that_is_left_out_on_purpose_is_told_with_what_it_printed() -> None:
    found = compared(left("a"), lambda: left("a"), left(), None, drops=True)
    assert found.same is None
    assert "are as in eager" in found.sentence
    assert found.sentence.endswith("Of 1 printed line, 1 is lost: `a`.")


def test_which_changes_leave_a_call_out() -> None:
    assert drops(without_call("def f(x):\n    print(x)\n    return x", 2))
    assert not drops(with_where("def f(x):\n    if x > 0:\n        x = x * 2\n    return x", 2))
    assert drops(Setting("ignore_logging_functions", "logging.Logger.info"))
    assert not drops(Setting("reorderable_logging_functions", "print"))


def helper(x: torch.Tensor) -> torch.Tensor:
    print("inlined")
    return x.sin()


def prints_in_a_helper(x: torch.Tensor) -> torch.Tensor:
    return helper(x).sum()


@pytest.mark.live
def test_a_setting_that_loses_a_print_is_not_called_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a function that is inlined, a print that is put off is lost: PyTorch's own fault."""
    recording = lab.explore(prints_in_a_helper, torch.ones(4), backend="eager")
    monkeypatch.setattr(printing, "has_caller", lambda *_: False)  # which is why it is not offered
    tried = try_fix(recording, recording.session, 0, "reorderable_logging_functions")
    assert tried.numbers.same is False
    assert "1 is lost: `inlined`" in tried.numbers.sentence
