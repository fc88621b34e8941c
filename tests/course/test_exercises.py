"""The frame of the exercises: whatever the answer, the verdict is a clear sentence."""

from __future__ import annotations

import signal
import time
from operator import itemgetter
from typing import Any

import numpy
import pytest
import torch
from IPython.core.formatters import DisplayFormatter

from dynamo_lab import course
from dynamo_lab.course.asking import need_count, need_number
from dynamo_lab.course.comparing import same_numbers
from dynamo_lab.course.exercises import Exercise, NotYet, Verdict
from dynamo_lab.errors import CourseError


def judged(answer: Any, seconds: float = 180.0) -> Verdict:
    def examine(answer: Any) -> str:
        same_numbers(answer, torch.sin, torch.ones(3))
        return "So it is."

    return Exercise("9.9", "a title", examine, ("first", "second"), seconds).judge(answer)


def endless(x: Any) -> Any:
    while True:
        time.sleep(0.01)


def ends_the_program(x: Any) -> Any:
    raise SystemExit


def rings(x: Any) -> Any:
    signal.raise_signal(signal.SIGALRM)
    return x.sin()


def closes(x: Any) -> Any:
    raise GeneratorExit


def raises_what_is_no_exception(x: Any) -> Any:
    raise BaseException("no")


def catches_all(x: Any) -> Any:
    for _ in range(3):
        try:
            endless(x)
        except BaseException:
            continue
    return x.sin()


def other_when_compiled(x: Any) -> Any:
    return x if torch.compiler.is_compiling() else x.sin()


def raises(x: Any) -> Any:
    raise ValueError("no\nway")


def writes_into_its_argument(x: Any) -> Any:
    return x.zero_()


def sine_in_place(x: Any) -> Any:
    return x.sin_()


class TestJudge:
    def test_a_right_answer(self) -> None:
        verdict = judged(torch.sin)
        assert verdict
        assert repr(verdict) == "Exercise 9.9 is right. So it is."

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (None, "There is no answer yet"),
            (..., "There is no answer yet"),
            (3, "A function is needed"),
            (ends_the_program, "ended the program"),
            (closes, "Your answer raised GeneratorExit"),
            (raises_what_is_no_exception, "Your answer raised BaseException: no"),
            (other_when_compiled, "Compiled, it computes something other"),
            (raises, "Your answer raised ValueError: no"),
            (lambda: 3, "Your answer raised TypeError"),
            (lambda x: None, "returns nothing yet"),
            (lambda x: (x, x), "It computes something other"),
            (lambda x: "a text", "It computes something other"),
            (
                writes_into_its_argument,
                "It computes something other than the original: it is off by",
            ),
            (sine_in_place, "It changes its argument"),
        ],
    )
    def test_a_wrong_one_is_told_why(self, answer: Any, why: str) -> None:
        verdict = judged(answer)
        assert not verdict
        assert why in verdict.message
        assert repr(verdict).endswith('Hint: first (`lab.course.hint("9.9", 2)` says more.)')

    def test_an_endless_one_is_stopped(self) -> None:
        assert "It was not done after 0.1 seconds" in judged(endless, 0.1).message

    def test_one_that_catches_its_end_is_told_again(self) -> None:
        assert "It was not done after 0.1 seconds" in judged(catches_all, 0.1).message

    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
    def test_a_timer_of_someone_else_goes_on(self) -> None:
        heard: list[int] = []
        before = signal.signal(signal.SIGALRM, lambda number, _: heard.append(number))
        kept = signal.setitimer(signal.ITIMER_REAL, 500, 7)
        try:
            assert judged(torch.sin)
            left, interval = signal.getitimer(signal.ITIMER_REAL)
            assert 0 < left < 500
            assert interval == 7
            signal.raise_signal(signal.SIGALRM)
            assert len(heard) == 1
            assert judged(rings, 1000)  # theirs ends sooner, and is heard meanwhile
            assert len(heard) > 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, *kept)
            signal.signal(signal.SIGALRM, before)

    def test_what_it_prints_is_not_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        def loud(x: Any) -> Any:
            print("hello")
            return x.sin()

        assert judged(loud)
        assert capsys.readouterr().out == ""

    def test_an_interrupt_is_one(self) -> None:
        def interrupted(x: Any) -> Any:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            judged(interrupted)

    def test_a_check_that_fails_does_not_blame_the_answer(self) -> None:
        unfit = Exercise("9.8", "a title", itemgetter(0), ("first",))
        assert unfit.judge(len).message.startswith("The check cannot handle this answer")


class TestVerdict:
    def test_a_notebook_gets_html_and_text(self) -> None:
        verdict = judged(lambda x: "<b>`x`</b>")
        made, _ = DisplayFormatter().format(verdict)
        assert made["text/plain"] == repr(verdict)
        assert ">str</code>" in made["text/html"]
        assert ">lab.course.hint(&quot;9.9&quot;, 2)</code>" in made["text/html"]

    def test_text_from_elsewhere_stays_text(self) -> None:
        made = Verdict("9.9", False, "a <script>alert(1)</script> `<i>`", "<img src=x>")
        html = made._repr_html_()
        assert "<script" not in html
        assert "<img" not in html
        assert ">&lt;i&gt;</code>" in html


class TestNames:
    def test_an_exercise_that_there_is_not(self) -> None:
        with pytest.raises(CourseError, match="those of lesson 2 are"):
            course.check("2.99", len)
        with pytest.raises(CourseError, match="There is no lesson 99"):
            course.check("99.1", len)
        with pytest.raises(CourseError, match="pass its number as text"):
            course.check("two", len)

    def test_hints_say_more_and_end(self) -> None:
        first = course.exercises(2)[0]
        assert course.hint("2.1") == first.hints[0]
        assert course.hint("2.1", 2) == first.hints[1]
        with pytest.raises(CourseError, match="has hints 1 to"):
            course.hint("2.1", 99)

    def test_reasons_are_sentences(self) -> None:
        with pytest.raises(NotYet, match="whole number"):
            need_count("3")

    @pytest.mark.parametrize("three", [3, numpy.int64(3), numpy.uint8(3), torch.tensor(3)])
    def test_a_count_is_one_of_any_type(self, three: Any) -> None:
        assert need_count(three) == 3

    @pytest.mark.parametrize("other", [True, 3.0, "3", None, [3]])
    def test_what_is_no_count(self, other: Any) -> None:
        with pytest.raises(NotYet, match="A whole number is needed"):
            need_count(other)

    @pytest.mark.parametrize("half", [0.5, numpy.float32(0.5), numpy.float64(0.5)])
    def test_a_number_is_one_of_any_type(self, half: Any) -> None:
        assert need_number(half) == 0.5

    @pytest.mark.parametrize("other", [float("nan"), float("inf"), "0.5", None])
    def test_what_is_no_number(self, other: Any) -> None:
        with pytest.raises(NotYet, match="A number is needed"):
            need_number(other)


def test_settings_that_an_answer_changes_are_put_back() -> None:
    from torch._dynamo import config  # noqa: TID251

    def examine(answer: Any) -> str:
        answer()
        return "done"

    def changes() -> None:
        config.capture_scalar_outputs = not before

    before = config.capture_scalar_outputs
    assert Exercise("9.9", "settings", examine, ("none",)).judge(changes)
    assert config.capture_scalar_outputs == before
